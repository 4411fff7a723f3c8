"""Iceberg's JDBC catalog: a database that SQE shares with Java, PyIceberg and others."""
