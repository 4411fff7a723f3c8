"""Trino's own recorded answers against SQE's."""
