"""A server to ask, in either dialect."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from sqe.errors import SqeError
from sqe.gateway.gateway import Gateway
from sqe.model.query import ClientState, QueryRequest
from sqe.protocols.trino_http.encode import RowEncoder
from sqe.protocols.trino_http.errors import trino_error
from sqe.protocols.trino_http.wire import columns_json

CAPABILITIES = frozenset({"PARAMETRIC_DATETIME"})


@dataclass(frozen=True)
class Answer:
    """What came back, as the wire has it."""

    columns: list[dict[str, str]] = field(default_factory=list)
    data: list[list[Any]] = field(default_factory=list)
    error: str = ""
    message: str = ""
    location: tuple[int, int] | None = None


@dataclass(frozen=True)
class Asker:
    gateway: Gateway
    session_id: str

    def trino(self, sql: str, client: ClientState | None = None) -> Answer:
        request = QueryRequest(self.session_id, sql, client=client or ClientState())
        try:
            with self.gateway.fetch(self.gateway.submit(request)) as result:
                columns = columns_json(result.columns, CAPABILITIES)
                encoder = RowEncoder(result.columns, result.schema, CAPABILITIES)
                rows = [rows.text for batch in result for rows in encoder.encode(batch)]
                data = json.loads(b"[" + b",".join(rows) + b"]")
        except SqeError as error:
            place = (error.position.line, error.position.column) if error.position else None
            return Answer(error=trino_error(error).name, message=error.message, location=place)
        shown = [{"name": str(one["name"]), "type": str(one["type"])} for one in columns]
        return Answer(shown, data)

    def spark(self, sql: str) -> pa.Table:
        query = self.gateway.submit(QueryRequest(self.session_id, sql))
        with self.gateway.fetch(query) as result:
            return result.read_all()
