"""Session variables: Spark's values and names, on both engines, under every guard."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Restrict, RowFilter
from sqe.model.masks import NullMask
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

HIDDEN = Restrict("hidden", filters=(RowFilter("dept = 'it'"),), hidden=frozenset({"pay"}))
MASKED = Restrict("masked", masks={"pay": NullMask()})


@pytest.fixture(scope="module")
def table(shared_lake: Lake) -> Iterator[Lake]:
    shared_lake.all(
        "CREATE SCHEMA variables",
        "CREATE TABLE variables.emp AS SELECT * FROM VALUES (1, 'it', 10), (2, 'hr', 20)"
        " AS v(id, dept, pay)",
        "CREATE VIEW variables.broken AS SELECT id, pay FROM variables.emp",
    )
    yield shared_lake


@pytest.fixture(params=["spark", "auto"])
def lake(table: Lake, request: pytest.FixtureRequest) -> Iterator[Lake]:
    own = table.another_session("ann", request.param)
    yield own
    own.close()


def test_a_variable_has_the_type_it_was_declared_with(lake: Lake) -> None:
    lake.all(
        "DECLARE i SMALLINT DEFAULT 1 + 1",
        "DECLARE OR REPLACE VARIABLE d = 1.50",
        "DECLARE VARIABLE t TIMESTAMP = TIMESTAMP '2024-01-01 12:00:00 Europe/Vienna'",
        "DECLARE a, b ARRAY<STRING> = array('x''y', NULL)",
        "SET VARIABLE i = 3.7, session.b = array(d)",
    )
    assert lake.rows("SELECT i, typeof(i) AS k, d, typeof(d) AS l, a, system.session.b") == [
        (3, "smallint", Decimal("1.50"), "decimal(3,2)", ["x'y", None], ["1.50"])
    ]
    noon = datetime.datetime(2024, 1, 1, 11, tzinfo=datetime.UTC)
    assert lake.value("SELECT t") == noon
    assert lake.run("SELECT I, session.d, i AS c").column_names == ["I", "d", "c"]
    assert lake.fails("SET VARIABLE i = 100000").code is ErrorCode.NUMERIC_OUT_OF_RANGE
    assert lake.fails("SET VARIABLE i = 'no'").code is ErrorCode.INVALID_CAST
    assert lake.value("SELECT i") == 3


def test_a_row_of_a_query_sets_variables(lake: Lake) -> None:
    lake.all("DECLARE x INT = 7", "DECLARE y STRING = 'y' || x", "DECLARE z INT")
    lake.run("SET VARIABLE (x, y) = (SELECT id, dept FROM variables.emp WHERE id = 2)")
    assert lake.rows("SELECT x, y, z") == [(2, "hr", None)]
    lake.run("SET VAR x = (SELECT max(id) + x FROM variables.emp), y = DEFAULT, z = x")
    assert lake.rows("SELECT x, y, z") == [(4, "y2", 2)]
    lake.run("SET VARIABLE (x) = (SELECT id FROM variables.emp WHERE id > 9)")
    assert lake.value("SELECT x") is None
    many = lake.fails("SET VARIABLE (x) = (SELECT id FROM variables.emp)")
    assert "more than one row" in many.message
    few = lake.fails("SET VARIABLE (x, y) = (SELECT 1)")
    assert few.code is ErrorCode.INVALID_ARGUMENT


def test_variables_stand_wherever_constants_do(lake: Lake) -> None:
    lake.all("DECLARE n INT = 2", "DECLARE w STRING = 'hr'", "DECLARE e STRING = 'variables.emp'")
    assert lake.rows("SELECT id FROM variables.emp WHERE dept = w AND id IN (n)") == [(2,)]
    assert lake.rows("SELECT id FROM variables.emp ORDER BY id DESC LIMIT n - 1") == [(2,)]
    assert lake.rows("SELECT pay FROM variables.emp ORDER BY n, id") == [(10,), (20,)]
    assert lake.rows("SELECT id FROM IDENTIFIER(e) WHERE id = n") == [(2,)]
    assert lake.rows("EXECUTE IMMEDIATE 'SELECT dept FROM ' || e || ' WHERE id = ?' USING n") == [
        ("hr",)
    ]
    lake.run("EXECUTE IMMEDIATE 'SELECT min(id), max(dept) FROM variables.emp' INTO n, w")
    assert lake.rows("SELECT n, w") == [(1, "it")]
    lake.run("CREATE TEMPORARY VIEW mine AS SELECT id, w AS word FROM variables.emp WHERE id = n")
    assert lake.rows("SELECT * FROM mine") == [(1, "it")]
    lake.run("SET VARIABLE n = 2")
    assert lake.rows("SELECT * FROM mine") == [(2, "it")]
    assert "Engine" in str(lake.value("EXPLAIN SELECT n FROM variables.emp"))


def test_writes_take_them(table: Lake) -> None:
    with closing(table.another_session()) as lake:
        lake.all(
            "CREATE TABLE variables.w (id INT, name STRING)",
            "DECLARE n INT = 2",
            "DECLARE s STRING = 'a'",
            "INSERT INTO variables.w VALUES (n, s), (n + 1, s)",
            "UPDATE variables.w SET name = s || id WHERE id > n",
            "DELETE FROM variables.w WHERE id = n",
            "MERGE INTO variables.w USING (SELECT n AS id) u ON w.id = u.id"
            " WHEN NOT MATCHED THEN INSERT (id, name) VALUES (u.id, s)",
            "CREATE TABLE variables.made AS SELECT n, s AS t",
        )
        assert lake.rows("SELECT * FROM variables.w ORDER BY id") == [(2, "a"), (3, "a3")]
        assert lake.rows("SELECT n AS v, t FROM variables.made WHERE n = session.n") == [(2, "a")]
        lake.all("DROP TABLE variables.w", "DROP TABLE variables.made")


def test_columns_win_and_hidden_ones_do_not(lake: Lake) -> None:
    lake.all("DECLARE pay INT = 99", "DECLARE id INT = 98")
    query = "SELECT max(pay) AS p, max(session.pay) AS s FROM variables.emp"
    assert lake.rows(query) == [(20, 99)]
    with lake.rules.on("lake.variables.emp", HIDDEN):
        # As if there were no such column, which is how nobody finds out.
        assert lake.rows("SELECT max(pay) AS p FROM variables.emp") == [(99,)]
        lake.run("DROP TEMPORARY VARIABLE pay")
        assert lake.fails("SELECT pay FROM variables.emp").code is ErrorCode.COLUMN_NOT_FOUND
        lake.run("DECLARE pay INT = 99")
        # A kept view means its own columns, never its reader's variables.
        assert lake.fails("SELECT pay FROM variables.broken").code is ErrorCode.ACCESS_DENIED


def test_what_a_catalog_keeps_knows_no_variables(table: Lake) -> None:
    with closing(table.another_session()) as lake:
        lake.all(
            "CREATE TABLE variables.src (a INT, b INT)",
            "CREATE VIEW variables.kept AS SELECT a, b FROM variables.src",
            "CREATE MATERIALIZED VIEW variables.rows AS SELECT a, b FROM variables.src",
            "ALTER TABLE variables.src DROP COLUMN b",
            "INSERT INTO variables.src VALUES (1)",
            "DECLARE b INT = 7",
        )
        assert lake.rows("SELECT a, b FROM variables.src") == [(1, 7)]
        assert lake.fails("SELECT * FROM variables.kept").code is ErrorCode.COLUMN_NOT_FOUND
        refresh = lake.fails("REFRESH MATERIALIZED VIEW variables.rows")
        assert refresh.code is ErrorCode.COLUMN_NOT_FOUND, refresh
        lake.all("DROP MATERIALIZED VIEW variables.rows", "DROP VIEW variables.kept")


def test_a_variable_holds_what_its_user_may_read(lake: Lake) -> None:
    lake.all("DECLARE dept STRING = 'hr'", "DECLARE n INT", "DECLARE m INT = 5")
    with lake.rules.on("lake.variables.emp", HIDDEN):
        # The filter's own ``dept`` is the table's.
        assert lake.rows("SELECT id FROM variables.emp") == [(1,)]
        lake.run("SET VARIABLE n = (SELECT count(*) FROM variables.emp)")
        assert lake.value("SELECT n") == 1
    with lake.rules.on("lake.variables.emp", MASKED):
        lake.run("SET VARIABLE m = (SELECT max(pay) FROM variables.emp)")
        assert lake.value("SELECT m") is None
        lake.run("EXECUTE IMMEDIATE 'SELECT max(pay) FROM variables.emp' INTO m")
        assert lake.value("SELECT m") is None


def test_variables_end_with_their_session(table: Lake, lake: Lake) -> None:
    lake.run("DECLARE mine INT = 1")
    assert table.fails("SELECT mine").code is ErrorCode.COLUMN_NOT_FOUND
    assert lake.fails("DECLARE mine INT").code is ErrorCode.VARIABLE_ALREADY_EXISTS
    assert lake.fails("SET mine = 5").code is ErrorCode.NOT_SUPPORTED
    for text in ("CREATE VIEW variables.v AS SELECT mine", "CREATE VIEW variables.v AS SELECT"
                 " session.mine AS c", "CREATE TEMPORARY VIEW v AS SELECT mine + 1"):  # fmt: skip
        assert "mine" in lake.fails(text).message or "alias" in lake.fails(text).hint
    lake.run("DROP TEMPORARY VARIABLE session.mine")
    assert lake.fails("SELECT mine").code is ErrorCode.COLUMN_NOT_FOUND
    assert lake.fails("SET VARIABLE mine = 1").code is ErrorCode.VARIABLE_NOT_FOUND
    assert lake.fails("DROP TEMPORARY VARIABLE mine").code is ErrorCode.VARIABLE_NOT_FOUND
    lake.run("DROP TEMPORARY VARIABLE IF EXISTS mine")
