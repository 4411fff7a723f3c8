"""Frozen values that travel the pipe. Standard library only."""
