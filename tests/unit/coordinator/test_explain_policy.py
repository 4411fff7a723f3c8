"""EXPLAIN POLICY and SHOW EFFECTIVE POLICY: of views that lend rights, and for Trino's clients."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.errors import ErrorCode
from sqe.model.query import ClientState
from tests.unit.coordinator.ruled import ROOT, Ruled

TRINO = ClientState("lake", "hr")
NOTHING = "you may not, or it does not exist"
NOT_LENT = "its owner may not read what it is made of, or not let others read it"
LENT = "what it is made of is read with the rights of its owner"


@pytest.fixture
def ruled(tmp_path: Path) -> Iterator[Ruled]:
    """eve lends what she sees of hr.emp in hr.lent; fay may read that view, and nothing else."""
    server = Ruled(tmp_path)
    server.lend("lent", "SELECT id AS a FROM hr.emp", "eve")
    server.all(
        "GRANT SELECT ON hr.emp TO eve ROWS WHERE (region = 'EU') WITH GRANT OPTION",
        "GRANT SELECT ON hr.lent TO fay",
    )
    yield server
    server.close()


def ask(ruled: Ruled, sql: str, user: str = ROOT) -> list[tuple[object, ...]]:
    return ruled.rows(sql, user, client=TRINO)


def test_a_reader_hears_that_rights_are_lent_and_not_on_what(ruled: Ruled) -> None:
    own, lent = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.lent", "fay")
    assert own[:3] == ("lake.hr.lent", "select", "allow")
    assert lent == ("lake.hr.lent", "select", "allow", None, LENT, None, None)


def test_a_reader_hears_that_the_owner_may_not_any_more(ruled: Ruled) -> None:
    ruled.all("REVOKE SELECT ON hr.emp FROM eve")
    _, lent = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.lent", "fay")
    assert lent[2:5] == ("deny", None, NOT_LENT)
    assert ruled.fails("SELECT * FROM hr.lent", "fay").code is ErrorCode.ACCESS_DENIED


def test_a_reader_hears_that_the_owner_may_not_let_others_read(ruled: Ruled) -> None:
    ruled.all("REVOKE GRANT OPTION FOR SELECT ON hr.emp FROM eve")
    _, lent = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.lent", "fay")
    assert lent[2:5] == ("deny", None, NOT_LENT)
    _, reads, lends = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.lent")
    assert (reads[1:3], lends[1:3]) == (("select", "restrict"), ("lend", "deny"))


def test_administrators_hear_what_the_owner_may(ruled: Ruled) -> None:
    own, table, lends = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.lent")
    assert lends[:3] == ("lake.hr.emp", "lend", "allow")
    assert own[:3] == ("lake.hr.lent", "select", "allow")
    assert table[:4] == ("lake.hr.emp", "select", "restrict", "sql")
    assert table[4] == (
        "for eve, with whose rights the view is read:"
        " GRANT SELECT ON TABLE lake.hr.emp TO USER eve ROWS WHERE (…) WITH GRANT OPTION"
    )
    assert table[5] == "(region = 'EU')"


def test_whoever_administers_the_view_hears_no_text_about_a_table_of_others(ruled: Ruled) -> None:
    ruled.all("GRANT OWN ON hr.lent TO gil")
    _, table, _ = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.lent", "gil")
    assert table[:3] == ("lake.hr.emp", "select", "restrict")
    assert table[5] == "those that a row filter leaves"


def test_the_owner_reads_as_themselves(ruled: Ruled) -> None:
    _, table = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.lent", "eve")
    assert table[:3] == ("lake.hr.emp", "select", "restrict")
    assert "for eve" not in str(table[4])


def test_inside_a_lent_view_another_readers_tables_are_theirs_again(ruled: Ruled) -> None:
    """hr.names is read as its reader, also where hr.twice lends the right to it."""
    ruled.lend("twice", "SELECT a FROM hr.names", "eve")
    ruled.all(
        "GRANT SELECT ON hr.twice TO fay", "GRANT SELECT ON hr.names TO eve WITH GRANT OPTION"
    )
    rows = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.twice", "fay")
    assert [row[0] for row in rows] == ["lake.hr.twice", "lake.hr.twice", "lake.hr.emp"]
    assert rows[1][4] == LENT
    assert rows[2][2:5] == ("deny", None, NOTHING)


def test_a_denied_view_is_not_opened(ruled: Ruled) -> None:
    [row] = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.lent", "zoe")
    assert row[:5] == ("lake.hr.lent", "select", "deny", None, NOTHING)


# Trino's dialect.


def test_trinos_clients_are_told_the_same(ruled: Ruled) -> None:
    for user in (ROOT, "eve", "fay"):
        expected = ruled.rows("EXPLAIN POLICY SELECT * FROM hr.lent", user)
        assert ask(ruled, "EXPLAIN POLICY SELECT * FROM lent", user) == expected
    assert ruled.names == [
        "object", "privilege", "decision", "source", "reason", "rows", "columns",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT * FROM emp", [("emp", "select")]),
        ("SELECT (SELECT max(id) FROM emp) FROM dept", [("emp", "select"), ("dept", "select")]),
        ("WITH emp AS (SELECT 1) SELECT * FROM emp, dept", [("dept", "select")]),
        ("INSERT INTO emp SELECT * FROM dept", [("emp", "insert"), ("dept", "select")]),
        ("DELETE FROM emp", [("emp", "delete"), ("emp", "select")]),
        ("UPDATE emp SET name = 'x'", [("emp", "update"), ("emp", "select")]),
        (
            "DELETE FROM emp WHERE id IN (SELECT id FROM dept)",
            [("emp", "delete"), ("emp", "select"), ("dept", "select")],
        ),
        ("EXECUTE IMMEDIATE 'SELECT * FROM emp WHERE id = ?' USING 1", [("emp", "select")]),
    ],
)
def test_what_is_denied_is_explained_to_them_too(
    ruled: Ruled, sql: str, told: list[tuple[str, str]]
) -> None:
    rows = ask(ruled, f"EXPLAIN POLICY {sql}", "fay")
    expected = [(f"lake.hr.{table}", word, "deny", None, NOTHING) for table, word in told]
    assert [row[:5] for row in rows] == expected


def test_what_has_no_tables_has_nothing_to_explain(ruled: Ruled) -> None:
    assert ask(ruled, "EXPLAIN POLICY SHOW TABLES", "fay") == []
    assert ask(ruled, "EXPLAIN POLICY SET SESSION query_max_run_time = '1h'", "fay") == []


def test_what_cannot_be_told_apart_without_the_table_is_refused(ruled: Ruled) -> None:
    error = ruled.fails("EXPLAIN POLICY DROP TABLE emp", "fay", TRINO)
    assert error.code is ErrorCode.ACCESS_DENIED


@pytest.mark.parametrize(
    ("trino", "own"),
    [
        ("", ""),
        ("FOR USER eve", "FOR USER eve"),
        ("FOR eve", "FOR eve"),
        ("FOR USER eve GROUPS (staff, \"Other\")", "FOR USER eve GROUPS (staff, `Other`)"),
        ("FOR GROUP staff", "FOR GROUP staff"),
        ("FOR ROLE Reader", "FOR ROLE reader"),
        ("FOR PUBLIC", "FOR PUBLIC"),
    ],
)  # fmt: skip
def test_the_effective_policy_is_the_same_in_both_dialects(
    ruled: Ruled, trino: str, own: str
) -> None:
    ruled.all(
        "CREATE ROLE reader",
        "GRANT ROLE reader TO GROUP staff",
        "GRANT SELECT ON hr.emp TO ROLE reader COLUMNS (id)",
        "GRANT DELETE ON hr.emp TO PUBLIC",
    )
    expected = ruled.rows(f"SHOW EFFECTIVE POLICY {own} ON hr.emp")
    assert len(expected) > 5
    for table in ("emp", "TABLE hr.emp", "lake.hr.emp"):
        assert ask(ruled, f"SHOW EFFECTIVE POLICY {trino} ON {table}") == expected
    assert ruled.names == ["privilege", "decision", "source", "reason", "rows", "columns"]


def test_a_group_and_everybody_have_an_effective_policy(ruled: Ruled) -> None:
    ruled.all(
        "CREATE ROLE reader",
        "GRANT ROLE reader TO GROUP staff",
        "GRANT SELECT ON hr.dept TO ROLE reader",
        "GRANT DELETE ON hr.dept TO PUBLIC",
    )

    def allowed(who: str) -> list[object]:
        rows = ruled.rows(f"SHOW EFFECTIVE POLICY FOR {who} ON hr.dept")
        return [row[0] for row in rows if row[1] == "allow"]

    assert allowed("GROUP staff") == ["select", "delete", "show"]
    assert allowed("GROUP other") == ["delete", "show"]
    assert allowed("PUBLIC") == ["delete", "show"]


def test_others_policies_are_not_shown_to_trinos_clients_either(ruled: Ruled) -> None:
    error = ruled.fails("SHOW EFFECTIVE POLICY FOR USER eve ON lent", "fay", TRINO)
    assert error.code is ErrorCode.ACCESS_DENIED
    assert ask(ruled, "SHOW EFFECTIVE POLICY FOR USER fay ON lent", "fay")


def test_words_that_only_begin_like_it_stay_trinos(ruled: Ruled) -> None:
    error = ruled.fails("SHOW EFFECTIVE", client=TRINO)
    assert error.message.startswith("mismatched input 'EFFECTIVE'. Expecting: 'BRANCHES'")
