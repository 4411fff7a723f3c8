"""What the user wrote is never evaluated on a row that a guard removes, whatever the optimizer
does: every value that would make it fail stands in a hidden row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sqe.binding.bound import BoundStatement, BoundView
from sqe.engines.protocol import Run
from sqe.errors import ErrorCode, UserError
from sqe.model.decision import Restrict, RowFilter
from sqe.model.masks import ExpressionMask
from sqe.model.query import EngineKind, QueryRequest
from sqe.rewrite.guarded import GuardedStatement
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

# One that Iceberg takes into its scan, one that it does not, one that becomes a join.
FILTERS = {
    "pushed": "d = 'a'",
    "not pushed": "concat(d, '') = 'a'",
    "joined": "d IN (SELECT d FROM lake.barrier.allowed)",
}


@pytest.fixture(scope="module")
def hidden(shared_lake: Lake) -> Lake:
    """``barrier.t``: what is not of ``a`` makes every expression below fail."""
    shared_lake.all(
        "CREATE SCHEMA barrier",
        "CREATE TABLE barrier.t (id INT, s STRING, n INT, d STRING)",
        "INSERT INTO barrier.t VALUES (1, '1', 1, 'a'), (2, 'x', 0, 'b'), (3, '3', 3, 'a'),"
        " (4, 'y', 0, 'b')",
        "CREATE TABLE barrier.copy AS SELECT * FROM barrier.t WHERE d = 'a'",
        "CREATE TABLE barrier.allowed AS SELECT 'a' AS d",
        "CREATE TABLE barrier.u AS SELECT * FROM VALUES (1, 1), (3, 3), (5, 5) AS v(id, k)",
        "CREATE VIEW barrier.over AS SELECT id, CAST(s AS INT) AS i, 10 / n AS q FROM barrier.t",
        "CREATE VIEW barrier.over_copy AS SELECT id, CAST(s AS INT) AS i, 10 / n AS q"
        " FROM barrier.copy",
    )
    return shared_lake


@pytest.fixture(params=["spark", "auto"])
def mine(hidden: Lake, request: pytest.FixtureRequest) -> Iterator[Lake]:
    own = hidden.another_session(engine=request.param)
    own.run("USE barrier")
    yield own
    own.close()


FAILING = [
    "SELECT id FROM {t} WHERE CAST(s AS INT) > 0 ORDER BY id",
    "SELECT id FROM {t} WHERE 10 / n > 0 ORDER BY id",
    "SELECT id FROM {t} WHERE s = id ORDER BY id",
    "SELECT id FROM (SELECT id, 10 / n AS q FROM {t}) WHERE q > 0 ORDER BY id",
    "SELECT t.id FROM {t} t JOIN u ON CAST(t.s AS INT) = u.k ORDER BY id",
    "SELECT t.id FROM u LEFT JOIN {t} t ON 1 / t.n > 0 AND t.id = u.id ORDER BY 1",
    "SELECT id FROM u WHERE k IN (SELECT CAST(s AS INT) FROM {t}) ORDER BY id",
    "SELECT id FROM u WHERE EXISTS (SELECT 1 FROM {t} t WHERE CAST(t.s AS INT) = u.k) ORDER BY 1",
    "SELECT id, (SELECT max(t.id) FROM {t} t WHERE CAST(t.s AS INT) = u.k) m FROM u ORDER BY id",
    "SELECT u.id, l.x FROM u, LATERAL (SELECT t.id AS x FROM {t} t WHERE CAST(t.s AS INT) = u.k) l"
    " ORDER BY 1",
    "SELECT s, count(*) AS c FROM {t} GROUP BY s HAVING CAST(s AS INT) > 0 ORDER BY s",
    "SELECT id FROM {t} WHERE if(n = 0, raise_error('hidden ' || s), true) ORDER BY id",
    "SELECT id FROM {t} WHERE assert_true(n > 0) IS NULL ORDER BY id",
    "SELECT CAST(s AS INT) AS i FROM {t} INTERSECT SELECT k FROM u ORDER BY 1",
    "WITH w AS (SELECT id, CAST(s AS INT) i FROM {t}) SELECT a.id FROM w a JOIN w b ON a.i = b.i"
    " ORDER BY 1",
    "SELECT * FROM (SELECT id, rank() OVER (PARTITION BY CAST(s AS INT) ORDER BY id) r FROM {t})"
    " WHERE r = 1 ORDER BY id",
    "SELECT id FROM {t} WHERE id NOT IN (SELECT CAST(s AS INT) + 1 FROM {t}) ORDER BY id",
    "SELECT id FROM {over} WHERE i > 0 AND q > 0 ORDER BY id",
    "SELECT sum(CAST(s AS INT)) FILTER (WHERE 1 / n > 0) AS x FROM {t}",
    "SELECT CAST(s AS INT) AS i FROM {t} WHERE n > 0 ORDER BY 10 / n",
]


@pytest.mark.parametrize("sql", FAILING)
@pytest.mark.parametrize("condition", FILTERS.values(), ids=FILTERS)
def test_nothing_fails_because_of_a_hidden_row(mine: Lake, condition: str, sql: str) -> None:
    expected = mine.rows(sql.format(t="copy", over="over_copy"))
    with mine.rules.on("lake.barrier.t", Restrict("test", (RowFilter(condition),))):
        assert mine.rows(sql.format(t="t", over="over")) == expected


@pytest.mark.parametrize("condition", FILTERS.values(), ids=FILTERS)
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM u WHERE k IN (SELECT CAST(s AS INT) + 100 FROM t)",
        "UPDATE u SET k = k WHERE EXISTS (SELECT 1 FROM t WHERE CAST(t.s AS INT) = u.k)",
        "MERGE INTO u USING t ON u.k = CAST(t.s AS INT) WHEN MATCHED AND 1 / t.n > 0"
        " THEN UPDATE SET id = u.id",
    ],
)
def test_a_barrier_stands_wherever_a_write_reads(hidden: Lake, condition: str, sql: str) -> None:
    own = hidden.another_session()
    own.run("USE barrier")
    with hidden.rules.on("lake.barrier.t", Restrict("test", (RowFilter(condition),))):
        own.run(sql)
    assert own.rows("SELECT id FROM u ORDER BY id") == [(1,), (3,), (5,)]
    own.close()


def test_what_fails_for_a_row_that_is_shown_fails(mine: Lake) -> None:
    with mine.rules.on("lake.barrier.t", Restrict("test", (RowFilter("d = 'b'"),))):
        error = mine.fails("SELECT id FROM t WHERE CAST(s AS INT) > 0")
    assert error.code is ErrorCode.INVALID_CAST


def _without_barriers(bound: BoundStatement) -> BoundStatement:
    references = []
    for one in bound.references:
        target = one.target
        if isinstance(target, BoundView):
            target = replace(target, inner=_without_barriers(target.inner))
            if target.guard is not None:
                target = replace(target, guard=replace(target.guard, barrier=False))
        references.append(replace(one, target=target))
    return replace(bound, references=tuple(references))


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("CAST(s AS INT) > 0", ErrorCode.INVALID_CAST),
        ("10 / n > 0", ErrorCode.DIVISION_BY_ZERO),
        ("if(n = 0, raise_error('hidden ' || s), true)", ErrorCode.USER_ERROR),
    ],
)
def test_without_its_barrier_a_guard_would_tell_of_hidden_rows(
    hidden: Lake, condition: str, code: ErrorCode
) -> None:
    """So that the tests above cannot pass by luck."""
    pipeline = hidden.server.gateway._pipeline
    text = f"SELECT id FROM barrier.t WHERE {condition}"
    request = QueryRequest(hidden.session.id, text)
    with hidden.rules.on("lake.barrier.t", Restrict("test", (RowFilter(FILTERS["joined"]),))):
        guarded = pipeline.plan(request, hidden.session, lambda stage: _Nothing()).guarded_statement
    bare = GuardedStatement(_without_barriers(guarded.bound), guarded.decisions)
    assert bare != guarded
    with pytest.raises(UserError) as raised:
        engine = pipeline.runner.engines[EngineKind.SPARK]
        engine.prepare(bare, hidden.session).run(Run("test", hidden.session)).read_all()
    assert raised.value.code is code


class _Nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...


def test_filters_that_cannot_fail_are_pushed_into_the_scan(hidden: Lake) -> None:
    pipeline = hidden.server.gateway._pipeline
    engine = pipeline.runner.engines[EngineKind.SPARK]
    plans = []
    for sql in ("s = '1' AND id > 0", "CAST(s AS INT) = 1 AND id > 0"):
        request = QueryRequest(hidden.session.id, f"SELECT id FROM barrier.t WHERE {sql}")
        with hidden.rules.on("lake.barrier.t", Restrict("test", (RowFilter("d = 'a'"),))):
            guarded = pipeline.plan(
                request, hidden.session, lambda stage: _Nothing()
            ).guarded_statement
            plans.append(
                engine.prepare(guarded, hidden.session).explain(Run("test", hidden.session)).plan
            )
    pushed = [plan.partition(" filters=")[2] for plan in plans]
    assert "Sample" not in plans[0] and "d = 'a', s = '1', id > 0" in pushed[0]
    assert "Sample" in plans[1] and "d = 'a'" in pushed[1] and "id > 0" not in pushed[1]


def test_a_mask_is_no_oracle(mine: Lake) -> None:
    """What is asked of a masked column is asked of the mask, on every row that is shown."""
    masked = Restrict(
        "test", (RowFilter("d = 'a'"),), {"s": ExpressionMask("concat('*', right(s, 1))")}
    )
    with mine.rules.on("lake.barrier.t", masked):
        assert mine.rows("SELECT id FROM t WHERE s IN ('1', 'x', '*x')") == []
        assert mine.rows("SELECT id FROM t WHERE s = '*1'") == [(1,)]
        error = mine.fails("SELECT id FROM t WHERE CAST(s AS INT) > 0")
    assert error.code is ErrorCode.INVALID_CAST and "'*" in error.message
