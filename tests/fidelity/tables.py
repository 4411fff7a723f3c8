"""The tables that Spark's suite makes before it starts."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class SuiteTable:
    name: str
    columns: str
    rows: str

    @property
    def query(self) -> str:
        """One file, as in the suite: a LIMIT without order finds the same rows."""
        return f"SELECT /*+ COALESCE(1) */ * FROM VALUES {self.rows} AS t({self.columns})"


SUITE_TABLES = (
    SuiteTable("testdata", "key, value", ", ".join(f"({n}, '{n}')" for n in range(1, 101))),
    SuiteTable(
        "arraydata",
        "arraycol, nestedarraycol",
        "(array(1, 2, 3), array(array(1, 2, 3))), (array(2, 3, 4), array(array(2, 3, 4)))",
    ),
    SuiteTable(
        "mapdata",
        "mapcol",
        ", ".join(
            "(map(" + ", ".join(f"{k}, '{'abcde'[k - 1]}{row}'" for k in range(1, 7 - row)) + "))"
            for row in range(1, 6)
        ),
    ),
)

# Loaded by the suite from PostgreSQL's regression data and TPC-DS's schema, which the corpus does
# not carry; `tmp` is made from one of them.
MISSING_TABLES = re.compile(
    r"\b(aggtest|onek|tenk1|tmp|date_dim|store_sales|store_returns|web_sales|catalog_sales)\b",
    re.IGNORECASE,
)
# Scala functions that the suite registers in its sessions.
SUITE_FUNCTIONS = re.compile(r"\b(booleq|boolne|vol)\s*\(", re.IGNORECASE)


def left_out(sql: str) -> str | None:
    """Why a statement cannot be asked at all: it needs what the suite has and the corpus not."""
    table = MISSING_TABLES.search(sql)
    if table:
        return f"table {table.group(1).lower()} is not in the corpus"
    function = SUITE_FUNCTIONS.search(sql)
    if function:
        return f"function {function.group(1).lower()} exists in Spark's suite only"
    return None
