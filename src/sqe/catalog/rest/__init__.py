"""Any catalog served over the Iceberg REST specification."""
