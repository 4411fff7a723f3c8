"""What Spark says it did, operator by operator, for EXPLAIN ANALYZE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# Spark's metrics worth a reader's time, in this order: name, words, unit.
_SHOWN: tuple[tuple[str, str, str], ...] = (
    ("numOutputRows", "rows", ""),
    ("resultDataFiles", "files read", ""),
    ("skippedDataFiles", "files pruned", ""),
    ("resultDeleteFiles", "delete files", ""),
    ("totalDataFileSize", "file size", "bytes"),
    ("totalPlanningDuration", "planning", "ms"),
    ("pipelineTime", "time", "ms"),
    ("aggTime", "aggregating", "ms"),
    ("sortTime", "sorting", "ms"),
    ("buildTime", "building", "ms"),
    ("collectTime", "collecting", "ms"),
    ("broadcastTime", "broadcasting", "ms"),
    ("scanTime", "scanning", "ms"),
    ("fetchWaitTime", "waiting for shuffle", "ms"),
    ("dataSize", "data", "bytes"),
    ("shuffleBytesWritten", "shuffled", "bytes"),
    ("spillSize", "spilled", "bytes"),
)
# Operators that only pass rows on; their children stand in their place.
_PASSING = ("AdaptiveSparkPlan", "InputAdapter", "ResultQueryStage", "ShuffleQueryStage")


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
    for root in children.get(-1, []):
        lines += _lines(root, children, 0)
    return "\n".join(lines)


def _lines(node: Any, children: dict[int, list[Any]], depth: int) -> list[str]:
    passing = node.name in _PASSING
    lines = [] if passing else [f"{'  ' * depth}- {node.name}{_figures(node)}"]
    for child in children.get(node.plan_id, []):
        lines += _lines(child, children, depth if passing else depth + 1)
    return lines


def _figures(node: Any) -> str:
    values = {metric.name: metric.value for metric in node.metrics}
    shown = []
    for name, words, unit in _SHOWN:
        value = values.get(name)
        # Rows and files say something when they are none; the rest only when there is some.
        if value is not None and (value > 0 or not unit):
            shown.append(f"{words} {value:,}{f' {unit}' if unit else ''}")
    return f"  ({', '.join(shown)})" if shown else ""
