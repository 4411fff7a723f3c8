"""Decides what a user may do with a table: allow, restrict or deny, with the reason."""
