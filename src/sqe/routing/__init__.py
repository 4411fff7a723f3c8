"""Chooses the engine. A pure function: the same statement and settings give the same route."""
