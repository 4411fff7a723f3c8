"""Which engine takes what, and why."""

from __future__ import annotations

import pytest

from sqe.binding.bound import BoundMetadata, BoundReference, BoundStatement
from sqe.errors import ErrorCode, UserError
from sqe.model.query import EngineKind, Route, RouteCause
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.choose import asks_for_facts, choose
from sqe.routing.facts import LocalFacts, RoutingLimits
from sqe.sql.parse import parse

LIMITS = RoutingLimits(max_bytes=1000, max_files=10)


def guarded(sql: str, *, metadata: bool = False) -> GuardedStatement:
    statement = parse(sql)
    target = BoundMetadata("lake", "tables", ())
    references = tuple(BoundReference(r, target) for r in statement.references) if metadata else ()
    return GuardedStatement(BoundStatement(statement, references), {})


def route(sql: str, wanted: str = "auto", facts: LocalFacts | None = None) -> Route:
    return choose(guarded(sql), wanted, facts, LIMITS)


@pytest.mark.parametrize(
    "sql", ["SHOW TABLES", "EXPLAIN SELECT 1", "CREATE TEMP VIEW v AS SELECT 1"]
)
@pytest.mark.parametrize("wanted", ["auto", "local", "spark"])
def test_the_coordinator_answers_what_needs_no_engine(sql: str, wanted: str) -> None:
    found = route(sql, wanted)
    assert found.engine is EngineKind.COORDINATOR
    assert found.reason
    assert not asks_for_facts(guarded(sql), wanted)


def test_questions_about_metadata_alone_need_no_spark() -> None:
    query = guarded("SELECT * FROM information_schema.tables", metadata=True)
    assert not asks_for_facts(query, "auto")
    assert choose(query, "auto", None, LIMITS).engine is EngineKind.COORDINATOR
    assert choose(query, "spark", None, LIMITS).engine is EngineKind.SPARK


@pytest.mark.parametrize("sql", ["INSERT INTO t VALUES (1)", "CREATE TABLE t (a INT)"])
def test_spark_runs_everything_that_is_not_a_query(sql: str) -> None:
    assert not asks_for_facts(guarded(sql), "auto")
    assert route(sql).engine is EngineKind.SPARK


def test_a_proven_query_is_local_and_spark_stands_behind_it() -> None:
    found = route("SELECT 1", facts=LocalFacts(bytes=1000, files=10))
    assert found.engine is EngineKind.LOCAL
    assert found.fallback is EngineKind.SPARK
    assert "1000 bytes" in found.reason


def test_what_stands_in_the_way_is_the_reason_and_what_would_help_is_said() -> None:
    found = route("SELECT 1", facts=LocalFacts("it is Tuesday", "Wait."))
    assert found == Route(EngineKind.SPARK, "it is Tuesday", "Wait.", cause=RouteCause.UNPROVEN)


@pytest.mark.parametrize(
    ("facts", "word"),
    [(LocalFacts(bytes=1001), "max_bytes"), (LocalFacts(files=11), "max_files")],
)
def test_large_reads_are_sparks_and_the_setting_is_named(facts: LocalFacts, word: str) -> None:
    found = route("SELECT 1", facts=facts)
    assert (found.engine, found.cause) == (EngineKind.SPARK, RouteCause.SIZE)
    assert word in found.remedy
    assert route("SELECT 1", "local", facts).engine is EngineKind.LOCAL


def test_turned_off_everything_is_sparks() -> None:
    found = route("SELECT 1")
    assert (found.engine, found.cause) == (EngineKind.SPARK, RouteCause.TURNED_OFF)
    assert "turned off" in found.reason


def test_a_session_may_ask_for_spark() -> None:
    assert not asks_for_facts(guarded("SELECT 1"), "spark")
    assert route("SELECT 1", "spark").engine is EngineKind.SPARK


def test_a_session_that_asks_for_the_local_engine_gets_it_and_nothing_else() -> None:
    found = route("SELECT 1", "local", LocalFacts())
    assert (found.engine, found.fallback) == (EngineKind.LOCAL, None)


@pytest.mark.parametrize("facts", [None, LocalFacts("it is Tuesday")])
def test_forcing_the_local_engine_on_what_it_may_not_take_is_an_error(
    facts: LocalFacts | None,
) -> None:
    with pytest.raises(UserError) as raised:
        route("SELECT 1", "local", facts)
    assert raised.value.code is ErrorCode.NOT_SUPPORTED
    assert ("Tuesday" if facts else "turned off") in raised.value.message


def test_the_local_engine_only_reads() -> None:
    with pytest.raises(UserError) as raised:
        route("INSERT INTO t VALUES (1)", "local")
    assert raised.value.code is ErrorCode.NOT_SUPPORTED
    assert "insert" in raised.value.message
