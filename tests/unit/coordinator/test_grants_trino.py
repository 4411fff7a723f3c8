"""The same rules through Trino's dialect, under the names that Trino's clients look for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.errors import ErrorCode
from sqe.model.query import ClientState
from tests.unit.coordinator.ruled import ROOT, Ruled

TRINO = ClientState("lake", "hr")


@pytest.fixture
def ruled(tmp_path: Path) -> Iterator[Ruled]:
    server = Ruled(tmp_path)
    yield server
    server.close()


def ask(ruled: Ruled, sql: str, user: str = ROOT) -> list[tuple[object, ...]]:
    return ruled.rows(sql, user, client=TRINO)


def test_what_is_granted_in_one_dialect_holds_in_the_other(ruled: Ruled) -> None:
    ask(ruled, "CREATE ROLE reader")
    ask(ruled, "GRANT reader TO USER ann")
    ask(ruled, "GRANT SELECT ON emp TO ROLE reader")
    [row] = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.emp", "ann")
    assert row[2] == "allow"
    ask(ruled, "REVOKE SELECT ON emp FROM ROLE reader")
    [row] = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.emp", "ann")
    assert row[2] == "deny"


def test_roles_have_trinos_columns(ruled: Ruled) -> None:
    ruled.all("CREATE ROLE reader", "GRANT ROLE reader TO ann", "CREATE ROLE other")
    assert ask(ruled, "SHOW ROLES") == [("other",), ("reader",)]
    assert ruled.names == ["Role"]
    assert ask(ruled, "SHOW CURRENT ROLES", "ann") == [("reader",)]
    assert ask(ruled, "SHOW ROLE GRANTS", "ann") == [("reader",)]
    assert ruled.names == ["Role Grants"]
    assert ask(ruled, "SHOW ROLES", "bob") == []


def test_the_information_schema_knows_roles(ruled: Ruled) -> None:
    ruled.all("CREATE ROLE reader", "GRANT ROLE reader TO GROUP dev WITH ADMIN OPTION")
    assert ask(ruled, "SELECT * FROM information_schema.roles") == [("reader",)]
    assert ask(ruled, "SELECT * FROM lake.information_schema.enabled_roles") == []
    assert ask(ruled, "SELECT * FROM system.information_schema.applicable_roles") == [
        ("dev", "GROUP", "reader", "YES")
    ]


def test_grants_have_trinos_columns(ruled: Ruled) -> None:
    ruled.all("CREATE ROLE reader")
    ask(ruled, "GRANT SELECT ON emp TO bob WITH GRANT OPTION")
    ruled.all(
        "GRANT INSERT ON hr.dept TO ROLE reader",
        "GRANT DELETE ON SCHEMA hr TO ROLE reader",
        "DENY UPDATE ON hr.emp TO PUBLIC",
        "GRANT SELECT ON hr.* TO PUBLIC",
    )
    assert ask(ruled, "SHOW GRANTS ON TABLE emp") == [
        (ROOT, "USER", "bob", "USER", "lake", "hr", "emp", "SELECT", "YES", None)
    ]
    assert ruled.names == [
        "Grantor", "Grantor Type", "Grantee", "Grantee Type", "Catalog", "Schema", "Table",
        "Privilege", "Grantable", "With Hierarchy",
    ]  # fmt: skip
    assert [(row[2], row[6], row[7]) for row in ask(ruled, "SHOW GRANTS")] == [
        ("reader", "dept", "INSERT"),
        ("bob", "emp", "SELECT"),
    ]


def test_grants_and_denials_do_not_tell_of_tables_that_are_not_shown(ruled: Ruled) -> None:
    ruled.all(
        "GRANT SELECT ON hr.dept TO bob",
        "GRANT SELECT ON hr.emp TO bob",
        "DENY OWN ON hr.emp TO bob",
        "DENY OWN ON hr.names TO PUBLIC",
    )
    listed = "SELECT table_name FROM information_schema.table_privileges"
    assert ask(ruled, listed) == [("dept",), ("emp",)]
    assert ask(ruled, listed, "bob") == [("dept",)]
    assert [row[6] for row in ask(ruled, "SHOW GRANTS", "bob")] == ["dept"]
    assert [row[2] for row in ruled.rows("SHOW GRANTS", "bob")] == ["TABLE lake.hr.dept"]
    assert len(ruled.rows("SHOW GRANTS")) == 4


def test_dbt_finds_the_grants_of_a_table(ruled: Ruled) -> None:
    """What dbt-trino asks, grants and takes back."""
    ask(ruled, 'grant select on "lake"."hr"."emp" to "bob"')
    asked = (
        "select grantee, lower(privilege_type) as privilege_type"
        " from information_schema.table_privileges"
        " where table_catalog = 'lake' and table_schema = 'hr' and table_name = 'emp'"
    )
    assert ask(ruled, asked) == [("bob", "select")]
    ask(ruled, 'revoke select on "lake"."hr"."emp" from "bob"')
    assert ask(ruled, asked) == []


def test_errors_have_trinos_names(ruled: Ruled) -> None:
    error = ruled.fails("GRANT SELECT ON nosuch TO bob", client=TRINO)
    assert error.code is ErrorCode.TABLE_NOT_FOUND
    error = ruled.fails("GRANT nosuch TO bob", client=TRINO)
    assert error.code is ErrorCode.ROLE_NOT_FOUND
    error = ruled.fails("CREATE ROLE r", "ann", client=TRINO)
    assert error.code is ErrorCode.ACCESS_DENIED


def test_without_rules_made_with_sql_nothing_has_changed(tmp_path: Path) -> None:
    without = Ruled(tmp_path / "other", sql=False)
    try:
        assert without.rows("SHOW ROLES", client=TRINO) == []
        assert without.rows("SHOW GRANTS", client=TRINO) == []
        error = without.fails("GRANT SELECT ON emp TO bob", client=TRINO)
        assert (error.code, error.subcode) == (ErrorCode.NOT_SUPPORTED, "NOT_SUPPORTED")
        roles = without.fails("SELECT * FROM information_schema.roles", client=TRINO)
        assert roles.code is ErrorCode.NOT_SUPPORTED
    finally:
        without.close()
