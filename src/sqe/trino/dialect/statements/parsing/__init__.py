"""How statements that are no queries are read, a file for each family of them."""
