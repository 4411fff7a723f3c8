"""How far a query is, as clients show it."""

from __future__ import annotations

import time

from sqe.model.query import QueryRecord, QueryState

QUEUED, FINISHED, FAILED = "QUEUED", "FINISHED", "FAILED"
_STATES = {
    QueryState.QUEUED: QUEUED,
    QueryState.PLANNING: "PLANNING",
    QueryState.RUNNING: "RUNNING",
    QueryState.FINISHED: FINISHED,
    QueryState.FAILED: FAILED,
    QueryState.CANCELLED: FAILED,
}
_ANALYSIS = ("parse", "translate", "bind", "decide")
_PLANNING = ("guard", "route")
_RUNNING = ("start", "rows")


def state_of(record: QueryRecord) -> str:
    return _STATES[record.state]


def stats_json(record: QueryRecord, state: str, rows: int = 0) -> dict[str, object]:
    """``state`` may lag behind the record's: a query is not finished before it is read.
    ``rows`` have been read so far."""
    progress = record.progress
    elapsed = (record.ended or time.time()) - record.created
    begun = state not in (QUEUED, "PLANNING")
    tasks = max(progress.tasks, 1) if begun else 0
    done = tasks if state == FINISHED else min(progress.tasks_done, tasks)
    running = 1 if state == "RUNNING" and done < tasks else 0
    stats: dict[str, object] = {
        "state": state,
        "queued": state == QUEUED,
        "scheduled": begun,
    }
    if begun and state != FAILED:
        stats["progressPercentage"] = round(100.0 * done / tasks, 2)
        stats["runningPercentage"] = round(100.0 * running / tasks, 2)
    stats |= {
        "nodes": 1 if begun else 0,
        "totalSplits": tasks,
        "queuedSplits": tasks - done - running,
        "runningSplits": running,
        "completedSplits": done,
        "planningTimeMillis": _millis(record, _ANALYSIS + _PLANNING),
        "analysisTimeMillis": _millis(record, _ANALYSIS),
        "cpuTimeMillis": 0,  # nobody measures it
        "wallTimeMillis": _millis(record, _RUNNING),
        "queuedTimeMillis": 0 if begun else int(elapsed * 1000),
        "elapsedTimeMillis": int(elapsed * 1000),
        "finishingTimeMillis": 0,
        "physicalInputTimeMillis": 0,
        "processedRows": max(record.rows, rows),
        "processedBytes": max(record.bytes, progress.bytes_read),
        "physicalInputBytes": progress.bytes_read,
        "physicalWrittenBytes": 0,
        "internalNetworkInputBytes": 0,
        "peakMemoryBytes": 0,
        "spilledBytes": 0,
    }
    return stats


def _millis(record: QueryRecord, stages: tuple[str, ...]) -> int:
    return int(1000 * sum(record.stage_seconds.get(stage, 0.0) for stage in stages))
