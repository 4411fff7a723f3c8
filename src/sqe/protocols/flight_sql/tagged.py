"""Queries by a client's own name for them.

A client learns a query's ticket only when its columns are known. With a tag of its own choice it
can ask how far the query is, or cancel it, before that.
"""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict

from sqe.errors import ErrorCode, UserError
from sqe.gateway.gateway import Gateway
from sqe.model.query import QueryRecord
from sqe.protocols.flight_sql.caller import FlightCaller

_KEPT = 10_000
_TAG = re.compile(r"[0-9a-f]{32}\Z")


class TaggedQueries:
    """Thread-safe. A tag means something in its own session only."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._lock = threading.Lock()
        self._queries: OrderedDict[tuple[str, str], str] = OrderedDict()

    def note_start(self, caller: FlightCaller, query_id: str) -> None:
        if not _TAG.match(caller.tag):
            return
        with self._lock:
            self._queries[caller.session.id, caller.tag] = query_id
            while len(self._queries) > _KEPT:
                self._queries.popitem(last=False)

    def query_id(self, caller: FlightCaller, tag: str) -> str:
        with self._lock:
            query_id = self._queries.get((caller.session.id, tag))
        if query_id is None:
            raise UserError(ErrorCode.QUERY_NOT_FOUND, "No query of this session has this tag.")
        return query_id

    def status(self, caller: FlightCaller, tag: str) -> bytes:
        return json.dumps(
            _describe_record(self._gateway.record(self.query_id(caller, tag)))
        ).encode()

    def forget_session(self, session_id: str) -> None:
        with self._lock:
            for key in [key for key in self._queries if key[0] == session_id]:
                del self._queries[key]


def _describe_record(record: QueryRecord) -> dict[str, object]:
    progress, affected, route = record.progress, record.affected, record.shown_route
    return {
        "query_id": record.query_id,
        "state": record.state.value,
        "engine": route.engine.value if route is not None else "",
        "progress": {
            "stages": progress.stages,
            "stages_done": progress.stages_done,
            "tasks": progress.tasks,
            "tasks_done": progress.tasks_done,
            "bytes_read": progress.bytes_read,
        },
        "phase": progress.phase,
        "affected": None
        if affected is None
        else {
            "inserted": affected.inserted,
            "updated": affected.updated,
            "deleted": affected.deleted,
        },
    }
