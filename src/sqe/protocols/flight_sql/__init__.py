"""Arrow Flight SQL: wire messages to gateway calls and back."""
