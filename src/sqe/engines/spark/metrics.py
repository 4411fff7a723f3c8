"""What Spark says it did, operator by operator, for EXPLAIN ANALYZE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# Metrics worth a reader's time, in this order; the rest is Spark's own bookkeeping.
_SHOWN = (
    "number of output rows",
    "number of result data files",
    "number of skipped data files",
    "number of scanned data manifests",
    "number of skipped data manifests",
    "total data file size (bytes)",
    "total planning duration (ms)",
    "size of files read",
    "data size",
    "shuffle bytes written",
    "records read",
    "scan time",
    "duration",
    "time in aggregation build",
    "sort time",
    "time to build",
    "spill size",
    "peak memory",
)


def operators(metrics: Sequence[Any], rows: int) -> str:
    """A tree of operators with their real figures."""
    children: dict[int, list[Any]] = {}
    ids = {metric.plan_id for metric in metrics}
    for metric in metrics:
        parent = metric.parent_plan_id
        if parent not in ids or parent == metric.plan_id:  # Spark makes the root its own parent
            parent = -1
        children.setdefault(parent, []).append(metric)
    lines = [f"{rows:,} rows returned"]
    roots = children.get(-1, [])
    for root in roots:
        lines += _lines(root, children, 0, {root.plan_id})
    return "\n".join(lines)


def _lines(node: Any, children: dict[int, list[Any]], depth: int, seen: set[int]) -> list[str]:
    figures = {metric.name: metric for metric in node.metrics}
    shown = [
        f"{name.split(' (')[0]}: {_value(metric)}"
        for wanted in _SHOWN
        for name, metric in sorted(figures.items())
        if name.startswith(wanted) and metric.value > 0
    ]
    label = f"{'  ' * depth}- {node.name}"
    lines = [f"{label}  ({', '.join(shown)})" if shown else label]
    for child in children.get(node.plan_id, []):
        if child.plan_id not in seen:
            seen.add(child.plan_id)
            lines += _lines(child, children, depth + 1, seen)
    return lines


def _value(metric: Any) -> str:
    kind = str(metric.metric_type).lower()
    value = metric.value
    if "nstiming" in kind:
        return f"{value / 1e6:,.1f} ms"
    if "timing" in kind or "(ms)" in metric.name:
        return f"{value:,} ms"
    if "size" in kind or "(bytes)" in metric.name:
        return f"{value:,} bytes"
    return f"{value:,}"
