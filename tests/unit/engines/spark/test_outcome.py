"""What is said of a statement that Spark did not end well is what the broker knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from sqe.binding.binder import Binder
from sqe.broker.handles import GrantedTable, HandleGrant, make_grant
from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Catalog, Ident, Loaded
from sqe.engines.protocol import Run
from sqe.engines.spark.outcome import report_written, settle_result
from sqe.errors import ErrorCode, SqeError, UpstreamError, error_of
from sqe.model.decision import Allow
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.rewrite.guard import guard
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.needs import needs_of
from sqe.sessions.store import SessionStore
from sqe.sql.parse import parse
from sqe.sql.statement import Access
from sqe.sql.text import TextLimits

HERE = SchemaName("lake", ("s",))
LOST = UpstreamError(ErrorCode.ENGINE_LOST, "Spark ended.", hint="Run it again.")
SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "a", "type": "int", "required": False}]}


class Blind:
    """A catalog that cannot even say what is wrong."""

    def load_table(self, ident: Ident) -> Loaded:
        raise OSError("no route")


World = Callable[[str], tuple[GuardedStatement, HandleGrant]]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A statement over lake.s.t and its grant."""
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w", name="lake")
    catalog.create_namespace(("s",), {})
    catalog.create_table(("s",), {"name": "t", "schema": SCHEMA})
    session = SessionStore(HERE).open(Identity("ann"))
    binder = Binder(ConfiguredCatalogs({"lake": catalog}), TextLimits())

    def make(sql: str) -> tuple[GuardedStatement, HandleGrant]:
        bound = binder.bind(parse(sql), session)
        allowed = {need.key: Allow("test") for need in needs_of(bound)}
        name = RelationName(HERE, "t")
        table = GrantedTable(name, Ident(("s",), "t"), catalog, frozenset({Access.WRITE}))
        return guard(bound, allowed), make_grant([table])

    yield make
    catalog.close()


def told(error: SqeError, statement: GuardedStatement, grant: HandleGrant) -> SqeError:
    with pytest.raises(SqeError) as raised:
        settle_result(error, statement, grant)
    return raised.value


def only(grant: HandleGrant) -> GrantedTable:
    (table,) = grant.tables.values()
    return table


def test_a_write_whose_commit_arrived_has_succeeded(world: World) -> None:
    statement, grant = world("INSERT INTO t VALUES (1)")
    with only(grant).fate.change():
        pass
    assert list(settle_result(LOST, statement, grant)) == []


def test_a_write_without_a_commit_has_left_nothing(world: World) -> None:
    statement, grant = world("INSERT INTO t VALUES (1)")
    error = told(LOST, statement, grant)
    assert error.code is ErrorCode.ENGINE_LOST
    assert "Nothing was written." in str(error)


def test_nobody_claims_to_know_what_the_catalog_did_not_say(world: World) -> None:
    statement, grant = world("INSERT INTO t VALUES (1)")
    failure = UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "The disk is gone.")
    with pytest.raises(UpstreamError), only(grant).fate.change():
        raise failure
    error = told(error_of(ErrorCode.COMMIT_UNKNOWN, "The disk is gone."), statement, grant)
    assert error.code is ErrorCode.COMMIT_UNKNOWN
    assert "not known" in str(error)
    assert "lake.s.t.snapshots" in str(error)


def test_a_conflict_names_the_table_and_no_files(world: World) -> None:
    statement, grant = world("UPDATE t SET a = 1")
    spark = error_of(ErrorCode.COMMIT_CONFLICT, "Found conflicting files [/w/1.parquet]")
    error = told(spark, statement, grant)
    assert error.code is ErrorCode.COMMIT_CONFLICT
    assert "lake.s.t was changed by someone else" in str(error)
    assert "parquet" not in str(error)


def test_several_changes_are_no_success_and_may_not_be_run_again(world: World) -> None:
    statement, grant = world("ALTER TABLE t ADD COLUMN b INT")
    with only(grant).fate.change():
        pass
    spark = error_of(ErrorCode.COMMIT_CONFLICT, "Cannot commit")
    error = told(spark, statement, grant)
    assert error.code is ErrorCode.ENGINE_ERROR
    assert "committed before stays" in str(error)


def test_a_catalog_that_fails_when_it_is_asked_leaves_a_commit_unknown(world: World) -> None:
    statement, grant = world("INSERT INTO t VALUES (1)")
    table = only(grant)
    gone = UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "The disk is gone.")
    with pytest.raises(UpstreamError), table.fate.change([7]):
        raise gone
    blind = replace(table, catalog=cast(Catalog, Blind()), commits=table.commits, fate=table.fate)
    written: list[object] = []
    run = Run("q1", SessionStore(HERE).open(Identity("ann")), wrote=written.extend)
    report_written([blind], run, in_transaction=False)
    assert written == []
    assert told(gone, statement, grant).code is ErrorCode.COMMIT_UNKNOWN
