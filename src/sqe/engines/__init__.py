"""Engines: they run a guarded statement and know nothing of policies."""
