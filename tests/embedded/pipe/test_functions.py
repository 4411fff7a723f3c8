"""Functions in SQL, on both engines and in both dialects: made, called, listed and dropped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Deny, Restrict, RowFilter
from sqe.model.masks import PartialMask
from sqe.model.query import ClientState, QueryRequest
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

EMP = "VALUES (1, 'it', 10, 0.5D), (2, 'hr', 20, 1.5D), (3, 'it', NULL, NULL), (4, NULL, 40, 2D)"


@pytest.fixture(scope="module")
def made(shared_lake: Lake) -> Lake:
    shared_lake.all(
        "CREATE SCHEMA functions",
        f"CREATE TABLE functions.emp AS SELECT * FROM {EMP} v(id, dept, pay, x)",
        "CREATE FUNCTION functions.top(d STRING) RETURNS INT COMMENT 'the best'"
        " RETURN (SELECT max(pay) FROM functions.emp WHERE dept = d)",
        "CREATE FUNCTION functions.plus(a INT, b INT DEFAULT 1) RETURNS INT RETURN a + b",
        "CREATE FUNCTION functions.of_dept(d STRING) RETURNS TABLE (id BIGINT, pay STRING)"
        " RETURN SELECT id, pay FROM functions.emp WHERE dept = d",
    )
    return shared_lake


@pytest.fixture
def mine(made: Lake) -> Iterator[Lake]:
    own = made.another_session(engine="auto")
    yield own
    own.close()


def trino(lake: Lake, sql: str) -> list[tuple[object, ...]]:
    gateway = lake.server.gateway
    client = ClientState("lake", "functions")
    with gateway.fetch(gateway.submit(QueryRequest(lake.session.id, sql, client=client))) as result:
        table = result.read_all()
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


CALLS = [
    (
        "SELECT functions.plus(id), functions.plus(pay, id) FROM functions.emp ORDER BY id",
        [(2, 11), (3, 22), (4, None), (5, 44)],
    ),
    (
        "SELECT id FROM functions.emp WHERE functions.plus(functions.plus(id)) > 4 ORDER BY id",
        [(3,), (4,)],
    ),
    (
        "SELECT sum(functions.plus(id)), functions.plus(CAST(sum(id) AS INT)) FROM functions.emp",
        [(14, 11)],
    ),
    (
        "SELECT functions.plus(id % 2) AS k, count(*) FROM functions.emp"
        " GROUP BY functions.plus(id % 2) ORDER BY k",
        [(1, 2), (2, 2)],
    ),
]
READS = [
    ("SELECT id, functions.top(dept) FROM functions.emp ORDER BY id",
     [(1, 10), (2, 20), (3, 10), (4, None)]),
    ("SELECT functions.top('it'), functions.plus(functions.top('hr'))", [(10, 21)]),
    ("SELECT id FROM functions.emp WHERE functions.top(dept) = pay ORDER BY id", [(1,), (2,)]),
    ("SELECT * FROM functions.of_dept('it') ORDER BY id", [(1, "10"), (3, None)]),
    ("SELECT v.d, f.id FROM VALUES ('it'), ('hr'), ('no') v(d), LATERAL functions.of_dept(v.d) f"
     " ORDER BY f.id", [("it", 1), ("hr", 2), ("it", 3)]),
    ("SELECT of_dept.id FROM functions.of_dept('hr')", [(2,)]),
]  # fmt: skip


@pytest.mark.parametrize("engine", ["spark", "auto"])
def test_calls_give_what_the_bodies_say(made: Lake, engine: str) -> None:
    lake = made.another_session(engine=engine)
    for sql, rows in CALLS + READS:
        assert lake.rows(sql) == rows, sql
    lake.close()


# What Spark's own plan of such a call is: the body over a projection of the arguments.
BODIES = [
    ("INT", "x + 1"),
    ("BIGINT", "x * f.x - coalesce(x, 0)"),
    ("STRING", "concat(s, '-', f.s, '-', x)"),
    ("DOUBLE", "y / 2 + x"),
    ("DECIMAL(10, 2)", "y * y"),
    ("BOOLEAN", "x > y OR s IS NULL"),
    ("STRING", "CASE WHEN x % 2 = 0 THEN upper(s) ELSE substr(s, 1, x) END"),
    ("DATE", "date_add(DATE '2024-02-28', x)"),
    ("ARRAY<INT>", "transform(array(x, x + 1), id -> id * x)"),
    ("INT", "(SELECT max(pay) FROM functions.emp WHERE dept = s)"),
    ("BIGINT", "(SELECT count(*) FROM functions.emp e WHERE e.id < f.x AND x > 0)"),
    ("INT", "(SELECT sum(id) FROM functions.emp WHERE id = f.x)"),
]
ARGUMENTS = [
    ("id", "x", "dept"),
    ("pay", "id", "'hr'"),
    ("x", "'1.25'", "id"),
    ("NULL", "NULL", "NULL"),
    ("coalesce(pay, id) + 1", "x * x", "concat(dept, id)"),
    ("CAST(id AS BIGINT)", "id % 3", "CASE WHEN id > 1 THEN 'it' END"),
]


@pytest.mark.parametrize("engine", ["spark", "auto"])
def test_a_call_is_its_body_over_its_arguments(made: Lake, engine: str) -> None:
    lake = made.another_session(engine=engine)
    for number, (returns, body) in enumerate(BODIES):
        lake.run(
            f"CREATE TEMPORARY FUNCTION f{number}(x INT, y DOUBLE, s STRING) RETURNS {returns} "
            f"RETURN {body.replace('f.', f'f{number}.')}"
        )
    for x, y, s in ARGUMENTS:
        calls = ", ".join(f"f{n}({x}, {y}, {s}) AS c{n}" for n in range(len(BODIES)))
        bodies = ", ".join(
            f"CAST({body} AS {kind}) AS c{n}" for n, (kind, body) in enumerate(BODIES)
        )
        arguments = f"CAST({x} AS INT) AS x, CAST({y} AS DOUBLE) AS y, CAST({s} AS STRING) AS s"
        called = lake.rows(f"SELECT {calls} FROM functions.emp ORDER BY id")
        projected = f"SELECT id AS row, {arguments} FROM functions.emp"
        assert called == made.rows(f"SELECT {bodies} FROM ({projected}) f ORDER BY row"), (x, y, s)
    lake.close()


def test_expressions_run_on_the_local_engine(mine: Lake) -> None:
    for sql, _ in CALLS:
        mine.run(sql)
        route = mine.last_record().route
        assert route is not None
        assert route.engine.value == "local", sql
    assert mine.run("SELECT functions.plus(1)").column_names == ["lake.functions.plus(1)"]


def test_a_temporary_function_is_the_session_s(mine: Lake, made: Lake) -> None:
    mine.all(
        "CREATE TEMPORARY VIEW few AS SELECT 7 AS a",
        "CREATE TEMPORARY FUNCTION of_view() RETURNS INT RETURN (SELECT max(a) FROM few)",
        "CREATE TEMPORARY FUNCTION inferred(x INT) RETURN x + 1.5",
    )
    assert mine.rows("SELECT of_view(), inferred(1), typeof(inferred(1))") == [
        (7, mine.value("SELECT 1 + 1.5"), "decimal(12,1)")
    ]
    assert made.fails("SELECT of_view()").code is ErrorCode.FUNCTION_NOT_FOUND
    again = "CREATE TEMPORARY FUNCTION of_view() RETURNS INT RETURN 8"
    assert mine.fails(again).code is ErrorCode.FUNCTION_ALREADY_EXISTS
    mine.run(again.replace("CREATE", "CREATE OR REPLACE"))
    assert mine.value("SELECT of_view()") == 8
    kept = "CREATE FUNCTION functions.f() RETURNS INT RETURN of_view()"
    assert "temporary function" in mine.fails(kept).message
    mine.run("DROP TEMPORARY FUNCTION of_view")
    assert mine.fails("SELECT of_view()").code is ErrorCode.FUNCTION_NOT_FOUND


def test_a_body_means_the_same_from_every_schema(mine: Lake) -> None:
    mine.all(
        "USE functions",
        "CREATE FUNCTION near() RETURNS BIGINT RETURN (SELECT count(*) FROM emp) + plus(0, 0)",
        "USE default",
        "CREATE TEMPORARY VIEW emp AS SELECT 1 AS a",
    )
    assert mine.value("WITH emp AS (SELECT 2) SELECT functions.near()") == 4
    mine.run("DROP FUNCTION functions.near")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("RETURNS INT RETURN nowhere", ErrorCode.COLUMN_NOT_FOUND),
        ("RETURNS INT RETURN (SELECT max(a) FROM functions.nowhere)", ErrorCode.TABLE_NOT_FOUND),
        ("RETURNS INT RETURN nowhere(x)", ErrorCode.FUNCTION_NOT_FOUND),
        ("RETURNS INT RETURN array(x)", ErrorCode.TYPE_MISMATCH),
        ("RETURNS TABLE (a INT, b INT) RETURN SELECT x", ErrorCode.INVALID_ARGUMENT),
    ],
)
def test_a_body_that_is_wrong_is_told_when_it_is_made(
    made: Lake, body: str, code: ErrorCode
) -> None:
    error = made.fails(f"CREATE FUNCTION functions.wrong(x INT) {body}")
    assert error.code is code, error
    assert made.rows("SHOW USER FUNCTIONS IN functions LIKE 'wrong'") == []


def test_functions_are_listed_described_and_dropped(made: Lake) -> None:
    names = {name for (name,) in made.rows("SHOW USER FUNCTIONS IN functions")}
    assert {"lake.functions.top", "lake.functions.plus"} <= names
    assert ("abs",) in made.rows("SHOW FUNCTIONS LIKE 'ab*'")
    told = dict(line.split(":", 1) for (line,) in made.rows("DESC FUNCTION EXTENDED functions.top"))
    assert told["Function"].strip() == "lake.functions.top"
    assert told["Comment"].strip() == "the best"
    assert "SELECT max(pay)" in told["Body"]
    text = made.value("SHOW CREATE FUNCTION functions.plus")
    made.all("DROP FUNCTION functions.plus", text)
    assert made.value("SELECT functions.plus(1)") == 2
    error = made.fails("DROP FUNCTION functions.nothing")
    assert error.code is ErrorCode.FUNCTION_NOT_FOUND
    made.run("DROP FUNCTION IF EXISTS functions.nothing")


def test_a_view_keeps_the_body_that_it_was_made_with(made: Lake) -> None:
    """Its owner's rights must not be lent to whoever replaces the function."""
    made.all(
        "CREATE FUNCTION functions.old() RETURNS INT RETURN 1",
        "CREATE VIEW functions.v AS SELECT functions.old() AS a",
        "CREATE OR REPLACE FUNCTION functions.old() RETURNS INT RETURN 2",
    )
    assert made.rows("SELECT a, functions.old() FROM functions.v") == [(1, 2)]
    made.run("DROP FUNCTION functions.old")
    assert made.rows("SELECT a FROM functions.v") == [(1,)]


def test_functions_go_with_their_schema(made: Lake) -> None:
    made.all("CREATE SCHEMA short", "CREATE FUNCTION short.f() RETURNS INT RETURN 1")
    assert made.fails("DROP SCHEMA short").code is ErrorCode.SCHEMA_NOT_EMPTY
    made.all("DROP SCHEMA short CASCADE", "CREATE SCHEMA short")
    assert made.fails("SELECT short.f()").code is ErrorCode.FUNCTION_NOT_FOUND
    made.run("DROP SCHEMA short")


IT = Restrict("it", filters=(RowFilter("dept = 'it'"),), masks={"dept": PartialMask(0, 0)})
TOP = "SELECT functions.top(dept), functions.plus(id) FROM functions.emp ORDER BY id"


@pytest.mark.parametrize("engine", ["spark", "auto"])
def test_a_body_is_read_with_the_caller_s_rights(made: Lake, engine: str) -> None:
    bob = made.another_session("bob", engine)
    with made.rules.on("lake.functions.emp", IT, user="bob"):
        assert bob.rows(TOP) == [(10, 2), (10, 4)]  # the mask equals itself
        assert bob.value("SELECT functions.top('it')") is None
        assert bob.rows("SELECT * FROM functions.of_dept('it')") == []
        assert "Body" not in str(bob.rows("DESCRIBE FUNCTION EXTENDED functions.top"))
        assert bob.fails("SHOW CREATE FUNCTION functions.top").code is ErrorCode.ACCESS_DENIED
    with made.rules.on("lake.functions.emp", Deny("no"), user="bob"):
        assert bob.fails("SELECT functions.top('it')").code is ErrorCode.ACCESS_DENIED
        assert bob.value("SELECT functions.plus(1)") == 2
        making = "CREATE FUNCTION functions.b() RETURNS INT RETURN (SELECT 1 FROM functions.emp)"
        assert bob.fails(making).code is ErrorCode.ACCESS_DENIED
    bob.close()


def test_rules_say_who_makes_and_who_calls(made: Lake) -> None:
    bob = made.another_session("bob")
    making = "CREATE FUNCTION functions.b() RETURNS INT RETURN 1"
    with made.rules.on("lake.functions.b", Deny("no"), user="bob"):
        assert bob.fails(making).code is ErrorCode.ACCESS_DENIED
    with made.rules.on("lake.functions.plus", Deny("no"), user="bob"):
        for sql in (
            "DROP FUNCTION functions.plus",
            "CREATE OR REPLACE FUNCTION functions.plus(a INT) RETURNS INT RETURN -a",
        ):
            assert bob.fails(sql).code is ErrorCode.ACCESS_DENIED
    with made.rules.showing(lambda identity, on: on.parts[1:2] != ("functions",)):
        assert bob.fails("SELECT functions.plus(1)").code is ErrorCode.FUNCTION_NOT_FOUND
    with made.rules.permitting(lambda identity, privilege, on: on.kind.value != "function"):
        assert bob.fails("SELECT functions.plus(1)").code is ErrorCode.FUNCTION_NOT_FOUND
        assert bob.rows("SHOW USER FUNCTIONS IN functions") == []
    bob.close()


def test_functions_in_trino_s_sql(mine: Lake) -> None:
    trino(
        mine,
        "CREATE FUNCTION lake.functions.ratio(a bigint, b bigint) RETURNS double COMMENT 'c' "
        "RETURN CASE WHEN b = 0 THEN NULL ELSE CAST(a AS double) / b END",
    )
    assert trino(mine, "SELECT lake.functions.ratio(1, 2), functions.ratio(1, 0)") == [(0.5, None)]
    assert mine.rows("SELECT functions.ratio(1, 4), functions.ratio(b => 0, a => 1)") == [
        (0.25, None)
    ]
    assert trino(mine, "SELECT lake.functions.top(dept), id FROM emp ORDER BY 2")[:2] == [
        (10, 1), (20, 2),
    ]  # fmt: skip
    listed = trino(mine, "SHOW FUNCTIONS FROM lake.functions LIKE 'ratio'")
    assert listed == [("ratio", "double", "bigint, bigint", "scalar", True, "c")]
    assert "RETURN CASE WHEN" in str(trino(mine, "SHOW CREATE FUNCTION lake.functions.ratio"))
    inline = (
        "WITH FUNCTION twice(a bigint) RETURNS bigint RETURN a * 2, "
        "FUNCTION next(a bigint) RETURNS bigint RETURNS NULL ON NULL INPUT RETURN twice(a) + 1 "
        "SELECT id, next(pay), next(NULL) FROM emp ORDER BY id"
    )
    assert trino(mine, inline) == [(1, 21, None), (2, 41, None), (3, None, None), (4, 81, None)]
    trino(mine, "DROP FUNCTION lake.functions.ratio(bigint, bigint)")
    assert mine.fails("SELECT functions.ratio(1, 2)").code is ErrorCode.FUNCTION_NOT_FOUND
