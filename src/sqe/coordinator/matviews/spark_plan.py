"""What Spark itself makes of a view's query: the last word on whether it works row by row."""

from __future__ import annotations

import re

from sqe.engines.spark.plan_check import extract_analysed_plan

# Of an analysed plan. Each of these gives rows for rows, whatever else there is in the table.
_ROW_BY_ROW = frozenset({"Project", "Filter", "SubqueryAlias", "RelationV2", "Join", "Union"})
_NODE = re.compile(r"[ :|]*(?:[+:]- )?(?P<name>\w+)")


def row_by_row(explained: str) -> bool:
    """Text that only looks like a plan, in a literal or a name, can make this False, never True."""
    _columns, *lines = extract_analysed_plan(explained).strip("\n").splitlines()
    nodes = [_NODE.match(line) for line in lines]
    return bool(nodes) and all(node and node["name"] in _ROW_BY_ROW for node in nodes)
