"""Writes by users who see only some rows: the rows they see, and no word about the others."""

from __future__ import annotations

from contextlib import closing
from decimal import Decimal
from typing import Any

import pytest

from sqe.errors import AccessError, ErrorCode
from sqe.model.decision import Restrict, RowFilter
from sqe.model.masks import NullMask
from sqe.model.query import Parameter, QueryRequest
from tests.embedded.pipe.lake import Lake
from tests.embedded.policy.limited import (
    BROKEN,
    IT,
    MINE,
    NEAR,
    PAID,
    ROWS,
    TRINO,
    Table,
)
from tests.trino.asking import Client

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

MODES = pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"], indirect=True)
FILTERS = pytest.mark.parametrize(
    "limited", [IT, MINE, NEAR, TRINO], indirect=True, ids=["plain", "in", "exists", "trino"]
)


@MODES
@FILTERS
def test_rows_that_the_filter_shows_are_written(limited: Table) -> None:
    limited.bob("INSERT INTO {t} VALUES (5, 'it', 50)")
    limited.bob("UPDATE {t} SET pay = pay + 1")
    limited.bob("UPDATE {t} SET dept = 'it' WHERE id = 1")
    limited.bob("DELETE FROM {t} WHERE id >= 2 AND id <= 4")
    assert limited.rows == [(1, "it", 11), (2, "hr", 0), (4, None, 40), (5, "it", 51)]


@FILTERS
@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO {t} VALUES (5, 'it', 50), (6, 'hr', 60)",
        "INSERT INTO {t} (id, pay) VALUES (6, 60)",
        "INSERT INTO {t} BY NAME SELECT 'hr' AS dept, 6 AS id",
    ],
)
def test_a_row_that_the_filter_hides_is_not_inserted(limited: Table, sql: str) -> None:
    error = limited.fails(sql)
    assert error.message.endswith("Nothing was written.")
    assert limited.rows == ROWS


def test_what_spark_cannot_check_is_refused_with_what_to_do(limited: Table) -> None:
    error = limited.fails("INSERT INTO {t} BY NAME SELECT 6 AS id")
    assert error.message.endswith("writes to it are checked: Spark cannot check this one.")
    assert error.hint.startswith("Give every column a value of its own type")
    assert limited.rows == ROWS


@MODES
@FILTERS
@pytest.mark.parametrize(
    "sql", ["UPDATE {t} SET dept = 'hr'", "UPDATE {t} AS x SET x.dept = NULL WHERE id = 1"]
)
def test_no_row_is_made_one_that_the_filter_hides(limited: Table, sql: str) -> None:
    error = limited.fails(sql)
    assert error.message.endswith("Nothing was written.")
    assert limited.rows == ROWS


@pytest.mark.parametrize(
    "source",
    [
        "SELECT 5, 'it', 50",
        "(SELECT 5, 'it', 50) -- as it is",
        "WITH c AS (SELECT 5 AS id) SELECT id, 'it', 50 FROM c ORDER BY 1 LIMIT 1",
        "SELECT a.id + 4, a.dept, 50 FROM {t} a JOIN {t} b ON a.id = b.id WHERE a.id = 1",
        "FROM {t} |> WHERE id = 1 |> SELECT 5, dept, 50",
    ],
)
def test_what_is_inserted_may_come_from_any_query(limited: Table, source: str) -> None:
    limited.bob(f"INSERT INTO {{t}} {source}")
    limited.bob(f"INSERT INTO {{t}} (id, dept, pay) {source}")
    assert limited.rows == sorted([*ROWS, (5, "it", 50), (5, "it", 50)], key=lambda row: row[0])


@MODES
@pytest.mark.parametrize("limited", [IT, MINE, NEAR], indirect=True, ids=["plain", "in", "exists"])
@pytest.mark.parametrize(
    "condition",
    [
        "id IN (SELECT x FROM VALUES (1), (2), (4) AS v(x))",
        "id IN (SELECT id FROM {t} WHERE id < 3)",
        "id NOT IN (SELECT max(id) FROM {t})",
        "(id, dept) IN (SELECT 1, d FROM checks.mine)",
        "EXISTS (SELECT 1 FROM checks.mine WHERE checks.mine.d = {t}.dept) AND id = 1",
        "dept IN (SELECT d FROM checks.mine WHERE id = 1)",
        "NOT EXISTS (SELECT 1 FROM {t} AS x WHERE x.id < {t}.id)",
    ],
)
def test_a_subquery_chooses_among_the_rows_that_the_filter_shows(
    limited: Table, condition: str
) -> None:
    """Those of 1; that of 2 is hidden, and its pay is zero."""
    changed = limited.affected(f"UPDATE {{t}} SET pay = 100 / pay WHERE {condition}")
    assert changed.updated == 1
    assert limited.rows == [(1, "it", 10), *ROWS[1:]]
    assert limited.affected(f"DELETE FROM {{t}} WHERE {condition}").deleted == 1
    assert limited.rows == ROWS[1:]


def test_an_insert_reads_only_what_its_user_sees(limited: Table) -> None:
    limited.bob("INSERT INTO {t} SELECT id + 10, dept, pay FROM {t}")
    assert limited.rows == [*ROWS, (11, "it", 10), (13, "it", 30)]


@MODES
@pytest.mark.parametrize("limited", [PAID], indirect=True)
@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO {t} VALUES (5, 'it', 99.999)",  # stored as 100.00
        "UPDATE {t} SET pay = 99.999",
        "UPDATE {t} SET pay = pay * 10 WHERE id = 3",
    ],
)
def test_the_check_is_of_the_values_as_they_are_stored(limited: Table, sql: str) -> None:
    limited.fails(sql)
    assert limited.rows == ROWS


@MODES
@pytest.mark.parametrize("limited", [IT, MINE], indirect=True, ids=["plain", "in"])
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM {t} WHERE 1 / pay > 10",
        "DELETE FROM {t} AS x WHERE x.dept <> 'it' AND raise_error(x.dept) IS NULL",
        "UPDATE {t} SET id = id WHERE 1 / pay > 10",
        "UPDATE {t} SET id = CAST(id / pay AS INT) WHERE id > 100",
    ],
)
def test_nothing_of_the_user_is_evaluated_on_a_hidden_row(limited: Table, sql: str) -> None:
    """The hidden row's pay is 0, its department another one: either would be an error."""
    limited.bob(sql)
    assert limited.rows == ROWS


@MODES
@pytest.mark.parametrize("limited", [BROKEN], indirect=True)
@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM {t}", "UPDATE {t} SET pay = 1 WHERE 1 / pay < 9", "UPDATE {t} SET dept = 'it'"],
)
def test_a_filter_that_fails_tells_nothing_of_the_row(
    checks: Lake, limited: Table, sql: str
) -> None:
    bob = checks.another_session("bob")
    error = bob.fails(sql.format(t=limited.name))
    assert "hr" not in str(error)
    assert "CAST" not in str(error)
    assert limited.rows == ROWS
    bob.close()


@MODES
@pytest.mark.parametrize("limited", [PAID], indirect=True)
def test_new_values_are_computed_of_visible_rows_only(limited: Table) -> None:
    limited.bob("UPDATE {t} SET pay = 10 / pay")
    assert limited.rows == [(1, "it", 1), ROWS[1], (3, "it", Decimal("0.33")), ROWS[3]]


@MODES
@pytest.mark.parametrize("limited", [IT, MINE], indirect=True, ids=["plain", "in"])
def test_counts_tell_of_visible_rows_only(limited: Table) -> None:
    assert limited.affected("UPDATE {t} SET pay = pay + 1").updated == 2
    assert limited.affected("UPDATE {t} SET pay = pay + 1 WHERE id IN (1, 2, 4)").updated == 1
    assert limited.affected("UPDATE {t} SET dept = 'it'").updated == 2
    assert limited.affected("DELETE FROM {t} WHERE id IN (2, 4)").deleted == 0
    assert limited.affected("DELETE FROM {t}").deleted == 2
    assert limited.rows == [(2, "hr", 0), (4, None, 40)]


def test_values_of_parameters_are_checked_too(limited: Table, checks: Lake) -> None:
    bob = checks.another_session("bob")

    def run(sql: str, *values: Any) -> None:
        kinds = {int: "int", str: "string"}
        given = tuple(Parameter(kinds[type(value)], value) for value in values)
        text = sql.format(t=limited.name)
        request = QueryRequest(bob.session.id, text, parameters=given)
        with bob.server.gateway.fetch(bob.server.gateway.submit(request)) as result:
            result.read_all()

    run("INSERT INTO {t} VALUES (?, ?, ?)", 5, "it", 50)
    run("UPDATE {t} SET dept = ?, pay = ? WHERE id = ?", "it", 7, 5)
    for sql, values in (
        ("INSERT INTO {t} VALUES (?, ?, ?)", (6, "hr", 50)),
        ("UPDATE {t} SET dept = ? WHERE id = ?", ("hr", 5)),
    ):
        with pytest.raises(AccessError):
            run(sql, *values)
    assert limited.rows == [*ROWS, (5, "it", 7)]
    bob.close()


REFUSED = [
    "INSERT OVERWRITE {t} VALUES (5, 'it', 50)",
    "INSERT INTO {t} REPLACE WHERE id = 1 VALUES (1, 'it', 50)",
    "INSERT INTO {t} AS x VALUES (5, 'it', 50)",
    "INSERT INTO {t} VALUES (5, 'it', DEFAULT)",
    "INSERT INTO {t}.branch_main VALUES (5, 'it', 50)",
    "UPDATE {t} SET id = _pos",
    "DELETE FROM {t} WHERE _file IS NULL",
    "UPDATE {t} SET dept = DEFAULT",
    "UPDATE {t} SET pay = (SELECT max(pay) FROM {t})",
    "UPDATE {t} SET pay = 1 WHERE 1 / pay IN (SELECT 1)",
    "UPDATE {t} SET dept = 'it' WHERE id IN (SELECT 1)",
    "DELETE FROM {t} WHERE EXISTS (SELECT 1 FROM checks.mine WHERE 1 / pay > 0)",
    "TRUNCATE TABLE {t}",
    "DROP TABLE {t}",
    "ALTER TABLE {t} ADD COLUMN x INT",
    "ALTER TABLE {t} RENAME TO checks.other",
    "ALTER TABLE {t} CREATE BRANCH b",
    "COMMENT ON TABLE {t} IS 'x'",
    "CREATE OR REPLACE TABLE {t} (id INT)",
    "ANALYZE TABLE {t} COMPUTE STATISTICS",
    "CALL system.rewrite_data_files('{t}')",
    "COPY INTO {t} FROM '/nowhere/x.csv' FILEFORMAT = CSV",
    "EXPLAIN INSERT INTO {t} VALUES (5, 'it', 50)",
    "EXPLAIN ANALYZE DELETE FROM {t}",
]


@pytest.mark.parametrize("sql", REFUSED)
def test_what_cannot_be_checked_stays_refused(limited: Table, sql: str) -> None:
    limited.fails(sql)
    assert limited.rows == ROWS


@pytest.mark.parametrize(
    "limits",
    [
        Restrict("no check", filters=(RowFilter("dept = 'it'"),)),
        Restrict("one without", filters=(IT, RowFilter("id > 0"))),
        Restrict("a mask", filters=(PAID,), masks={"pay": NullMask()}),
        Restrict("hidden", filters=(IT,), hidden=frozenset({"pay"})),
        Restrict("nothing said"),
    ],
    ids=lambda limits: limits.reason,
)
def test_only_filters_with_a_check_let_anything_be_written(
    checks: Lake, limited: Table, limits: Restrict
) -> None:
    with checks.rules.on(f"lake.{limited.name}", limits, "select", "bob"):
        for sql in (
            "INSERT INTO {t} VALUES (5, 'it', 50)",
            "UPDATE {t} SET dept = 'it'",
            "UPDATE {t} SET id = pay",
            "DELETE FROM {t} WHERE pay > 1",
        ):
            limited.fails(sql)
    assert limited.rows == ROWS


def test_a_default_cannot_slip_by(checks: Lake) -> None:
    checks.run(
        "CREATE TABLE checks.defaults (id INT, dept STRING DEFAULT 'hr')"
        " TBLPROPERTIES ('format-version' = '3')"
    )
    bob = checks.another_session("bob")
    with checks.rules.on("lake.checks.defaults", Restrict("x", (IT,)), "select", "bob"):
        error = bob.fails("INSERT INTO checks.defaults (id) VALUES (1)")
        assert error.code is ErrorCode.ACCESS_DENIED
        bob.run("INSERT INTO checks.defaults (id, dept) VALUES (1, 'it')")
    assert checks.rows("SELECT * FROM checks.defaults") == [(1, "it")]
    bob.close()


@pytest.mark.parametrize(
    "limit",
    [
        TRINO,
        RowFilter('"trino"."dept" = \'it\'', "trino", check=True),
        RowFilter("lake.checks.trino.dept = 'it'", check=True),
    ],
    ids=lambda limit: str(limit.sql),
)
def test_the_same_holds_for_trinos_sql(checks: Lake, trino_address: str, limit: RowFilter) -> None:
    checks.run("CREATE OR REPLACE TABLE checks.trino (id INT, dept STRING, pay DECIMAL(10, 2))")
    checks.run("INSERT INTO checks.trino VALUES (1, 'it', 10), (2, 'hr', 0)")
    limits = Restrict("test", (limit,))
    with (
        closing(Client(trino_address, "lake", "checks")) as trino,
        checks.rules.on("lake.checks.trino", limits, "select"),
    ):
        for sql, changed in (
            ("INSERT INTO trino VALUES (3, 'it', 30)", 1),
            ("INSERT INTO trino (dept, id) SELECT dept, id + 3 FROM trino WHERE id = 1", 1),
            ("UPDATE trino SET pay = pay + 1 WHERE 1 / pay < 1", 2),
            ("DELETE FROM trino WHERE id IN (SELECT max(id) FROM trino) AND id <> 3", 1),
        ):
            done = trino.ask(sql)
            assert (done.error, done.update_count) == ("", changed), (sql, done.message)
        for sql in (
            "INSERT INTO trino VALUES (5, 'hr', 1)",
            "UPDATE trino SET dept = 'hr'",
            "TRUNCATE TABLE trino",
        ):
            assert trino.ask(sql).error == "PERMISSION_DENIED", sql
    assert checks.rows("SELECT * FROM checks.trino ORDER BY id") == [
        (1, "it", 11),
        (2, "hr", 0),
        (3, "it", 31),
    ]
