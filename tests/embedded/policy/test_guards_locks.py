"""Lock 5 and the local engine hold by themselves: as if the rewrite had forgotten a guard."""

from __future__ import annotations

import pytest

from sqe.access.control import decisions_on
from sqe.engines.protocol import Run
from sqe.errors import ErrorCode, InternalError
from sqe.model.decision import Restrict, RowFilter
from sqe.model.query import EngineKind
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.parse import parse
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

PART = Restrict("test", (RowFilter("id = 1"),))


@pytest.fixture(scope="module")
def locked(shared_lake: Lake) -> Lake:
    shared_lake.all(
        "CREATE SCHEMA locked",
        "CREATE TABLE locked.t AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(id, s)",
        "CREATE TABLE locked.u AS SELECT 1 AS id",
        "CREATE VIEW locked.v AS SELECT id FROM locked.t",
    )
    return shared_lake


def _unguarded(lake: Lake, sql: str) -> GuardedStatement:
    """Bound and decided, and no guard put in place."""
    pipeline = lake.server.gateway._pipeline
    bound = pipeline.guarding.binder.bind(parse(sql), lake.session)
    with lake.rules.on("lake.locked.t", PART):
        return GuardedStatement(
            bound, decisions_on(pipeline.access.policy, bound, lake.session.identity)
        )


NAMED = [
    "SELECT * FROM locked.t",
    "SELECT * FROM locked.v",
    "SELECT 1 WHERE 2 IN (SELECT id FROM locked.t)",
    "WITH w AS (SELECT * FROM locked.t) SELECT count(*) FROM w",
    "SELECT * FROM locked.u JOIN locked.t ON u.id = t.id",
    "SELECT * FROM locked.t VERSION AS OF 'main'",
    "SELECT '\n+- SubqueryAlias guard_x\n   +- ' AS x FROM locked.t",
    "INSERT INTO locked.u SELECT id FROM locked.t",
    "CREATE TABLE locked.w AS SELECT id FROM locked.t",
    "DELETE FROM locked.u WHERE id IN (SELECT id FROM locked.t)",
    "MERGE INTO locked.u USING locked.t ON u.id = t.id WHEN MATCHED THEN DELETE",
]


@pytest.mark.parametrize("sql", NAMED)
def test_the_plan_of_a_forgotten_guard_is_refused(locked: Lake, sql: str) -> None:
    engine = locked.server.gateway._pipeline.runner.engines[EngineKind.SPARK]
    with pytest.raises(InternalError) as raised:
        prepared = engine.prepare(_unguarded(locked, sql), locked.session)
        prepared.run(Run("test", locked.session)).read_all()
    assert raised.value.code is ErrorCode.PLAN_REFUSED
    assert locked.rows("SELECT * FROM locked.u") == [(1,)]


@pytest.mark.parametrize("sql", NAMED[:5])
def test_the_local_engine_reads_nothing_without_its_guard(locked: Lake, sql: str) -> None:
    engine = locked.server.gateway._pipeline.runner.engines[EngineKind.LOCAL]
    with pytest.raises(InternalError):
        prepared = engine.prepare(_unguarded(locked, sql), locked.session)
        prepared.run(Run("test", locked.session)).read_all()


def test_a_table_beside_its_own_guard_is_still_guarded(locked: Lake) -> None:
    """One reference has its guard, the other has lost it."""
    pipeline = locked.server.gateway._pipeline
    sql = "SELECT a.id FROM locked.t a JOIN locked.t b ON a.id = b.id"
    bare = _unguarded(locked, sql)
    with locked.rules.on("lake.locked.t", PART):
        whole = pipeline.guarding.guards.guard(bare.bound, bare.decisions, locked.session).bound
    half = (whole.references[0], bare.bound.references[1])
    mixed = GuardedStatement(type(whole)(whole.statement, half), bare.decisions)
    with pytest.raises(InternalError) as raised:
        engine = pipeline.runner.engines[EngineKind.SPARK]
        engine.prepare(mixed, locked.session).run(Run("test", locked.session)).read_all()
    assert raised.value.code is ErrorCode.PLAN_REFUSED
