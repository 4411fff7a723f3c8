"""A folder of tables that no catalog knows of, to be read."""
