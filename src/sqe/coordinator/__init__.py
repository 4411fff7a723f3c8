"""The coordinator: what SQE answers by itself, from the catalog and the session."""
