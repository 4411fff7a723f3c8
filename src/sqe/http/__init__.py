"""Serves ASGI applications over HTTP, for every package that listens: threads, sockets, TLS."""
