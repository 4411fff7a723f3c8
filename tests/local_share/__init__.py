"""Which statements the local engine runs, in both dialects, and why the others are Spark's.

``python -m tests.local_share`` writes docs/reference/local-share.md; ``--show SUITE`` prints the
statements of one suite that are Spark's, with their reasons.
"""
