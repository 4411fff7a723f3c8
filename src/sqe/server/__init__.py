"""Puts SQE together, starts it and stops it."""
