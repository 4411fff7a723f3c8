"""Records of queries as rows, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqe.errors import ErrorCode
from sqe.model.query import (
    EngineKind,
    EngineWork,
    Profile,
    QueryOrigin,
    QueryRecord,
    QueryState,
    RelationUse,
    Route,
    RowsAffected,
    WrittenSnapshot,
)

COLUMNS = (
    "query_id", "process", "user_name", "state", "created_at", "ended_at", "kind", "engine",
    "error_code", "size", "body",
)  # fmt: skip
_AROUND = 300  # bytes that a row takes besides its body: columns, indexes


def row_of(record: QueryRecord, process: str) -> dict[str, Any]:
    body = json.dumps(_body(record), separators=(",", ":"))
    return {
        "query_id": record.query_id,
        "process": process,
        "user_name": _clean(record.user),
        "state": record.state.value,
        "created_at": record.created,
        "ended_at": record.ended,
        "kind": record.kind,
        "engine": record.route.engine.value if record.route is not None else "",
        "error_code": record.error_code,
        "size": len(body) + _AROUND,
        "body": body,
    }


def record_of(row: Mapping[str, Any]) -> QueryRecord:
    """ValueError, KeyError or TypeError for a row that is damaged."""
    body = json.loads(row["body"])
    error_code, message = row["error_code"], body["error"]
    if error_code == ErrorCode.SERVER_LOST.name:  # said by another process than its own
        message = ErrorCode.SERVER_LOST.meaning
    return QueryRecord(
        query_id=row["query_id"],
        user=body["user"],
        text=body["text"],
        state=QueryState(row["state"]),
        created=float(row["created_at"]),
        session_id=body["session"],
        source=body["source"],
        resource_group=body["resource_group"],
        kind=row["kind"],
        route=_route(row["engine"], body.get("route")),
        stage_seconds=body["stages"],
        ended=row["ended_at"],
        rows=body["rows"],
        bytes=body["bytes"],
        affected=RowsAffected(**body["affected"]) if body["affected"] is not None else None,
        error_code=error_code,
        error_message=message,
        restricted=body["restricted"],
        groups=tuple(body["groups"]),
        dialect=body["dialect"],
        origin=QueryOrigin(**body["origin"]),
        trace_id=body.get("trace", ""),  # earlier versions wrote none
        relations=tuple(_relation(use) for use in body["relations"]),
        written=tuple(WrittenSnapshot(**snapshot) for snapshot in body["written"]),
        work=EngineWork(**body["work"]),
        profile=Profile(body.get("plan", ""), body.get("operators", "")),
    )


def _body(record: QueryRecord) -> dict[str, Any]:
    route = record.route
    return {
        "user": record.user,
        "text": record.text,
        "session": record.session_id[:8],  # enough to tell sessions apart, not to take one over
        "source": record.source,
        "resource_group": record.resource_group,
        "groups": record.groups,
        "dialect": record.dialect,
        "origin": asdict(record.origin),
        "trace": record.trace_id,
        "route": None if route is None else {"reason": route.reason, "hidden": route.hidden},
        "stages": {name: round(seconds, 6) for name, seconds in record.stage_seconds.items()},
        "rows": record.rows,
        "bytes": record.bytes,
        "affected": None if record.affected is None else record.affected.counts,
        "error": record.error_message,
        "restricted": record.restricted,
        "relations": [asdict(use) for use in record.relations],
        "written": [asdict(snapshot) for snapshot in record.written],
        "work": record.work.figures,
        "plan": record.profile.plan,
        "operators": record.profile.operators,
    }


def _route(engine: str, kept: Mapping[str, Any] | None) -> Route | None:
    if kept is None:
        return None
    return Route(EngineKind(engine), kept["reason"], hidden=kept["hidden"])


def _relation(kept: Mapping[str, Any]) -> RelationUse:
    return RelationUse(**{**kept, "columns": tuple(kept["columns"])})


def _clean(text: str) -> str:
    """What every database takes as a text."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
