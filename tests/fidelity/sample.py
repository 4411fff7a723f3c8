"""The files that `make test` runs: one or two for each part of the language, none of them long."""

from __future__ import annotations

SAMPLE = (
    "binary_hex",
    "comments",
    "cte-nested",
    "generators",
    "higher-order-functions",
    "listagg",
    "literals",
    "natural-join",
    "null-handling",
    "order-by-nulls-ordering",
    "pivot",
    "postgreSQL/case",
    "subquery/in-subquery/in-null-semantics",
    "subquery/subquery-nested-data",
    "table-valued-functions",
    "timestamp-ntz",
    "union-per-child-output-deduplication",
    "union-resolution-edge-cases",
)
