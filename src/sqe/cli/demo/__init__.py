"""The tour: a small lakehouse made by SQL alone, and what one can do with it."""
