"""Trino's file-based access control: ``rules.json``, read as Trino 476 reads it."""
