"""Enforces decisions: what replaces each relation in the text."""
