"""Copies of a home that is in use, and homes made of them."""
