"""One event for every change of a query's state, to whoever wants to know. Never fails a query."""
