"""A lakehouse under test: the public surface of a server, in a few short calls."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sqe.errors import SqeError
from sqe.model.decision import Allow, Decision, TableFacts
from sqe.model.identity import Identity
from sqe.model.query import QueryRecord, QueryRequest
from sqe.policy.source import AllowAll
from sqe.server.build import Server
from sqe.sessions.session import Session


class Rules(AllowAll):
    """A policy source whose answers a test sets; without one, everything is allowed."""

    name = "tests"

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str], Decision | Exception] = {}
        self._changes = 0

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        name = str(table.name)
        privilege = table.privilege.value
        answer = self._answers.get((name, "")) or self._answers.get((name, privilege))
        answer = answer or Allow("no rule")
        if isinstance(answer, Exception):
            raise answer
        return answer

    @contextmanager
    def on(self, table: str, answer: Decision | Exception, privilege: str = "") -> Iterator[None]:
        """Without a ``privilege``, whatever is done with the table."""
        self._answers[(table, privilege)] = answer
        self._changes += 1
        try:
            yield
        finally:
            del self._answers[(table, privilege)]
            self._changes += 1

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
