"""Finds what each name in a statement means, as the user: Statement to BoundStatement."""
