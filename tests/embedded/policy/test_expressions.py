"""Policies' own expressions: about who reads, over other tables, in both dialects; and what is
said when one does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Deny, Restrict, RowFilter
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask
from sqe.settings import Settings
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

ANN = Identity(
    "an'n",
    groups=frozenset({"it", "o'ps"}),
    roles=frozenset({"boss"}),
    claims=(("tenant", "t1"),),
)


@pytest.fixture(scope="module")
def staff(shared_lake: Lake) -> Lake:
    shared_lake.all(
        "CREATE SCHEMA words",
        "CREATE TABLE words.emp (id INT, who STRING, dept STRING, day DATE, at TIMESTAMP)",
        "INSERT INTO words.emp VALUES"
        " (1, 'an\\'n', 'it', DATE'2024-01-01', TIMESTAMP'2024-01-01 10:00:00 UTC'),"
        " (2, 'bob', 'o\\'ps', DATE'2024-06-01', TIMESTAMP'2024-06-01 23:30:00 UTC'),"
        " (3, 'cy', 't1', NULL, NULL)",
        "CREATE TABLE words.grants AS SELECT * FROM VALUES ('an\\'n', 2), ('bob', 3) AS v(who, id)",
        "CREATE VIEW words.all_grants AS SELECT * FROM words.grants",
        "CREATE TABLE words.flags AS SELECT * FROM VALUES (true), (false) AS v(ok)",
    )
    return shared_lake


@pytest.fixture(params=["spark", "auto"])
def ann(staff: Lake, request: pytest.FixtureRequest) -> Iterator[Lake]:
    session = staff.server.gateway.open_session(ANN)
    session.set_property("sqe.engine", request.param)
    own = Lake(staff.server, session, staff.rules)
    own.run("USE words")
    yield own
    own.close()


def _seen(lake: Lake, sql: str, dialect: str = "spark") -> list[int]:
    limits = Restrict("test", (RowFilter(sql, dialect),))
    with lake.rules.on("lake.words.emp", limits):
        return [row[0] for row in lake.rows("SELECT id FROM emp ORDER BY id")]


@pytest.mark.parametrize(
    ("sql", "ids"),
    [
        ("who = current_user", [1]),
        ("who = current_user()", [1]),
        ("in_group('it')", [1, 2, 3]),
        ("in_group('hr') OR id = 3", [3]),
        ("has_role('boss') AND id < 3", [1, 2]),
        ("array_contains(current_groups(), dept)", [1, 2]),
        ("claim('tenant') = dept", [3]),
        ("claim('none') = dept", []),
        ("emp.id = 2 OR words.emp.id = 3 OR lake.words.emp.id = 1", [1, 2, 3]),
        ("id IN (SELECT g.id FROM lake.words.grants g WHERE g.who = current_user())", [2]),
        ("EXISTS (SELECT 1 FROM lake.words.all_grants g WHERE g.id = emp.id)", [2, 3]),
        ("id = (SELECT max(e.id) FROM lake.words.emp e)", [3]),
    ],
)
def test_a_filter_knows_who_reads_and_reads_other_tables(
    ann: Lake, sql: str, ids: list[int]
) -> None:
    assert _seen(ann, sql) == ids


@pytest.mark.parametrize("sql", ["ok", "(ok)", "`ok`"])
def test_a_filter_may_be_a_column_alone(ann: Lake, sql: str) -> None:
    """Of ``flags WHERE (ok)`` Spark makes a table with an alias."""
    with ann.rules.on("lake.words.flags", Restrict("test", (RowFilter(sql),))):
        assert ann.rows("SELECT * FROM flags") == [(True,)]


@pytest.mark.parametrize(
    ("sql", "ids"),
    [
        ("who = current_user", [1]),
        ("contains(current_groups(), dept)", [1, 2]),
        ("\"dept\" = 'o''ps' OR id = 1 / 2", [2]),
        ("day >= date '2024-02-01' AND at < timestamp '2024-06-02 00:00:00 UTC'", [2]),
        ("id IN (SELECT g.id FROM lake.words.grants g WHERE g.who = current_user)", [2]),
        ("regexp_like(dept, '^t\\d$')", [3]),
        ("try_cast(dept AS integer) IS NULL AND id = 1", [1]),
    ],
)
def test_a_filter_may_be_written_in_trinos_sql(ann: Lake, sql: str, ids: list[int]) -> None:
    assert _seen(ann, sql, "trino") == ids


def test_a_mask_may_be_written_in_trinos_sql(ann: Lake) -> None:
    masks = {
        "who": ExpressionMask("substr(who, 1, 1) || '.'", "trino"),
        "day": ExpressionMask("date_trunc('year', day)", "trino"),
        "id": ExpressionMask("cast(id AS bigint) + 100", "trino"),
    }
    with ann.rules.on("lake.words.emp", Restrict("test", masks=masks)):
        rows = ann.run("SELECT id, who, day FROM emp ORDER BY id LIMIT 2")
    assert (
        rows.column("id").to_pylist() == [101, 102] and str(rows.schema.field("id").type) == "int32"
    )
    assert rows.column("who").to_pylist() == ["a.", "b."]
    assert [str(day) for day in rows.column("day").to_pylist()] == ["2024-01-01", "2024-01-01"]


def test_no_policy_applies_to_what_a_policy_reads(ann: Lake) -> None:
    with ann.rules.on("lake.words.grants", Deny("not for you")):
        assert _seen(ann, "id IN (SELECT id FROM lake.words.grants)") == [2, 3]
        assert ann.fails("SELECT * FROM grants").code is ErrorCode.ACCESS_DENIED


def test_what_a_policy_reads_is_not_what_the_session_makes_of_its_name(ann: Lake) -> None:
    ann.run("CREATE TEMP VIEW grants AS SELECT 1 AS id, 'an\\'n' AS who")
    assert _seen(ann, "id IN (SELECT id FROM grants)") == [2, 3]


UNFIT = [
    ("TRUE) OR (1=1", "spark"),
    ("id = 1 -- all", "spark"),
    ("id = 1;", "spark"),
    ("gone = 1", "spark"),
    ("emp.gone = 1", "spark"),
    ("who", "spark"),
    ("id + 1", "spark"),
    ("upper(who)", "spark"),
    ("max(id) = 1", "spark"),
    ("id IN (SELECT gone FROM lake.words.grants)", "spark"),
    ("id IN (SELECT id FROM lake.words.secret_table)", "spark"),
    ("id IN (SELECT id FROM lake.words.emp.files)", "spark"),
    ("who IN (SELECT table_name FROM lake.information_schema.tables)", "spark"),
    ("who = current_schema()", "spark"),
    ("who = current_schema", "spark"),
    ("secret_function(who)", "spark"),
    ("CAST(who AS INT) = 1", "spark"),
    ("id = 1 OR", "trino"),
    ("id = 1;", "trino"),
    ("gone = 1", "trino"),
    ("who", "trino"),
    ("id IN (SELECT id FROM lake.words.secret_table)", "trino"),
    ("secret_function(who)", "trino"),
    ("id = 1", "cobol"),
]


@pytest.mark.parametrize(("sql", "dialect"), UNFIT)
def test_a_filter_that_does_not_fit_refuses_the_query_and_does_not_show_itself(
    staff: Lake, sql: str, dialect: str
) -> None:
    limits = Restrict("test", (RowFilter(sql, dialect),))
    with staff.rules.on("lake.words.emp", limits):
        error = staff.fails("SELECT id FROM words.emp")
    assert error.code is ErrorCode.ACCESS_DENIED
    assert error.message == "The policy on lake.words.emp cannot be carried out."
    assert "administrator" in error.hint and error.position is None


def test_a_mask_that_fails_for_some_row_shows_nothing_of_it(staff: Lake) -> None:
    masks = {"id": ExpressionMask("CAST(who AS INT)")}
    with staff.rules.on("lake.words.emp", Restrict("test", masks=masks)):
        error = staff.fails("SELECT id FROM words.emp")
    assert error.message == "The policy on lake.words.emp cannot be carried out."
    assert "bob" not in str(error)


@pytest.mark.parametrize(
    "limits",
    [
        Restrict("test", masks={"ssn": ExpressionMask("'x'")}),
        Restrict("test", hidden=frozenset({"ssn"})),
    ],
)
def test_a_rule_about_a_column_that_is_gone_refuses_the_query(
    staff: Lake, limits: Restrict
) -> None:
    """It may be there under another name."""
    with staff.rules.on("lake.words.emp", limits):
        assert staff.fails("SELECT id FROM words.emp").code is ErrorCode.ACCESS_DENIED


def test_who_may_see_no_column_sees_no_rows(staff: Lake) -> None:
    hidden = frozenset({"id", "who", "dept", "day", "at"})
    with staff.rules.on("lake.words.emp", Restrict("test", hidden=hidden)):
        error = staff.fails("SELECT count(*) FROM words.emp")
    assert error.code is ErrorCode.ACCESS_DENIED


def test_roles_that_were_granted_with_sql_count(another: Another, tmp_path: Path) -> None:
    policy = {"sql": True, "administrators": ["ann"]}
    admin = another(Settings.model_validate({"home": tmp_path, "policy": policy}))
    admin.all(
        "CREATE SCHEMA hr",
        "CREATE TABLE hr.emp AS SELECT * FROM VALUES (1, 'boss'), (2, 'x') AS v(id, role)",
        "CREATE ROLE boss",
        "CREATE ROLE chief",
        "GRANT ROLE boss TO ROLE chief",
        "GRANT SELECT ON hr.emp TO bob ROWS WHERE"
        " (has_role('chief') AND array_contains(current_roles(), role))",
    )
    bob = admin.another_session("bob", "auto")
    assert bob.rows("SELECT id FROM hr.emp") == []
    admin.run("GRANT ROLE chief TO bob")
    assert bob.rows("SELECT id FROM hr.emp") == [(1,)]
    admin.run("REVOKE ROLE chief FROM bob")
    assert bob.rows("SELECT id FROM hr.emp") == []
