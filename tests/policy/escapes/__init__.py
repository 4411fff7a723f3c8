"""Ways around a row filter, a mask or a hidden column, and what must come of each.

Run by ``tests/embedded/policy/test_escapes.py``; ``docs/reference/escapes.md`` is written from it.
"""
