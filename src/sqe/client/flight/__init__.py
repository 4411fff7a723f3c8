"""A small Flight SQL client on pyarrow: what a connection to an SQE server needs."""
