"""Names resolved as the user: the catalog seam, the embedded Iceberg catalog, the binder."""
