"""What a server says of a running statement: JSON, because Flight SQL has no message for it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqe.client.transport import Status
from sqe.errors import ErrorCode, InternalError
from sqe.model.query import EngineKind, Progress, QueryState, RowsAffected


@dataclass(frozen=True, slots=True)
class Said:
    status: Status
    affected: RowsAffected | None = None


def status_of(data: bytes) -> Said:
    try:
        return _read(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InternalError(
            ErrorCode.INTERNAL_ERROR, "The server's answer is not the status of a query."
        ) from error


def _read(told: dict[str, Any]) -> Said:
    engine = EngineKind(told["engine"]) if told.get("engine") else None
    work = Progress(**(told.get("progress") or {}), phase=str(told.get("phase", "")))
    affected = told.get("affected")
    return Said(
        Status(QueryState(told["state"]), engine, work),
        RowsAffected(**affected) if affected is not None else None,
    )
