"""Row filters and column masks by name: who may use them, where, and what is checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.errors import ErrorCode
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask
from tests.unit.coordinator.ruled import ROOT, Ruled

EMP = "lake.hr.emp"


@pytest.fixture
def ruled(tmp_path: Path) -> Iterator[Ruled]:
    """ann owns hr.emp; bob may grant SELECT on it."""
    server = Ruled(tmp_path)
    server.all(
        "GRANT OWN ON hr.emp TO ann",
        "GRANT SELECT ON hr.emp TO bob WITH GRANT OPTION",
        "CREATE ROW FILTER eu AS (region = 'EU')",
        "CREATE ROW FILTER pay AS (salary > 1)",
        "CREATE COLUMN MASK part AS PARTIAL(1, 0)",
        "CREATE COLUMN MASK up (c) AS (upper(c))",
        "CREATE COLUMN MASK other (c) AS (coalesce(nosuch, c))",
        "CREATE COLUMN MASK boss (c) AS ((SELECT max(name) FROM lake.hr.dept WHERE id = c))",
    )
    yield server
    server.close()


def masks(ruled: Ruled, user: str) -> str:
    [row, *_] = ruled.rows(f"SHOW EFFECTIVE POLICY FOR USER {user} ON hr.emp")
    return str(row[5])


def test_owners_use_names_in_their_grants(ruled: Ruled) -> None:
    ruled.rows("GRANT SELECT ON hr.emp TO cat COLUMNS (id, name MASKED WITH up)", "ann")
    assert ruled.server.book is not None
    found = ruled.server.book.grants(Identity(ROOT), None)
    [grant] = [one for one in found if one.to.name == "cat"]
    assert grant.columns is not None
    assert grant.columns[1].mask == ExpressionMask("upper(name)")


def test_who_may_only_pass_on_does_not(ruled: Ruled) -> None:
    """They see no names, and hear the same of those that there are and are not."""
    assert ruled.rows("SHOW COLUMN MASKS", "bob") == ruled.rows("SHOW ROW FILTERS", "bob") == []
    errors = {
        (error.code, error.message.replace(name, "?"))
        for name in ("part", "nosuch")
        for error in [
            ruled.fails(f"GRANT SELECT ON hr.emp TO cat COLUMNS (name MASKED WITH {name})", "bob")
        ]
    }
    assert errors == {
        (ErrorCode.POLICY_NOT_FOUND, "There is no column mask ? that you may use here.")
    }


def test_a_name_is_for_what_one_owns_only(ruled: Ruled) -> None:
    ruled.all("GRANT SELECT ON hr.dept TO ann WITH GRANT OPTION")
    error = ruled.fails("GRANT SELECT ON hr.dept TO cat COLUMNS (name MASKED WITH part)", "ann")
    assert error.code is ErrorCode.POLICY_NOT_FOUND
    error = ruled.fails("GRANT SELECT ON hr.* TO cat COLUMNS (name MASKED WITH part)", "ann")
    assert error.code is ErrorCode.POLICY_NOT_FOUND


def test_owners_see_which_there_are(ruled: Ruled) -> None:
    assert [row[0] for row in ruled.rows("SHOW COLUMN MASKS", "ann")] == [
        "boss", "other", "part", "up",
    ]  # fmt: skip
    assert [row[0] for row in ruled.rows("SHOW ROW FILTERS", "ann")] == ["eu", "pay"]


@pytest.mark.parametrize("user", [ROOT, "ann"])
@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("ALTER TABLE hr.emp ADD ROW FILTER pay", ErrorCode.COLUMN_NOT_FOUND),
        ("ALTER TABLE hr.emp ADD ROW FILTER nosuch", ErrorCode.POLICY_NOT_FOUND),
        ("ALTER TABLE hr.emp ADD ROW FILTER part", ErrorCode.INVALID_ARGUMENT),
        ("ALTER TABLE hr.emp ALTER COLUMN id SET MASK part", ErrorCode.TYPE_MISMATCH),
        ("ALTER TABLE hr.emp ALTER COLUMN name SET MASK other", ErrorCode.COLUMN_NOT_FOUND),
        ("ALTER TABLE hr.emp ALTER COLUMN name SET MASK eu", ErrorCode.INVALID_ARGUMENT),
        (
            "GRANT SELECT ON hr.emp TO cat COLUMNS (id MASKED WITH part)",
            ErrorCode.TYPE_MISMATCH,
        ),
        (
            "GRANT SELECT ON hr.emp TO cat COLUMNS (name MASKED WITH other)",
            ErrorCode.COLUMN_NOT_FOUND,
        ),
        ("GRANT SELECT ON hr.emp TO cat COLUMNS (name MASKED WITH eu)", ErrorCode.POLICY_NOT_FOUND),
    ],
)
def test_what_does_not_fit_is_put_nowhere_by_anybody(
    ruled: Ruled, user: str, sql: str, code: ErrorCode
) -> None:
    assert ruled.fails(sql, user).code is code


def test_a_mask_that_does_not_fit_is_refused_with_what_would(ruled: Ruled) -> None:
    error = ruled.fails("ALTER TABLE hr.emp ALTER COLUMN id SET MASK part")
    assert "BUCKET for numbers" in error.hint


def test_what_an_administrator_lets_a_policy_ask_owners_may_use(ruled: Ruled) -> None:
    ruled.rows("GRANT SELECT ON hr.emp TO cat COLUMNS (id, region MASKED WITH boss)", "ann")
    error = ruled.fails(
        "GRANT SELECT ON hr.emp TO cat ROWS WHERE (id IN (SELECT id FROM lake.hr.dept))", "ann"
    )
    assert (error.code, error.message) == (
        ErrorCode.ACCESS_DENIED,
        "You may not use other tables in a rule.",
    )
    ruled.rows("ALTER TABLE hr.emp ALTER COLUMN name SET MASK boss", "ann")


def test_a_column_has_one_mask_of_its_own(ruled: Ruled) -> None:
    ruled.all(
        "ALTER TABLE hr.emp ALTER COLUMN name SET MASK part",
        "ALTER TABLE hr.emp ALTER COLUMN region SET MASK part",
        "ALTER TABLE hr.emp ALTER COLUMN Name SET MASK up EXCEPT USER dan",
    )
    assert masks(ruled, "bob") == "name: expression(upper(name)), region: partial(1, 0)"
    assert masks(ruled, "dan") == "None"  # nothing is granted to dan
    ruled.all("ALTER TABLE hr.emp ALTER COLUMN name DROP MASK")
    assert masks(ruled, "bob") == "region: partial(1, 0)"


def test_what_somebody_else_has_set_is_not_replaced(ruled: Ruled) -> None:
    ruled.all("ALTER TABLE hr.emp ALTER COLUMN name SET MASK up")
    error = ruled.fails("ALTER TABLE hr.emp ALTER COLUMN name SET MASK part EXCEPT ann", "ann")
    assert error.code is ErrorCode.ACCESS_DENIED
    assert masks(ruled, "bob") == "name: expression(upper(name))"


def test_made_where_there_are_none(ruled: Ruled) -> None:
    ruled.all(
        "CREATE ROW FILTER IF NOT EXISTS eu AS (region = 'US')",
        "CREATE COLUMN MASK IF NOT EXISTS part AS NULL",
        "CREATE COLUMN MASK IF NOT EXISTS fresh AS NULL",
    )
    assert ("eu", "region = 'EU'") in [row[:2] for row in ruled.rows("SHOW ROW FILTERS")]
    found = dict(row[:2] for row in ruled.rows("SHOW COLUMN MASKS"))
    assert (found["part"], found["fresh"]) == ("partial(1, 0)", "null")
    error = ruled.fails("CREATE COLUMN MASK IF NOT EXISTS eu AS NULL")
    assert error.code is ErrorCode.POLICY_ALREADY_EXISTS
    error = ruled.fails("CREATE COLUMN MASK IF NOT EXISTS part AS NULL", "ann")
    assert error.code is ErrorCode.ACCESS_DENIED


@pytest.mark.parametrize("mask", ["REGEX('(', 'x')", "REGEX('a', '$1')"])
def test_a_pattern_that_is_none_is_not_kept(ruled: Ruled, mask: str) -> None:
    for sql in (
        f"CREATE COLUMN MASK m AS {mask}",
        f"GRANT SELECT ON hr.emp TO cat COLUMNS (name MASKED WITH {mask})",
    ):
        assert ruled.fails(sql).code is ErrorCode.INVALID_ARGUMENT


def test_all_tags_are_shown_to_administrators(ruled: Ruled) -> None:
    ruled.all(
        "ALTER TABLE hr.emp ALTER COLUMN name SET TAG pii",
        "ALTER TABLE hr.dept SET TAG pii",
        "ALTER TABLE hr.dept ALTER COLUMN id SET TAG key",
    )
    assert ruled.rows("SHOW TAGS") == [
        ("lake.hr.dept", "id", "key", ROOT),
        ("lake.hr.dept", None, "pii", ROOT),
        (EMP, "name", "pii", ROOT),
    ]
    assert ruled.names == ["table", "column", "tag", "set_by"]
    assert ruled.rows("SHOW TAGS", "ann") == []
    assert ruled.rows("SHOW TAGS ON hr.emp", "ann") == [(EMP, "name", "pii", ROOT)]
