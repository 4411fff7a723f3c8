"""The shell at work: what happens at the keyboard, in each moment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.cli.exit_codes import ExitCode
from tests.unit.cli.terminal import Terminal

PROMPT = "lake.default>"
CTRL_C, CTRL_D = "\x03", "\x04"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """Shared: every test begins and ends at an empty prompt."""
    home = tmp_path_factory.mktemp("home")
    pager = home / "pager"
    pager.write_text("#!/bin/sh\nhead -n 3\necho paged $LESS\n")
    pager.chmod(0o700)
    terminal = Terminal("--home", str(home), "shell", PAGER=str(pager))
    terminal.expect(PROMPT)
    yield terminal
    terminal.type(CTRL_D)
    assert terminal.wait() == 0
    terminal.close()


def test_a_statement_may_span_lines(shell: Terminal) -> None:
    shell.type("SELECT\r2;\r")
    assert " y\n---\n 2\n(1 row, " in shell.expect("s)")
    shell.expect(PROMPT)


def test_ctrl_c_at_the_prompt_forgets_the_line(shell: Terminal) -> None:
    shell.type("WRONG" + CTRL_C)
    shell.expect(PROMPT)
    shell.type("ONE;\r")
    shell.expect("(1 row, ")
    shell.expect(PROMPT)


def test_ctrl_c_cancels_the_query_and_the_shell_goes_on(shell: Terminal) -> None:
    shell.type("WAIT;\r")
    shell.expect("submitted WAIT")
    shell.type(CTRL_C)
    shell.expect("cancel WAIT")
    shell.expect("error[CANCELLED] The query was cancelled.")
    shell.expect(PROMPT)


def test_what_is_typed_ahead_is_run_afterwards(shell: Terminal) -> None:
    shell.type("SLOW;\r")
    shell.expect("submitted SLOW")
    shell.type("ONE;\r")
    shell.expect(" x\n---\n 3\n")
    shell.expect(" x\n---\n 1\n")
    shell.expect(PROMPT)


def test_ctrl_c_forgets_what_is_typed_ahead(shell: Terminal) -> None:
    shell.type("WAIT;\r")
    shell.expect("submitted WAIT")
    shell.type("ONE;\r" + CTRL_C)
    shell.expect("error[CANCELLED]")
    shell.expect(PROMPT)
    shell.type("SELECT\r2;\r")
    assert " x\n" not in shell.expect(" y\n")
    shell.expect(PROMPT)


def test_rows_too_wide_become_vertical(shell: Terminal) -> None:
    shell.type("WIDE;\r")
    assert f"id   | 1\ntext | {'w' * 90}" in shell.expect("(1 row, ")
    shell.expect(PROMPT)


def test_long_results_go_through_the_pager_and_short_ones_do_not(shell: Terminal) -> None:
    shell.type("LONG;\r")
    shell.expect(" n\n-----\n   0\npaged FRX\n(500 rows, ")
    shell.expect(PROMPT)
    shell.type("FULL;\r")
    assert "paged" not in shell.expect("(19 rows, ")
    shell.expect(PROMPT)


def test_leaving_the_pager_ends_the_query(shell: Terminal) -> None:
    shell.type("\\limit 0\r")
    shell.expect(PROMPT)
    shell.type("ENDLESS;\r")
    shell.expect("paged")
    shell.expect("cancel ENDLESS")
    shell.expect("of more rows")
    shell.expect(PROMPT)


def test_ctrl_c_in_the_middle_of_rows_cuts_no_line(shell: Terminal) -> None:
    shell.type("\\pager off\r")
    shell.expect(PROMPT)
    for _ in range(5):
        shell.type("ENDLESS;\r")
        shell.expect(" 999\n   0\n")
        shell.type(CTRL_C)
        assert re.search(r" 999\n(cancel ENDLESS\n)?error", shell.expect("error[CANCELLED]"))
        shell.expect(PROMPT)
    shell.type("\\pager on\r")
    shell.expect(PROMPT)


def test_watching_goes_on_until_ctrl_c(shell: Terminal) -> None:
    shell.type("ONE \\watch 0.1\r")
    for _ in range(3):
        shell.expect("every 0.1 s")
        shell.expect("(1 row, ")
    shell.type(CTRL_C)
    shell.expect(PROMPT)


@pytest.mark.parametrize(
    ("keys", "query"), [(CTRL_C * 2, "DEAF"), (CTRL_C * 2, "UNHEARD"), (CTRL_D, "DEAF")]
)
def test_who_will_not_wait_leaves_at_once(tmp_path: Path, keys: str, query: str) -> None:
    """Neither the query nor the server that is closed ends by itself."""
    terminal = Terminal("--home", str(tmp_path), "shell")
    try:
        terminal.expect(PROMPT)
        terminal.type(f"{query} \\g {tmp_path / 'x.csv'}\r")
        terminal.expect(f"submitted {query}")
        terminal.type(keys[0])
        terminal.expect(f"cancel {query}")
        terminal.type(keys[1:])
        assert terminal.wait() == ExitCode.CANCELLED
        assert terminal.echoes()
        assert list(tmp_path.glob("*x.csv*")) == []
    finally:
        terminal.close()


def test_sqe_sql_shows_wide_rows_vertically_on_a_terminal(tmp_path: Path) -> None:
    terminal = Terminal("--home", str(tmp_path), "sql", "WIDE; LONG")
    try:
        assert "-[ row 1 ]-\nid   | 1\n" in terminal.expect("(1 row, ")
        terminal.expect(" 499\n(500 rows, ")
    finally:
        terminal.close()
