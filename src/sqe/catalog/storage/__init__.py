"""Warehouses in S3 of catalogs that hand out no keys: every request carries those of its user."""
