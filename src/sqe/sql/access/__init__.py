"""Roles, grants, row filters, column masks and tags: their statements and the grammar of them."""
