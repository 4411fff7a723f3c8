"""AWS Glue's Data Catalog: its databases are schemas, and tables say where their metadata is."""
