"""Rules made with SQL: who may make them, what is checked, what is shown of them and to whom."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sqe.errors import ErrorCode
from sqe.model.functions import SqlFunction
from sqe.model.grants import Grant
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask, PartialMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object, ObjectKind
from sqe.store.database import Database
from sqe.store.functions import FunctionStore
from tests.unit.coordinator.ruled import ROOT, Ruled


@pytest.fixture
def ruled(tmp_path: Path) -> Iterator[Ruled]:
    server = Ruled(tmp_path)
    yield server
    server.close()


@pytest.fixture
def analysts(ruled: Ruled) -> Ruled:
    """ann is an analyst: she sees some rows of hr.emp, and a part of names."""
    ruled.all(
        "CREATE ROLE analyst",
        "GRANT ROLE analyst TO USER ann",
        "GRANT SELECT ON hr.emp TO ROLE analyst ROWS WHERE (region = 'EU')"
        " COLUMNS (id, name MASKED WITH (PARTIAL(1, 0)))",
    )
    return ruled


def kept(ruled: Ruled, on: Object | None = None) -> list[Grant]:
    assert ruled.server.book is not None
    return ruled.server.book.grants(Identity(ROOT), on)


def test_roles_are_shown_to_those_who_have_them(analysts: Ruled) -> None:
    analysts.all("CREATE ROLE other", "CREATE ROLE IF NOT EXISTS other")
    assert analysts.rows("SHOW ROLES") == [("analyst",), ("other",)]
    assert analysts.rows("SHOW ROLES", "ann") == [("analyst",)]
    assert analysts.rows("SHOW CURRENT ROLES", "ann") == [("analyst",)]
    assert analysts.rows("SHOW CURRENT ROLES", "bob") == []
    [row] = analysts.rows("SHOW ROLE GRANTS FOR USER ann")
    assert row[:5] == ("analyst", "ann", "user", False, ROOT)


def test_a_role_is_dropped_and_revoked(analysts: Ruled) -> None:
    analysts.all("REVOKE ROLE analyst FROM ann")
    assert analysts.rows("SHOW CURRENT ROLES", "ann") == []
    analysts.all("DROP ROLE analyst", "DROP ROLE IF EXISTS analyst")
    assert analysts.fails("DROP ROLE analyst").code is ErrorCode.ROLE_NOT_FOUND
    assert analysts.fails("GRANT ROLE analyst TO ann").code is ErrorCode.ROLE_NOT_FOUND


def test_a_grant_keeps_field_ids_and_the_tables_uuid(analysts: Ruled) -> None:
    [grant] = kept(analysts)
    assert grant.on == Object(ObjectKind.TABLE, ("lake", "hr", "emp"))
    assert grant.table_uuid
    assert grant.columns is not None
    assert [(one.name, one.field_id, one.mask) for one in grant.columns] == [
        ("id", 1, None),
        ("name", 2, PartialMask(1, 0)),
    ]


@pytest.mark.parametrize(
    ("on", "parts"),
    [
        ("hr.`e*`", ("lake", "hr", "e*")),
        ("hr.*", ("lake", "hr", "*")),
        ("lake.hr.*", ("lake", "hr", "*")),
        ("`x*`", ("lake", "default", "x*")),
        ("*.*.secret", ("*", "*", "secret")),
        ("ALL TABLES IN SCHEMA hr", ("lake", "hr", "*")),
        ("SCHEMA hr", ("lake", "hr")),
        ("SCHEMA lake.hr", ("lake", "hr")),
        ("CATALOG LAKE", ("lake",)),
        ("hr.EMP", ("lake", "hr", "emp")),
    ],
)
def test_names_are_completed_from_the_session(
    ruled: Ruled, on: str, parts: tuple[str, ...]
) -> None:
    ruled.all(f"GRANT SELECT ON {on} TO ann")
    assert [one.on.parts for one in kept(ruled)] == [parts]
    ruled.all(f"REVOKE SELECT ON {on} FROM ann")
    assert kept(ruled) == []


@pytest.mark.parametrize(
    ("on", "parts"),
    [
        ("PROCEDURE expire_snapshots", ("lake", "system", "expire_snapshots")),
        ("PROCEDURE system.expire_snapshots", ("lake", "system", "expire_snapshots")),
        ("PROCEDURE lake.system.expire_snapshots", ("lake", "system", "expire_snapshots")),
    ],
)
def test_procedures_are_in_a_catalogs_system(ruled: Ruled, on: str, parts: tuple[str, ...]) -> None:
    ruled.all(f"GRANT EXECUTE ON {on} TO ann")
    assert [one.on.parts for one in kept(ruled)] == [parts]


@pytest.mark.parametrize(
    ("clause", "code", "words"),
    [
        ("ROWS WHERE (nosuch = 1)", ErrorCode.COLUMN_NOT_FOUND, "no column nosuch"),
        ("ROWS WHERE (emp.nosuch = 1)", ErrorCode.COLUMN_NOT_FOUND, "no column nosuch"),
        ("ROWS WHERE (region)", ErrorCode.TYPE_MISMATCH, "true or false"),
        ("ROWS WHERE (id + 1)", ErrorCode.TYPE_MISMATCH, "true or false"),
        ("ROWS WHERE (sum(id) > 1)", ErrorCode.INVALID_ARGUMENT, "one row"),
        ("ROWS WHERE (nosuch(id))", ErrorCode.INVALID_ARGUMENT, "nosuch"),
        ("ROWS WHERE (java_method('a', 'b'))", ErrorCode.INVALID_ARGUMENT, "java_method"),
        ("ROWS WHERE (id = 1, id = 2)", ErrorCode.INVALID_ARGUMENT, "one expression"),
        ("ROWS WHERE (id IN (SELECT id FROM dept))", ErrorCode.INVALID_ARGUMENT, "in full"),
        ("COLUMNS (nam)", ErrorCode.COLUMN_NOT_FOUND, "no column nam"),
        ("COLUMNS (id MASKED WITH (PARTIAL(1, 1)))", ErrorCode.TYPE_MISMATCH, "id"),
        ("COLUMNS (id MASKED WITH (nosuch))", ErrorCode.POLICY_NOT_FOUND, "nosuch"),
        ("COLUMNS (id MASKED WITH (HASH KEY other))", ErrorCode.INVALID_ARGUMENT, "other"),
        ("COLUMNS (id MASKED WITH (nosuch + 1))", ErrorCode.COLUMN_NOT_FOUND, "nosuch"),
    ],
)
def test_what_cannot_be_used_is_not_granted(
    ruled: Ruled, clause: str, code: ErrorCode, words: str
) -> None:
    error = ruled.fails(f"GRANT SELECT ON hr.emp TO ann {clause}")
    assert (error.code, words in error.message) == (code, True)
    assert kept(ruled) == []


@pytest.mark.parametrize(
    "condition",
    [
        "active",
        "emp.region = 'EU'",
        "in_group('x') OR has_role('y') OR claim('z') = region",
        "array_contains(current_groups(), region)",
        "name = current_user",
        "id IN (SELECT d.id FROM lake.hr.dept AS d WHERE d.name = 'x')",
    ],
)
def test_conditions_that_can_be_used_are_granted(ruled: Ruled, condition: str) -> None:
    ruled.all(f"GRANT SELECT ON hr.emp TO ann ROWS WHERE ({condition}) WITH CHECK")
    [grant] = kept(ruled)
    assert grant.rows is not None
    assert (grant.rows.sql, grant.rows.check) == (condition, True)


def test_what_is_not_there_is_told_to_those_who_may_know(ruled: Ruled) -> None:
    assert ruled.fails("GRANT SELECT ON hr.x TO ann").code is ErrorCode.TABLE_NOT_FOUND
    assert ruled.fails("GRANT SELECT ON SCHEMA x TO ann").code is ErrorCode.SCHEMA_NOT_FOUND
    assert ruled.fails("GRANT SELECT ON CATALOG x TO ann").code is ErrorCode.CATALOG_NOT_FOUND
    ruled.all("DENY SELECT ON hr.x TO ann", "REVOKE SELECT ON hr.x FROM ann")


def test_others_hear_the_same_of_what_is_there_and_what_is_not(ruled: Ruled) -> None:
    for sql in ("GRANT SELECT ON hr.{} TO bob", "SHOW EFFECTIVE POLICY ON hr.{}"):
        there, absent = (ruled.fails(sql.format(name), "ann") for name in ("emp", "nop"))
        assert there.code is absent.code is ErrorCode.ACCESS_DENIED
        assert there.message.replace("emp", "nop") == absent.message
    for on in ("SCHEMA {}", "CATALOG {}"):
        errors = [
            ruled.fails(f"GRANT SELECT ON {on.format(name)} TO bob", "ann") for name in ("hr", "xx")
        ]
        assert errors[0].message.replace("hr", "xx") == errors[1].message


def test_rules_are_about_what_a_catalog_keeps(ruled: Ruled) -> None:
    for name in ("information_schema.tables", "hr.emp.snapshots"):
        assert ruled.fails(f"GRANT SELECT ON {name} TO ann").code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE ROLE r",
        "GRANT SELECT ON hr.emp TO bob",
        "DENY SELECT ON hr.emp TO bob",
        "CREATE ROW FILTER f AS (true)",
        "ALTER TABLE hr.emp SET TAG x",
        "GRANT ROLE analyst TO bob",
        "APPLY ROW FILTER f TO TAG x",
    ],
)
def test_rules_are_not_for_everybody_to_make(analysts: Ruled, sql: str) -> None:
    assert analysts.fails(sql, "ann").code is ErrorCode.ACCESS_DENIED


def test_who_has_the_option_passes_on_what_they_have(ruled: Ruled) -> None:
    ruled.all("GRANT SELECT ON hr.emp TO ann WITH GRANT OPTION")
    ruled.rows("GRANT SELECT ON hr.emp TO bob ROWS WHERE (id = 1)", "ann")
    assert [one.to.name for one in kept(ruled)] == ["ann", "bob"]
    assert ruled.fails("GRANT INSERT ON hr.emp TO bob", "ann").code is ErrorCode.ACCESS_DENIED


@pytest.mark.parametrize(
    "sql",
    [
        "GRANT SELECT ON hr.emp TO eve ROWS WHERE (name = 'Ada')",
        "GRANT SELECT ON hr.emp TO eve COLUMNS (id MASKED WITH (length(name)))",
        "GRANT SELECT ON hr.* TO eve ROWS WHERE (name = 'Ada')",
    ],
)
def test_who_sees_a_part_may_not_ask_for_the_rest_by_expressions(ruled: Ruled, sql: str) -> None:
    ruled.all(
        "GRANT SELECT ON hr.* TO ann WITH GRANT OPTION",
        "CREATE COLUMN MASK nothing AS NULL",
        "ALTER TABLE hr.emp ALTER COLUMN name SET MASK nothing",
    )
    error = ruled.fails(sql, "ann")
    assert (error.code, "only part" in error.message) == (ErrorCode.ACCESS_DENIED, True)
    ruled.rows("GRANT SELECT ON hr.emp TO eve COLUMNS (id, name MASKED WITH (HASH))", "ann")


def test_hidden_columns_are_not_there_for_who_grants(analysts: Ruled) -> None:
    for clause in ("COLUMNS ({})", "ROWS WHERE ({} = 'EU')"):
        hidden, absent = (
            analysts.fails(f"GRANT SELECT ON hr.emp TO eve {clause.format(name)}", "ann")
            for name in ("region", "nosuch")
        )
        assert hidden.code is absent.code is ErrorCode.COLUMN_NOT_FOUND
        assert hidden.message.replace("region", "nosuch") == absent.message
        assert hidden.hint == absent.hint == ""


def test_views_are_granted_like_tables(ruled: Ruled) -> None:
    ruled.all("GRANT SELECT ON VIEW hr.names TO ann COLUMNS (a) ROWS WHERE (a = 1)")
    error = ruled.fails("GRANT SELECT ON hr.names TO ann COLUMNS (b)")
    assert error.code is ErrorCode.COLUMN_NOT_FOUND


def test_a_key_that_only_reads_looks_and_makes_no_rules(analysts: Ruled) -> None:
    root = Identity(ROOT, scopes=frozenset({"read"}))
    assert analysts.rows_as(root, "SHOW ROLES") == [("analyst",)]
    assert analysts.rows_as(root, "EXPLAIN POLICY DELETE FROM hr.emp")
    with pytest.raises(Exception, match="its scope is read"):
        analysts.rows_as(root, "GRANT SELECT ON hr.emp TO bob")


def test_grants_are_shown_without_what_they_hide(analysts: Ruled) -> None:
    [mine] = analysts.rows("SHOW GRANTS ON hr.emp", "ann")
    assert mine[:5] == ("grant", "select", "TABLE lake.hr.emp", "analyst", "role")
    assert "EU" not in str(mine)
    [theirs] = analysts.rows("SHOW GRANTS ON hr.emp TO ROLE analyst")
    assert theirs[5] == "region = 'EU'"
    assert analysts.rows("SHOW GRANTS FOR USER ann") == []
    assert analysts.names[:2] == ["effect", "privilege"]


def test_policies_by_name_are_put_on_tables_and_shown(ruled: Ruled) -> None:
    ruled.all(
        "CREATE ROLE hr",
        "CREATE ROW FILTER eu AS (region = 'EU')",
        "CREATE COLUMN MASK up (c) AS (upper(c))",
        "ALTER TABLE hr.emp ADD ROW FILTER eu EXCEPT ROLE hr",
        "ALTER TABLE hr.emp ALTER COLUMN name SET MASK up",
    )
    [one] = ruled.rows("SHOW ROW FILTERS")
    assert one == ("eu", "region = 'EU'", False, "TABLE lake.hr.emp EXCEPT ROLE hr", ROOT)
    [two] = ruled.rows("SHOW COLUMN MASKS")
    assert two == ("up", "expression(upper(the_column))", "TABLE lake.hr.emp (name)", ROOT)
    ruled.all(
        "ALTER TABLE hr.emp ALTER COLUMN name DROP MASK", "ALTER TABLE hr.emp DROP ROW FILTER eu"
    )
    assert [row[3] for row in ruled.rows("SHOW ROW FILTERS")] == [None]
    ruled.all("DROP ROW FILTER eu", "DROP COLUMN MASK up", "DROP ROW FILTER IF EXISTS eu")
    assert ruled.fails("DROP COLUMN MASK up").code is ErrorCode.POLICY_NOT_FOUND
    dropped = ruled.fails("ALTER TABLE hr.emp ALTER COLUMN name DROP MASK")
    assert dropped.code is ErrorCode.POLICY_NOT_FOUND


def test_policies_by_name_fit_the_table_they_are_put_on(ruled: Ruled) -> None:
    ruled.all("CREATE ROW FILTER f AS (salary > 1)", "CREATE COLUMN MASK m AS TRUNCATE(month)")
    error = ruled.fails("ALTER TABLE hr.emp ADD ROW FILTER f")
    assert (error.code, "salary" in error.message) == (ErrorCode.COLUMN_NOT_FOUND, True)
    error = ruled.fails("ALTER TABLE hr.emp ALTER COLUMN name SET MASK m")
    assert error.code is ErrorCode.TYPE_MISMATCH
    error = ruled.fails("ALTER TABLE hr.emp ALTER COLUMN nosuch SET MASK m")
    assert error.code is ErrorCode.COLUMN_NOT_FOUND
    error = ruled.fails("ALTER TABLE hr.emp ADD ROW FILTER nosuch")
    assert error.code is ErrorCode.POLICY_NOT_FOUND


def test_a_mask_by_name_in_a_grant_is_that_of_the_column(ruled: Ruled) -> None:
    ruled.all(
        "CREATE COLUMN MASK up (c) AS (upper(c))",
        "GRANT SELECT ON hr.emp TO ann COLUMNS (name MASKED WITH (up))",
    )
    [grant] = kept(ruled)
    assert grant.columns is not None
    assert grant.columns[0].mask == ExpressionMask("upper(name)")


def test_tags_are_set_and_carry_policies(ruled: Ruled) -> None:
    ruled.all(
        "ALTER TABLE hr.emp SET TAG people",
        "ALTER TABLE hr.emp ALTER COLUMN name SET TAG pii",
        "CREATE COLUMN MASK nothing AS NULL",
        "GRANT SELECT ON hr.emp TO ann",
        "APPLY COLUMN MASK nothing TO TAG pii",
    )
    emp = "lake.hr.emp"
    assert ruled.rows("SHOW TAGS ON hr.emp") == [
        (emp, None, "people", ROOT),
        (emp, "name", "pii", ROOT),
    ]
    assert _select(ruled, "ann")[5] == "name: null"
    ruled.all("REMOVE COLUMN MASK nothing FROM TAG pii", "ALTER TABLE hr.emp UNSET TAG people")
    assert _select(ruled, "ann")[5] == "all"
    error = ruled.fails("APPLY ROW FILTER nothing TO TAG pii")
    assert "is a column mask" in error.message


def _select(ruled: Ruled, user: str) -> tuple[object, ...]:
    """What ``user`` is told about reading hr.emp."""
    rows = ruled.rows("SHOW EFFECTIVE POLICY ON hr.emp", user)
    return next(row for row in rows if row[0] == "select")


def test_the_effective_policy_hides_from_its_reader_what_it_hides(analysts: Ruled) -> None:
    select = _select(analysts, "ann")
    assert select[:3] == ("select", "restrict", "sql")
    assert "ROLE analyst" in str(select[3])
    assert select[4:] == ("those that a row filter leaves", "name: partial")
    said = str(analysts.rows("SHOW EFFECTIVE POLICY ON hr.emp", "ann"))
    assert not any(word in said for word in ("EU", "region", "active"))


def test_administrators_see_everybodys_effective_policy(analysts: Ruled) -> None:
    for whose in ("USER ann", "ROLE analyst"):
        rows = analysts.rows(f"SHOW EFFECTIVE POLICY FOR {whose} ON hr.emp")
        select = next(row for row in rows if row[0] == "select")
        assert select[4] == "(region = 'EU')"
        assert select[5] == "name: partial(1, 0), active: hidden, region: hidden"
    rows = analysts.rows("SHOW EFFECTIVE POLICY FOR USER bob ON hr.emp")
    assert {row[1] for row in rows} == {"deny"}


def test_groups_count_in_the_effective_policy_of_somebody(ruled: Ruled) -> None:
    ruled.all("GRANT SELECT ON hr.emp TO GROUP staff")
    rows = ruled.rows("SHOW EFFECTIVE POLICY FOR USER bob GROUPS (staff) ON hr.emp")
    assert next(row for row in rows if row[0] == "select")[1] == "allow"


def test_others_do_not_see_somebodys_effective_policy(analysts: Ruled) -> None:
    for whose in ("USER bob", "ROLE analyst", "USER ann GROUPS (x)"):
        error = analysts.fails(f"SHOW EFFECTIVE POLICY FOR {whose} ON hr.emp", "ann")
        assert error.code is ErrorCode.ACCESS_DENIED
    assert analysts.rows("SHOW EFFECTIVE POLICY FOR USER ann ON hr.emp", "ann")


def test_explain_policy_tells_each_privilege_of_each_table(analysts: Ruled) -> None:
    analysts.all("GRANT SELECT, INSERT ON hr.dept TO ROLE analyst")
    rows = analysts.rows("EXPLAIN POLICY INSERT INTO hr.dept SELECT * FROM hr.emp", "ann")
    assert [row[:4] for row in rows] == [
        ("lake.hr.dept", "insert", "allow", "sql"),
        ("lake.hr.emp", "select", "restrict", "sql"),
    ]
    assert analysts.rows("EXPLAIN POLICY SELECT 1", "ann") == []
    assert analysts.rows("SHOW GRANTS ON hr.emp")  # nothing was run or changed


def test_explain_policy_says_the_same_of_a_denied_and_an_absent_table(analysts: Ruled) -> None:
    analysts.all("DENY SELECT ON hr.dept TO ann")
    rows = analysts.rows("EXPLAIN POLICY SELECT * FROM hr.dept, hr.nosuch, nosuch.x", "ann")
    assert [row[0] for row in rows] == ["lake.hr.dept", "lake.hr.nosuch", "lake.nosuch.x"]
    assert {row[1:] for row in rows} == {
        ("select", "deny", None, "you may not, or it does not exist", None, None)
    }


def test_explain_policy_does_not_open_a_view_that_is_denied(analysts: Ruled) -> None:
    rows = analysts.rows("EXPLAIN POLICY SELECT * FROM hr.names, hr.nosuch", "ann")
    assert [row[0] for row in rows] == ["lake.hr.names", "lake.hr.nosuch"]
    assert rows[0][1:] == rows[1][1:]
    analysts.all("GRANT SELECT ON VIEW hr.names TO ann")
    rows = analysts.rows("EXPLAIN POLICY SELECT * FROM hr.names", "ann")
    assert [row[:3] for row in rows] == [
        ("lake.hr.names", "select", "allow"),
        ("lake.hr.emp", "select", "restrict"),
    ]


def test_explain_policy_tells_that_an_allowed_table_is_absent(ruled: Ruled) -> None:
    [row] = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.nosuch")
    assert row[2] == "allow"
    assert "does not exist" in str(row[4])


def test_what_limits_a_write_is_explained_with_it(analysts: Ruled) -> None:
    analysts.all("GRANT INSERT ON hr.emp TO ann")
    rows = analysts.rows("EXPLAIN POLICY INSERT INTO hr.emp SELECT * FROM hr.emp", "ann")
    assert ("lake.hr.emp", "insert", "allow") in [row[:3] for row in rows]
    assert ("lake.hr.emp", "select", "restrict") in [row[:3] for row in rows]


def test_without_rules_made_with_sql_it_is_said_how_to_have_them(tmp_path: Path) -> None:
    without = Ruled(tmp_path, sql=False)
    try:
        for sql in ("CREATE ROLE r", "GRANT SELECT ON hr.emp TO ann", "SHOW GRANTS", "SHOW ROLES"):
            error = without.fails(sql)
            assert error.code is ErrorCode.NOT_SUPPORTED
            assert error.position is not None
            assert "sql = true" in error.hint
        [row] = without.rows("EXPLAIN POLICY SELECT * FROM hr.emp", "ann")
        assert row[:3] == ("lake.hr.emp", "select", "allow")
        assert without.rows("SHOW EFFECTIVE POLICY ON hr.emp", "ann")
    finally:
        without.close()


def test_it_is_told_which_source_decides(tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(
        '{"tables": [{"table": "dept", "privileges": []},'
        ' {"table": "emp", "privileges": ["SELECT"], "filter": "id = 7"},'
        ' {"privileges": ["OWNERSHIP"]}]}'
    )
    both = Ruled(tmp_path / "home", file=rules)
    try:
        both.all("GRANT SELECT ON SCHEMA hr TO ann")
        emp, dept = both.rows("EXPLAIN POLICY SELECT * FROM hr.emp, hr.dept")
        assert (emp[2:4], emp[5]) == (("restrict", "file"), "(id = 7)")
        assert dept[2:4] == ("deny", "file")
        emp, dept = both.rows("EXPLAIN POLICY SELECT * FROM hr.emp, hr.dept", "ann")
        assert (emp[2:4], emp[5]) == (("restrict", "file"), "those that a row filter leaves")
        assert dept[2:5] == ("deny", None, "you may not, or it does not exist")
    finally:
        both.close()


def test_every_change_is_recorded(analysts: Ruled) -> None:
    log = analysts.server.settings.home / "logs" / "audit.jsonl"
    assert "CREATE ROLE analyst" in log.read_text()


def test_a_function_is_for_everybody_who_sees_it_until_it_is_denied(
    ruled: Ruled, tmp_path: Path
) -> None:
    """To make one with SQL takes Spark."""
    name = RelationName(SchemaName("lake", ("hr",)), "One")
    function = SqlFunction("One", name, (), "INT", "1", owner="bob")
    with closing(Database(tmp_path)) as database:
        assert FunctionStore(database).put(function)
        assert not FunctionStore(database).put(function)
    calling = "SELECT hr.one() AS a"
    assert ruled.fails(calling, "ann").code is ErrorCode.FUNCTION_NOT_FOUND  # no part of hr is hers
    ruled.all("GRANT SELECT ON hr.emp TO ann")
    assert ruled.rows(calling, "ann") == [(1,)]
    ruled.all("GRANT SELECT ON hr.emp TO cat", "DENY EXECUTE ON FUNCTION hr.one TO cat")
    assert ruled.fails(calling, "cat").code is ErrorCode.FUNCTION_NOT_FOUND
    assert ruled.rows("SHOW USER FUNCTIONS IN hr", "cat") == []
    assert ruled.rows(calling, ROOT) == [(1,)]
    assert ruled.fails("DROP FUNCTION hr.one", "eve").code is ErrorCode.FUNCTION_NOT_FOUND
    assert ruled.fails("DROP FUNCTION hr.one", "ann").code is ErrorCode.ACCESS_DENIED
    ruled.all("GRANT DROP ON SCHEMA hr TO ann")
    ruled.rows("DROP FUNCTION hr.ONE", "ann")
    assert ruled.rows("SHOW USER FUNCTIONS IN hr") == []
