"""Iceberg's REST protocol: the catalogs for engines that people run themselves."""
