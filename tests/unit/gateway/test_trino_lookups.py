"""A statement in Trino's SQL is parsed once as Spark's, however many tables it reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sqe.gateway.pipeline import Pipeline
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import ClientState, QueryRequest
from sqe.model.stages import do_not_time
from sqe.model.variables import Variables
from sqe.server.build import build
from sqe.sessions.store import SessionStore
from sqe.settings import Settings
from sqe.settings.settings import LogSettings
from sqe.sql.parser import Parser
from sqe.sql.statement import Statement
from sqe.sql.text import TextLimits
from sqe.trino.trino_dialect import TRINO
from tests.unit.coordinator.lake import SIMPLE

TABLES = ("t", "u", "v")


class CountingParser(Parser):
    def __init__(self) -> None:
        super().__init__(TextLimits())
        self.texts: list[str] = []

    def parse(self, text: str, variables: Variables) -> Statement:
        self.texts.append(text)
        return super().parse(text, variables)


@pytest.fixture
def pipeline(tmp_path: Path) -> Iterator[Pipeline]:
    settings = Settings(home=tmp_path / "home", log=LogSettings(audit=False))
    with closing(build(settings)) as server:
        lake = server.catalogs.open("lake", Identity("ann"))
        for name in TABLES:
            lake.create_table(("default",), {"name": name, "schema": SIMPLE})
        yield server.gateway._pipeline


def test_tables_are_looked_up_without_texts_of_their_own(pipeline: Pipeline) -> None:
    parser = CountingParser()
    text = "SELECT t.a FROM t JOIN u ON t.a = u.a WHERE t.a IN (SELECT a FROM v)"
    client = ClientState(catalog="lake", schema="default", dialect=TRINO)
    session = SessionStore(SchemaName("lake", ("default",))).open(Identity("ann"))
    request = QueryRequest(session.id, text, client=client)
    planned = replace(pipeline, parser=parser).plan(request, session, do_not_time)
    read = {str(one.relation) for one in planned.guarded_statement.bound.walk()}
    assert read == {f"lake.default.{name}" for name in TABLES}
    assert len(parser.texts) == 1
