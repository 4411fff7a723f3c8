"""Trino's client protocol: statements over HTTP, results as pages of JSON."""
