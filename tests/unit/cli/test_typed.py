from __future__ import annotations

import pytest

from sqe.cli.shell.typed import CommandLine, is_finished, parse
from sqe.cli.statements import SourceStatement


def parts(text: str) -> list[str | tuple[str, str, str]]:
    return [
        part.text if isinstance(part, SourceStatement) else (part.name, part.argument, part.query)
        for part in parse(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1; SELECT 2;", ["SELECT 1", "SELECT 2"]),
        (r"\d demo.orders;", [(r"\d", "demo.orders", "")]),
        (r"SELECT 1 \g out.csv", [(r"\g", "out.csv", "SELECT 1")]),
        ("SELECT 1;\n\\x\nSELECT 2", ["SELECT 1", (r"\x", "", ""), "SELECT 2"]),
        ("A; B \\g it's.csv\nC;", ["A", (r"\g", "it's.csv", "B"), "C"]),
        (r"SELECT 'a\n', `\x`; -- \q", [r"SELECT 'a\n', `\x`"]),
        ("/* \\q */ SELECT r'\\';", ["/* \\q */ SELECT r'\\'"]),
        ("quit", [(r"\q", "", "")]),
        ("Help;", [(r"\?", "", "")]),
    ],
)
def test_statements_and_commands_come_in_their_order(text: str, expected: list[object]) -> None:
    assert parts(text) == expected


def test_places_count_from_the_beginning_of_the_text() -> None:
    last = list(parse("\\x\n\n\\timing\nSELECT 1;\n SELECT 2;"))[-1]
    assert isinstance(last, SourceStatement)
    assert (last.line, last.column) == (5, 2)


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("", True),
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; SELECT", False),
        ("SELECT '\\q", False),
        ("SELECT 1 \\g", True),
        ("\\x\nSELECT 1", False),
        ("\\x\nSELECT 1;", True),
        ("exit", True),
        ("exit_code", False),
    ],
)
def test_enter_runs_what_is_finished(text: str, finished: bool) -> None:
    assert is_finished(text) is finished


def test_a_command_has_its_semicolon_taken_off() -> None:
    assert list(parse(r"\timing;")) == [CommandLine(r"\timing", "", "")]
