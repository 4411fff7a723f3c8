"""The real server and gateway, over statements whose answers the test has written."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import pyarrow as pa

from sqe.access.other_users import OtherUsers
from sqe.admission.admission import Admission, groups_of_settings
from sqe.audit.events import Events
from sqe.auth.chain import Authenticators
from sqe.auth.configured import authenticators
from sqe.engines.protocol import Run
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.gateway.gateway import Gateway
from sqe.gateway.pipeline import Pipeline
from sqe.gateway.runner import Planned
from sqe.gateway.tracker import QueryTracker
from sqe.gateway.uploads import Uploads
from sqe.model.administrators import NO_ADMINISTRATORS, Administrators
from sqe.model.names import SchemaName
from sqe.model.query import (
    ClientChanges,
    Column,
    EngineKind,
    Outcome,
    QueryRequest,
    Route,
    RowsAffected,
)
from sqe.policy.policy import Policy
from sqe.policy.source import AllowAll
from sqe.results.stream import ResultStream
from sqe.sessions.store import SessionStore
from sqe.settings import AuthSettings
from sqe.spark_sql.spark_dialect import SparkText
from sqe.trino.http.oauth2 import OAuth2Flow
from sqe.trino.http.options import TrinoOptions
from sqe.trino.http.server import TrinoServer

Answer = Callable[[Run], ResultStream]
COLUMNS = (Column("n", "bigint"), Column("t", "varchar"))
SCHEMA = pa.schema([pa.field("n", pa.int64()), pa.field("t", pa.string())])
_NO_TLS = ssl.create_default_context()  # making one takes longer than a query
ALL_RIGHT, GONE, NOT_FOUND = 200, 410, 404


def rows(*values: tuple[int, str], batches: int = 1) -> Answer:
    """The same rows again in each batch."""

    def answer(run: Run) -> ResultStream:
        numbers, texts = [n for n, _ in values], [t for _, t in values]
        batch = pa.RecordBatch.from_arrays([pa.array(numbers), pa.array(texts)], schema=SCHEMA)
        return ResultStream(COLUMNS, SCHEMA, (batch for _ in range(batches)))

    return answer


def update(kind: str, count: int) -> Answer:
    return lambda run: ResultStream(
        (), pa.schema([]), (), affected=lambda: RowsAffected(count), outcome=Outcome(kind)
    )


def change(kind: str, changes: ClientChanges) -> Answer:
    return lambda run: ResultStream((), pa.schema([]), (), outcome=Outcome(kind, changes))


def failing(error: Exception) -> Answer:
    def answer(run: Run) -> ResultStream:
        raise error

    return answer


@dataclass(frozen=True)
class Mistake:
    """A statement that is not understood: only such an error has a place in its text."""

    error: SqeError

    def __call__(self, run: Run) -> ResultStream:
        raise self.error


class Endless:
    """Rows for as long as somebody takes them. ``ended``: somebody has ended it."""

    def __init__(self) -> None:
        self.made = 0
        self.ended = threading.Event()

    def __call__(self, run: Run) -> ResultStream:
        return ResultStream(COLUMNS, SCHEMA, self._batches(), self.ended.set)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        texts = [f"{number:01000d}" for number in range(100)]
        while True:
            self.made += 1
            numbers = pa.array(range(100), pa.int64())
            yield pa.RecordBatch.from_arrays([numbers, pa.array(texts)], schema=SCHEMA)


class Hanging:
    """Does not answer before it is cancelled or let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.cancelled = threading.Event()

    def __call__(self, run: Run) -> ResultStream:
        run.cancellation.on_cancel(self.cancelled.set)
        run.cancellation.on_cancel(self.go.set)
        self.go.wait(30)
        run.cancellation.check()
        return rows((1, "late"))(run)


@dataclass
class Script:
    """The pipe, as far as the gateway needs it: an answer for each text."""

    answers: dict[str, Answer] = field(default_factory=dict)
    requests: list[QueryRequest] = field(default_factory=list)
    policy: Policy = field(default_factory=lambda: Policy((AllowAll(),)))
    administrators: Administrators = NO_ADMINISTRATORS

    @property
    def access(self) -> Any:
        return SimpleNamespace(other_users=OtherUsers(self.policy, self.administrators))

    def plan(self, request: QueryRequest, *_: Any, **__: Any) -> Planned:
        self.requests.append(request)
        if request.text not in self.answers:
            raise UserError(ErrorCode.TABLE_NOT_FOUND, "Not in the script.")
        answer = self.answers[request.text]
        if isinstance(answer, Mistake):
            raise answer.error
        route = Route(EngineKind.LOCAL, "because")
        return Planned(SparkText(request.text, {}, label="query"), None, route)

    def run(self, planned: Planned, run: Run) -> ResultStream:
        return self.answers[planned.translation.text or ""](run)


@dataclass
class Serving:
    script: Script
    gateway: Gateway
    url: str

    def client(self, user: str = "lab", **options: Any) -> httpx2.Client:
        """Does not follow ``nextUri`` by itself."""
        headers = {"X-Trino-User": user, **options.pop("headers", {})}
        return httpx2.Client(
            base_url=self.url, headers=headers, timeout=30, verify=_NO_TLS, **options
        )


@contextmanager
def serving(
    tmp_path: Path,
    answers: dict[str, Answer],
    options: TrinoOptions | None = None,
    auth: Authenticators | None = None,
    admission: Admission | None = None,
    oauth2: OAuth2Flow | None = None,
) -> Iterator[Serving]:
    script = Script(answers)
    gateway = Gateway(
        cast(Pipeline, script),
        SessionStore(SchemaName("lake", ("default",))),
        QueryTracker(Events()),
        Uploads(tmp_path / "uploads", 2**20),
        admission or Admission(groups_of_settings(200, 150, 0)),
    )
    options = options or TrinoOptions()
    server = TrinoServer(gateway, auth or authenticators(AuthSettings()), options, oauth2)
    port = server.start()
    scheme = "https" if options.tls is not None else "http"
    try:
        yield Serving(script, gateway, f"{scheme}://127.0.0.1:{port}")
    finally:
        server.stop()
        gateway.close()


@dataclass
class Followed:
    """All pages of a statement, as a client without any help gets them."""

    pages: list[dict[str, Any]]
    headers: dict[str, str]

    @property
    def rows(self) -> list[Any]:
        return [row for page in self.pages for row in page.get("data", [])]

    @property
    def last(self) -> dict[str, Any]:
        return self.pages[-1]

    @property
    def error(self) -> dict[str, Any]:
        found = self.last["error"]
        assert isinstance(found, dict)
        return found


def follow(client: httpx2.Client, text: str, headers: dict[str, str] | None = None) -> Followed:
    response = client.post("/v1/statement", content=text.encode(), headers=headers or {})
    followed = Followed([], {})
    while True:
        assert response.status_code == ALL_RIGHT, response.text
        page = response.json()
        followed.pages.append(page)
        kept = {k.lower(): v for k, v in response.headers.items()}
        followed.headers |= {k: v for k, v in kept.items() if k.startswith("x-trino-")}
        if "nextUri" not in page:
            return followed
        response = client.get(page["nextUri"])


def rows_from(client: httpx2.Client, uri: str) -> tuple[str, httpx2.Response]:
    """The first page with rows from this one on, and its address: a busy machine may need a few
    requests until there are some."""
    while True:
        response = client.get(uri)
        assert response.status_code == ALL_RIGHT, response.text
        if "data" in response.json():
            return uri, response
        uri = response.json()["nextUri"]


def first_executing(client: httpx2.Client, text: str) -> str:
    """The address of the first page with rows."""
    page = client.post("/v1/statement", content=text.encode()).json()
    while "/executing/" not in page["nextUri"]:
        page = client.get(page["nextUri"]).json()
    uri = page["nextUri"]
    assert isinstance(uri, str)
    return uri
