from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqe.cli.statements import is_complete, split


def texts(source: str) -> list[str]:
    return [statement.text for statement in split(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", []),
        (" ;; -- nothing\n; /* no; thing */ ", []),
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1; SELECT 2;", ["SELECT 1", "SELECT 2"]),
        ("SELECT ';'; SELECT 2", ["SELECT ';'", "SELECT 2"]),
        (r"SELECT '\';'; SELECT 2", [r"SELECT '\';'", "SELECT 2"]),
        (r"SELECT r'\'; SELECT 2", [r"SELECT r'\'", "SELECT 2"]),
        (r"SELECT bar'\';'", [r"SELECT bar'\';'"]),
        ("SELECT 'it''s; fine'", ["SELECT 'it''s; fine'"]),
        ('SELECT "a;b"', ['SELECT "a;b"']),
        ("SELECT `a;``;b`", ["SELECT `a;``;b`"]),
        (r"SELECT `a\`; SELECT 2", [r"SELECT `a\`", "SELECT 2"]),
        ("SELECT 1 -- one; two\n; SELECT 2", ["SELECT 1 -- one; two", "SELECT 2"]),
        ("SELECT 1 -- one \\\n; still\n; SELECT 2", ["SELECT 1 -- one \\\n; still", "SELECT 2"]),
        ("SELECT /* a /* b; */ c; */ 1; SELECT 2", ["SELECT /* a /* b; */ c; */ 1", "SELECT 2"]),
        ("SELECT /*+ BROADCAST(t) */ 1; SELECT 2", ["SELECT /*+ BROADCAST(t) */ 1", "SELECT 2"]),
        ("SELECT '-- /*'; SELECT 2", ["SELECT '-- /*'", "SELECT 2"]),
        ("SELECT $$a;b$$; SELECT 2", ["SELECT $$a;b$$", "SELECT 2"]),
        ("BEGIN SELECT 1; END; SELECT 2", ["BEGIN SELECT 1; END", "SELECT 2"]),
        (
            "BEGIN -- x; END\n IF a THEN SELECT CASE WHEN ';' THEN 1 END; END IF; END; SELECT 2",
            [
                "BEGIN -- x; END\n IF a THEN SELECT CASE WHEN ';' THEN 1 END; END IF; END",
                "SELECT 2",
            ],
        ),
        (
            "BEGIN l: LOOP BEGIN END; END LOOP l; END; 1",
            ["BEGIN l: LOOP BEGIN END; END LOOP l; END", "1"],
        ),
        ("begin; SELECT t.begin; SELECT 2", ["begin", "SELECT t.begin", "SELECT 2"]),
        ("SELECT 'open; ", ["SELECT 'open;"]),
        ("SELECT 'open\\", ["SELECT 'open\\"]),
    ],
)
def test_semicolons_count_only_in_code(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


def test_a_statement_knows_its_number_line_and_column() -> None:
    first, second, third = split("SELECT 1;\n\n  SELECT\n2; SELECT 3")
    assert (first.number, first.line, first.column, first.terminated) == (1, 1, 1, True)
    assert (second.number, second.line, second.column) == (2, 3, 3)
    assert (third.number, third.line, third.column, third.terminated) == (3, 4, 4, False)


@pytest.mark.parametrize("source", ["SELECT 1;", "SELECT 1; -- done", "SELECT 1;\n\n", ";"])
def test_input_is_complete_after_its_last_semicolon(source: str) -> None:
    assert is_complete(source)


@pytest.mark.parametrize("source", ["", "SELECT 1", "SELECT ';", "SELECT 1; /* ", "SELECT 1; SEL"])
def test_input_goes_on_until_then(source: str) -> None:
    assert not is_complete(source)


PIECES = st.sampled_from(
    ["SELECT 1", "'a;b'", '"a;b"', "`a;b`", "/* ; /* ; */ */", "-- ;\n", "r'\\'", "\n", " x "]
)


@given(st.lists(st.lists(PIECES, min_size=1).map(" ".join), max_size=5))
def test_statements_joined_by_semicolons_come_apart_again(statements: list[str]) -> None:
    expected = [text.strip() for text in statements if texts(text)]
    assert texts(";".join(text + "\n" for text in statements)) == expected


@given(st.text(alphabet="a;'\"`-/*+\\\n$r ", max_size=40))
def test_no_character_of_any_text_is_lost(source: str) -> None:
    position = 0
    for statement in split(source):
        found = source.find(statement.text, position)
        assert found >= position
        assert statement.line == source.count("\n", 0, found) + 1
        position = found + len(statement.text)
