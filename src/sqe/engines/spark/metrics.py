"""What Spark says it did: operator by operator for EXPLAIN ANALYZE, in sum for the record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.model.query import EngineWork, Progress

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


_SCAN = "BatchScan"


def work_of(metrics: Sequence[Any], progress: Progress) -> EngineWork:
    """``progress`` is the last that Spark told. What is not measured is not known: the plan of a
    write shows none of its scans, and not every file system counts what is read."""
    scans = [node for node in metrics if node.name.startswith(_SCAN)]
    return EngineWork(
        files=_total(scans, "resultDataFiles"),
        bytes=_total(scans, "totalDataFileSize"),
        rows=_total(scans, "numOutputRows"),
        bytes_read=progress.bytes_read or None,
        spilled_bytes=_total(metrics, "spillSize"),
    )


def _total(nodes: Sequence[Any], name: str) -> int | None:
    values = [metric.value for node in nodes for metric in node.metrics if metric.name == name]
    return sum(values) if values else None


def operators(metrics: Sequence[Any]) -> str:
    """A tree of operators with their real figures."""
    children: dict[int, list[Any]] = {}
    ids = {metric.plan_id for metric in metrics}
    for metric in metrics:
        parent = metric.parent_plan_id
        if parent not in ids or parent == metric.plan_id:  # Spark makes the root its own parent
            parent = -1
        children.setdefault(parent, []).append(metric)
    lines: list[str] = []
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
