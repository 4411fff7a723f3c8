"""Iceberg's commit rules on metadata JSON: checks requirements, applies updates, stores nothing."""
