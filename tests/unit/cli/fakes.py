"""A gateway that answers from a dictionary, at the seam the commands have for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from click.testing import CliRunner, Result

from sqe.audit.events import QueryEvent
from sqe.cli.invocation import Invocation
from sqe.cli.main import cli
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import (
    Column,
    Progress,
    QueryRecord,
    QueryRequest,
    QueryState,
    Route,
    RowsAffected,
)
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.server.state import Part

# A pa.Table, an error to raise, or a function that gives a ResultStream.
Answer = Any


@dataclass
class FakeSession:
    id: str
    schema: SchemaName
    closed: bool = False

    def close(self) -> None:
        self.closed = True


class FakeGateway:
    """``answers`` by statement text. ``waiting`` is a statement that runs until it is cancelled."""

    def __init__(self, answers: dict[str, Answer] | None = None, waiting: str = "WAIT") -> None:
        self.answers = answers or {}
        self.waiting = waiting
        self.texts: list[str] = []
        self.identities: list[Identity] = []
        self.cancelled = threading.Event()
        self.session = FakeSession("s1", SchemaName("lake", ("default",)))

    def open_session(self, identity: Identity, schema: SchemaName | None = None) -> FakeSession:
        self.identities.append(identity)
        return self.session

    def submit(
        self, request: QueryRequest, listener: Callable[[QueryEvent], None] | None = None
    ) -> str:
        self.texts.append(request.text)
        query_id = f"q{len(self.texts)}"
        if listener is not None:
            progress = Progress(stages=3, stages_done=1, tasks=8, tasks_done=2, bytes_read=4096)
            record = QueryRecord(
                query_id, "u", request.text, QueryState.RUNNING, time.time(), progress=progress
            )
            listener(QueryEvent("progress", time.time(), record))
        return query_id

    def fetch(self, query_id: str) -> ResultStream:
        text = self.texts[int(query_id[1:]) - 1]
        if text == self.waiting:
            if not self.cancelled.wait(20):
                raise AssertionError("nobody cancelled")
            raise UserError(ErrorCode.CANCELLED, "The query was cancelled.")
        answer = self.answers[text]
        if isinstance(answer, Exception):
            raise answer
        return answer() if callable(answer) else stream_of(answer)

    def describe(self, request: QueryRequest) -> Description:
        return Description((), pa.schema([]))

    def route(self, request: QueryRequest) -> Route:
        answer = self.answers[request.text]
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, Route)
        return answer

    def cancel(self, query_id: str) -> None:
        self.cancelled.set()

    def run_rows(
        self, request: QueryRequest, started: Callable[[str], None]
    ) -> RowsAffected | None:
        raise AssertionError("no command has rows of parameters")

    def record(self, query_id: str) -> QueryRecord:
        raise AssertionError("no command asks for a record")

    def begin(self, session_id: str) -> str:
        return "t1"

    def commit(self, session_id: str, transaction_id: str) -> None:
        return None

    def rollback(self, session_id: str, transaction_id: str) -> None:
        return None


@dataclass
class FakeServer:
    gateway: FakeGateway
    started: list[bool] = field(default_factory=list)
    closed: bool = False

    def start(self, warm_spark: bool) -> None:
        self.started.append(warm_spark)

    def listen(self, host: str | None, port: int | None) -> str:
        return ""

    def listen_iceberg(self) -> str:
        return ""

    def listen_trino(self, host: str | None, port: int | None) -> str:
        return ""

    def follow(self, source: object) -> None:
        return None

    def reread_settings(self) -> None:
        return None

    def warm_local(self) -> None:
        return None

    def drain(self, seconds: float) -> None:
        return None

    def close(self, within: float | None = None) -> None:
        self.closed = True

    @property
    def listening(self) -> bool:
        return True

    def parts(self) -> list[Part]:
        return []

    def exposition(self, accept: str = "") -> tuple[bytes, str] | None:
        return None

    def status(self) -> dict[str, Any]:
        return {"spark": "ready"}


def stream_of(table: pa.Table, types: Iterable[str] | None = None) -> ResultStream:
    spark_types = list(types or ["" for _ in table.schema])
    columns = [
        Column(name, kind) for name, kind in zip(table.schema.names, spark_types, strict=True)
    ]
    return ResultStream(columns, table.schema, table.to_batches())


def nothing() -> ResultStream:
    """What a statement without rows gives."""
    return ResultStream((), pa.schema([]), ())


def failing_after(table: pa.Table, error: SqeError) -> Callable[[], ResultStream]:
    def batches() -> Iterator[pa.RecordBatch]:
        yield from table.to_batches()
        raise error

    columns = [Column(name, "") for name in table.schema.names]
    return lambda: ResultStream(columns, table.schema, batches())


def run(
    gateway: FakeGateway, *arguments: str, home: Any = None, stdin: bytes | str | None = None
) -> Result:
    """``sqe <arguments>`` in this process, with stdout and stderr kept apart."""
    invocation = Invocation(home=home, build=lambda settings: FakeServer(gateway))
    return CliRunner().invoke(cli, list(arguments), obj=invocation, input=stdin)
