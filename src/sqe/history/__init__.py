"""What has run: kept in SQE's own database, shown as SQL to those who may see it."""
