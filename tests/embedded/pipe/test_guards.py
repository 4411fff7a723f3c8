"""Restricted tables: whatever is asked of them equals the same asked of a filtered copy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.errors import AccessError, ErrorCode
from sqe.model.decision import Deny, Restrict, RowFilter
from sqe.model.masks import ExpressionMask
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

SEEN = Restrict(
    "test",
    filters=(RowFilter("dept = 'it' OR id = 1"),),
    masks={"SSN": ExpressionMask("concat('***', right(ssn, 1))")},
    hidden=frozenset({"pay"}),
)


@pytest.fixture(scope="module")
def emp(shared_lake: Lake) -> Iterator[Lake]:
    """``hr.emp`` is restricted; ``hr.copy`` holds by hand what may be seen of it."""
    shared_lake.all(
        "CREATE SCHEMA hr",
        "CREATE TABLE hr.emp AS SELECT * FROM VALUES (1, 'hr', '111', 10), (2, 'it', '222', 20),"
        " (3, 'it', '333', 30), (4, 'hr', '444', 40) AS v(id, dept, ssn, pay)",
        "CREATE TABLE hr.copy AS SELECT id, dept, concat('***', right(ssn, 1)) AS ssn FROM hr.emp"
        " WHERE dept = 'it' OR id = 1",
        "CREATE VIEW hr.over AS SELECT id, ssn FROM hr.emp",
        "CREATE VIEW hr.over_copy AS SELECT id, ssn FROM hr.copy",
    )
    with shared_lake.rules.on("lake.hr.emp", SEEN):
        yield shared_lake


@pytest.fixture(params=["spark", "auto"])
def guarded(emp: Lake, request: pytest.FixtureRequest) -> Iterator[Lake]:
    """A rule holds whichever engine the session leaves the choice to."""
    own = emp.another_session(engine=request.param)
    yield own
    own.close()


SAME = [
    "SELECT * FROM {emp} ORDER BY id",
    "SELECT emp.* FROM {emp} AS emp WHERE id > 0 AND ssn LIKE '%' ORDER BY 1",
    "SELECT count(*), max(ssn), min({emp}.id) FROM {emp}",
    "SELECT a.id, b.ssn FROM {emp} a JOIN {emp} b ON a.id = b.id WHERE a.ssn = '***2'",
    "SELECT 1 WHERE 4 IN (SELECT id FROM {emp})",
    "SELECT (SELECT max(ssn) FROM {emp})",
    "WITH c AS (SELECT * FROM {emp}) SELECT * FROM c WHERE c.ssn = '***3'",
    "SELECT count(*) FROM {emp} TABLESAMPLE (100 PERCENT)",
    "SELECT count(*) FROM {emp} TABLESAMPLE (100 PERCENT) AS q WHERE q.ssn = '222'",
    "SELECT count(*) FROM {emp} VERSION AS OF 'main'",
    "SELECT max(x.ssn) FROM {emp} TIMESTAMP AS OF now() AS x",
    "SELECT sum(id) FROM {emp}.branch_main",
    "SELECT dept, listagg(ssn, ',') WITHIN GROUP (ORDER BY id) FROM {emp} GROUP BY dept ORDER BY 1",
    "SELECT * FROM {emp} PIVOT (max(ssn) FOR id IN (1, 2, 4)) ORDER BY dept",
    "FROM {emp} |> WHERE ssn <> '444' |> AGGREGATE count(*)",
    "SELECT * FROM {emp} EXCEPT SELECT * FROM {emp} WHERE id = 2 ORDER BY id",
    "SELECT id, rank() OVER (ORDER BY ssn) AS r FROM {emp} ORDER BY id",
    "SELECT * FROM {over} ORDER BY id",
]


@pytest.mark.parametrize("sql", SAME)
def test_a_restricted_table_is_its_filtered_copy(guarded: Lake, sql: str) -> None:
    seen = guarded.rows(sql.format(emp="hr.emp", over="hr.over"))
    assert seen == guarded.rows(sql.format(emp="hr.copy", over="hr.over_copy"))


def test_a_copy_made_of_a_restricted_table_holds_what_may_be_seen(guarded: Lake) -> None:
    guarded.run("CREATE TABLE hr.taken AS SELECT * FROM hr.emp")
    guarded.run("INSERT INTO hr.taken SELECT * FROM hr.emp")
    taken = guarded.rows("SELECT DISTINCT * FROM hr.taken ORDER BY id")
    assert taken == guarded.rows("SELECT * FROM hr.copy ORDER BY id")
    guarded.run("DROP TABLE hr.taken")


@pytest.mark.parametrize(
    "sql",
    ["SELECT pay FROM hr.emp", "SELECT e.pay FROM hr.emp e", "SELECT 1 FROM hr.emp WHERE pay > 1"],
)
def test_a_hidden_column_does_not_exist(guarded: Lake, sql: str) -> None:
    assert guarded.fails(sql).code is ErrorCode.COLUMN_NOT_FOUND


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO hr.emp VALUES (5, 'it', '555', 50)",
        "UPDATE hr.emp SET dept = ssn",
        "DELETE FROM hr.emp WHERE pay > 30",
        "MERGE INTO hr.emp USING hr.copy ON emp.id = copy.id WHEN MATCHED THEN DELETE",
        "ALTER TABLE hr.emp ADD COLUMN x INT",
        "TRUNCATE TABLE hr.emp",
        "DROP TABLE hr.emp",
    ],
)
def test_a_restricted_table_is_not_written(guarded: Lake, sql: str) -> None:
    error = guarded.fails(sql)
    assert isinstance(error, AccessError)
    assert error.code is ErrorCode.ACCESS_DENIED


@pytest.mark.parametrize("suffix", ["files", "partitions", "entries", "snapshots"])
def test_metadata_of_a_restricted_table_shows_nothing(guarded: Lake, suffix: str) -> None:
    assert guarded.fails(f"SELECT * FROM hr.emp.{suffix}").code is ErrorCode.ACCESS_DENIED


@pytest.mark.parametrize("answer", [Deny("no"), RuntimeError("the source is down")])
def test_a_denied_table_is_refused_everywhere(shared_lake: Lake, answer: Deny | Exception) -> None:
    shared_lake.run("CREATE TABLE IF NOT EXISTS denied AS SELECT 1 AS a")
    with shared_lake.rules.on("lake.default.denied", answer):
        for sql in (
            "SELECT * FROM denied",
            "SELECT 1 WHERE 1 IN (SELECT a FROM denied)",
            "WITH x AS (SELECT * FROM denied) SELECT 1",
            "SELECT * FROM denied.snapshots",
            "EXPLAIN SELECT * FROM denied",
            "DESCRIBE denied",
            "CREATE TEMP VIEW v AS SELECT * FROM denied",
            "INSERT INTO denied VALUES (1)",
        ):
            error = shared_lake.fails(sql)
            assert error.code is ErrorCode.ACCESS_DENIED, sql
            assert "source is down" not in str(error)
