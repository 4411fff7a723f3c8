"""Sessions: who, where (catalog and schema), and what they have set."""
