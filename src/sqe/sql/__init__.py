"""SQL text understood: one statement, its kind, and the exact place of every name in it."""
