"""Which engine takes what, and why."""

from __future__ import annotations

import pytest

from sqe.catalog.bound import BoundMetadata, BoundReference, BoundStatement
from sqe.errors import ErrorCode, UserError
from sqe.model.query import EngineKind
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.choose import choose
from sqe.sql.parse import parse


def guarded(sql: str, *, metadata: bool = False) -> GuardedStatement:
    statement = parse(sql)
    target = BoundMetadata("lake", "tables", ())
    references = tuple(BoundReference(r, target) for r in statement.references) if metadata else ()
    return GuardedStatement(BoundStatement(statement, references), {})


@pytest.mark.parametrize(
    "sql", ["SHOW TABLES", "EXPLAIN SELECT 1", "CREATE TEMP VIEW v AS SELECT 1"]
)
def test_the_coordinator_answers_what_needs_no_engine(sql: str) -> None:
    route = choose(guarded(sql), "spark")
    assert route.engine is EngineKind.COORDINATOR
    assert route.reason


def test_questions_about_metadata_alone_need_no_spark() -> None:
    query = guarded("SELECT * FROM information_schema.tables", metadata=True)
    assert choose(query).engine is EngineKind.COORDINATOR
    assert choose(query, "spark").engine is EngineKind.SPARK


@pytest.mark.parametrize("sql", ["SELECT 1", "INSERT INTO t VALUES (1)", "CREATE TABLE t (a INT)"])
def test_spark_runs_the_rest(sql: str) -> None:
    assert choose(guarded(sql)).engine is EngineKind.SPARK


def test_a_session_may_ask_for_the_local_engine() -> None:
    assert choose(guarded("SELECT 1"), "local").engine is EngineKind.LOCAL


def test_the_local_engine_only_reads() -> None:
    with pytest.raises(UserError) as raised:
        choose(guarded("INSERT INTO t VALUES (1)"), "local")
    assert raised.value.code is ErrorCode.NOT_SUPPORTED
    assert "insert" in raised.value.message
