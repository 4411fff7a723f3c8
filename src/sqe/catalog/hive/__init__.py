"""A Hive metastore: its databases are schemas, and tables say where their metadata is."""
