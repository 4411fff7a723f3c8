"""A lakehouse under test: the public surface of a server, in a few short calls."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sqe.errors import SqeError
from sqe.model.decision import Allow, Decision, Deny, TableFacts
from sqe.model.identity import Identity
from sqe.model.query import QueryRecord, QueryRequest
from sqe.model.rules import Object, Privilege
from sqe.policy.source import AllowAll
from sqe.server.build import Server
from sqe.sessions.session import Session

Permits = Callable[[Identity, Privilege, Object], bool]
Shows = Callable[[Identity, Object], bool]


class Rules(AllowAll):
    """A policy source whose answers a test sets; without one, everything is allowed."""

    name = "tests"

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str, str], Decision | Exception] = {}
        self._permits: Permits | None = None
        self._shows: Shows | None = None
        self._changes = 0

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        name = str(table.name)
        keys = product((name,), ("", table.privilege.value), (identity.user, ""))
        found = (self._answers[key] for key in keys if key in self._answers)
        answer = next(found, Allow("no rule"))
        if isinstance(answer, Exception):
            raise answer
        return answer

    @contextmanager
    def on(
        self, table: str, answer: Decision | Exception, privilege: str = "", user: str = ""
    ) -> Iterator[None]:
        """Without a ``privilege``, whatever is done with the table; without a ``user``, whoever
        does it."""
        key = (table, privilege, user)
        before = self._answers.get(key)
        self._answers[key] = answer
        self._changes += 1
        try:
            yield
        finally:
            del self._answers[key]
            if before is not None:
                self._answers[key] = before
            self._changes += 1

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        if self._permits is None:
            return super().permits(identity, privilege, on)
        return Allow("rule 7") if self._permits(identity, privilege, on) else Deny("rule 7")

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        if self._shows is None:
            return super().visible(identity, objects)
        return [self._shows(identity, one) for one in objects]

    @contextmanager
    def permitting(self, answer: Permits) -> Iterator[None]:
        """About everything that is not a table or view."""
        self._permits, self._changes = answer, self._changes + 1
        try:
            yield
        finally:
            self._permits, self._changes = None, self._changes + 1

    @contextmanager
    def showing(self, answer: Shows) -> Iterator[None]:
        """What users may know of."""
        self._shows, self._changes = answer, self._changes + 1
        try:
            yield
        finally:
            self._shows, self._changes = None, self._changes + 1

    def version(self) -> Hashable:
        return self._changes


@dataclass
class Lake:
    """One session on a server."""

    server: Server
    session: Session
    rules: Rules = field(default_factory=Rules)

    @property
    def home(self) -> Path:
        return self.server.settings.home

    @classmethod
    def open(
        cls, server: Server, rules: Rules | None = None, user: str = "ann", engine: str = "spark"
    ) -> Lake:
        """On Spark, unless the test is about the choice: these tests are about the way there."""
        session = server.gateway.open_session(Identity(user))
        session.set_property("sqe.engine", engine)
        return cls(server, session, rules or Rules())

    def another_session(self, user: str = "ann", engine: str = "spark") -> Lake:
        return Lake.open(self.server, self.rules, user, engine)

    def submit(self, sql: str) -> str:
        return self.server.gateway.submit(QueryRequest(self.session.id, sql, source="tests"))

    def run(self, sql: str) -> pa.Table:
        with self.server.gateway.fetch(self.submit(sql)) as result:
            return result.read_all()

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        table = self.run(sql)
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))

    def value(self, sql: str) -> Any:
        ((value,),) = self.rows(sql)
        return value

    def all(self, *statements: str) -> None:
        for sql in statements:
            self.run(sql)

    def fails(self, sql: str) -> SqeError:
        with pytest.raises(SqeError) as raised:
            self.run(sql)
        return raised.value

    def explained(self, sql: str) -> str:
        return str(self.value(sql))

    def record(self, query_id: str) -> QueryRecord:
        return self.server.gateway.record(query_id)

    def last_record(self) -> QueryRecord:
        return self.server.gateway.records()[-1]

    def close(self) -> None:
        self.session.close()


def until(condition: Callable[[], object], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def query_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("query-")]
