"""The console: a page where people ask, look and understand, as themselves.

A client and no second door: it talks Flight SQL with the credential of whoever logged in, reads
everything else from SQL, and imports nothing of engines, policies or the store.
"""
