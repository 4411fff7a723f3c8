"""ALTER TABLE … BRANCH and TAG, and what stands behind a table's name."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.sql.parse import parse
from sqe.sql.statement import Access, StatementKind


@pytest.mark.parametrize(
    "clause",
    [
        "CREATE BRANCH b",
        "CREATE BRANCH IF NOT EXISTS `b-1` AS OF VERSION 5",
        "CREATE OR REPLACE BRANCH b AS OF VERSION 5 RETAIN 7 DAYS",
        "CREATE BRANCH b RETAIN 7 DAYS WITH SNAPSHOT RETENTION 2 SNAPSHOTS",
        "CREATE BRANCH b WITH SNAPSHOT RETENTION 2 SNAPSHOTS 3 HOURS",
        "CREATE BRANCH b WITH SNAPSHOT RETENTION 30 MINUTES",
        "CREATE TAG t AS OF VERSION 5 RETAIN 360 DAYS",
        "REPLACE BRANCH b AS OF VERSION 5",
        "REPLACE TAG t RETAIN 1 DAYS",
        "DROP BRANCH b",
        "DROP TAG IF EXISTS t",
    ],
)
def test_branches_and_tags(clause: str) -> None:
    statement = parse(f"ALTER TABLE s.t {clause}")
    assert statement.kind is StatementKind.ALTER_TABLE
    [reference] = statement.references
    assert (reference.parts, reference.access) == (("s", "t"), Access.ALTER)


@pytest.mark.parametrize(
    ("clause", "said"),
    [
        ("CREATE BRANCH", "the branch's name"),
        ("CREATE BRANCH b AS OF VERSION 'x'", "whole number"),
        ("CREATE BRANCH b RETAIN 7", "DAYS, HOURS or MINUTES"),
        ("CREATE TAG t WITH SNAPSHOT RETENTION 2 SNAPSHOTS", "the end"),
        ("CREATE BRANCH b WITH SNAPSHOT RETENTION 2 YEARS", "SNAPSHOTS, DAYS"),
        ("DROP BRANCH b RETAIN 7 DAYS", "the end"),
        ("CREATE OR REPLACE TAG IF NOT EXISTS t", "the end"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(clause: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as raised:
        parse(f"ALTER TABLE s.t {clause}")
    assert raised.value.code is ErrorCode.SYNTAX_ERROR
    assert raised.value.position is not None


@pytest.mark.parametrize("start", ["", "FOR "])
@pytest.mark.parametrize(
    "clause",
    [
        "VERSION AS OF 5",
        "SYSTEM_VERSION AS OF 'b'",
        "TIMESTAMP AS OF now()",
        "SYSTEM_TIME AS OF 'x'",
    ],
)
def test_all_of_sparks_forms_of_time_travel(start: str, clause: str) -> None:
    for alias in ("", " AS x", " x"):
        [reference] = parse(f"SELECT * FROM s.t {start}{clause}{alias}").references
        assert reference.temporal is not None
        assert reference.alias == ("x" if alias else None)


def test_options_stay_with_the_name() -> None:
    text = "SELECT * FROM s.t.changes WITH ('start-snapshot-id' = '5', `end-snapshot-id` = 8) c"
    [reference] = parse(text).references
    assert reference.parts == ("s", "t", "changes")
    assert reference.temporal is not None
    assert reference.temporal.of(text) == text[text.index("WITH") : -2]
    assert reference.alias == "c"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("'split-size' = '5'", ErrorCode.NOT_SUPPORTED, "It takes start-snapshot-id"),
        ("'start-snapshot' = '5'", ErrorCode.NOT_SUPPORTED, "Did you mean start-snapshot-id?"),
        ("'path' = '/etc'", ErrorCode.NOT_SUPPORTED, ""),
        ("'start-snapshot-id' = 'x'", ErrorCode.INVALID_ARGUMENT, "a snapshot's number"),
        ("'end-timestamp' = 'now'", ErrorCode.INVALID_ARGUMENT, "milliseconds"),
    ],
)
def test_only_options_that_choose_snapshots(options: str, code: ErrorCode, said: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(f"SELECT * FROM s.t WITH ({options})")
    assert raised.value.code is code
    assert said in str(raised.value)


def test_table_changes_is_the_tables_changes() -> None:
    [reference] = parse("SELECT * FROM table_changes('s.t', 5, 8) AS c").references
    assert (reference.parts, reference.alias) == (("s", "t", "changes"), "c")
    assert reference.options == " WITH ('start-snapshot-id' = '5', 'end-snapshot-id' = '8')"


@pytest.mark.parametrize("call", ["()", "(s.t)", "('s.t', 'x')", "('s.t', 1, 2, 3)", "('a b')"])
def test_table_changes_takes_a_table_and_snapshots(call: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(f"SELECT * FROM table_changes{call}")
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT


def test_table_changes_is_no_function_of_values() -> None:
    with pytest.raises(UserError) as raised:
        parse("SELECT table_changes('s.t')")
    assert raised.value.code is ErrorCode.FUNCTION_NOT_FOUND
