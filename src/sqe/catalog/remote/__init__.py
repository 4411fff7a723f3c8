"""Catalogs of others, over the Iceberg REST protocol, as the user."""
