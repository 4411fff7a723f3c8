"""Trino's statements that are no queries: their nodes, how they are read, what becomes of them."""
