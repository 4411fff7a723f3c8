"""The figures SQE is held to, measured. ``python -m benchmarks`` runs them; see README.md.

figure     what a figure is, and its target          figures/   one module for each measurement
bench      what a run shares: options, cache, once   programs/  what runs in a process of its own
lakehouse  SQE and plain Spark on the same tables    tpch_*     the 22 queries and their tables
report     the result file                           machine    where it was measured
"""
