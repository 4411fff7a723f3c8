"""What clients ask besides statements: the server, and queries."""

from __future__ import annotations

from datetime import UTC, datetime

from sqe.errors import ErrorCode
from sqe.model.query import QueryRecord
from sqe.model.trino_version import VERSION
from sqe.trino.http.error_codes import ERRORS
from sqe.trino.http.errors import NAMES
from sqe.trino.http.stats import state_of, stats_json

_SHORT = 300  # characters of a statement in a list


def server_json(environment: str, uptime_s: float) -> dict[str, object]:
    return {
        "nodeVersion": {"version": VERSION},
        "environment": environment,
        "coordinator": True,
        "starting": False,
        "uptime": _duration(uptime_s),
    }


def query_json(record: QueryRecord, base: str, *, whole: bool) -> dict[str, object]:
    """``whole``: with all of the text. For those who may see it."""
    stats = stats_json(record, state_of(record), record.rows)
    text = record.text if whole or len(record.text) <= _SHORT else record.text[:_SHORT] + "…"
    document: dict[str, object] = {
        "queryId": record.query_id,
        "session": {"user": record.user, "source": record.source},
        "state": state_of(record),
        "self": f"{base}/v1/query/{record.query_id}",
        "resourceGroupId": record.resource_group.split(".") if record.resource_group else None,
        "query": text,
        "queryStats": {
            "createTime": _moment(record.created),
            **({"endTime": _moment(record.ended)} if record.ended is not None else {}),
            **stats,
        },
        "warnings": [],
    }
    if record.error_code:
        error = ERRORS[NAMES[ErrorCode[record.error_code]]]
        numbers = {"code": error.code, "name": error.name, "type": error.type}
        document |= {"errorType": error.type, "errorCode": numbers}
        document["failureInfo"] = {"message": record.error_message, "errorInfo": numbers}
    route = record.shown_route
    if route is not None:
        document["engine"] = {"name": route.engine.value, "reason": route.reason}
    return document


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _duration(seconds: float) -> str:
    """As Trino prints one: the largest unit of which there is at least one."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds / size:.2f}{unit}"
    return f"{seconds:.2f}s"
