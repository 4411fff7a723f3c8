"""Commands that run, edit and draw the current statement."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

import click

from sqe.cli.formats import Expanded
from sqe.cli.interruption import ignore_interrupts
from sqe.cli.shell.meta import Command, Console, query_of
from sqe.cli.shell.plots import KINDS, MOST_POINTS, PlotWriter
from sqe.cli.statements import is_complete
from sqe.errors import ErrorCode, UserError

_WATCH_S = 2.0


def _go(console: Console, argument: str, query: str) -> None:
    text = query_of(console, query)
    if argument:
        console.runner.save(text, argument)
    else:
        console.runner.show(text)


def _go_expanded(console: Console, argument: str, query: str) -> None:
    console.runner.show(query_of(console, query), expanded=Expanded.ON)


def _include(console: Console, argument: str, query: str) -> None:
    if not argument:
        raise UserError(ErrorCode.INVALID_ARGUMENT, r"Say which file: \i queries.sql")
    console.run_file(argument)


def _edit(console: Console, argument: str, query: str) -> None:
    """What is saved becomes the next prompt's text; Enter runs it."""
    state = console.runner.state
    text = query or state.last
    with tempfile.TemporaryDirectory(prefix="sqe-") as folder:
        path = Path(folder) / "query.sql"
        path.write_text(text + (";\n" if text and not is_complete(text) else ""), encoding="utf-8")
        command = [*shlex.split(_editor()), str(path)]
        try:
            with ignore_interrupts():
                code = subprocess.run(command, check=False).returncode  # noqa: S603  their choice
        except OSError as error:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"The editor {command[0]} does not start: {error.strerror}.",
                hint="Set EDITOR to the one you use.",
            ) from error
        if code:
            raise UserError(ErrorCode.INVALID_ARGUMENT, f"The editor ended with exit code {code}.")
        state.draft = path.read_text(encoding="utf-8").strip()


def _editor() -> str:
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"


def _watch(console: Console, argument: str, query: str) -> None:
    try:
        seconds = float(argument) if argument else _WATCH_S
    except ValueError:
        seconds = -1.0
    if not 0.1 <= seconds <= 86_400:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT, f"\\watch takes seconds, 0.1 or more, not {argument}."
        )
    text = query_of(console, query)
    while True:
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        click.echo(f"{now}, every {seconds:g} s; Ctrl-C ends it", err=True)
        console.runner.show(text, paged=False)
        if not console.runner.sleep(seconds):
            return


def _plot(console: Console, argument: str, query: str) -> None:
    if argument and argument not in KINDS:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT, rf"\plot draws {' or '.join(KINDS)}, not {argument}."
        )
    text = query_of(console, query)
    writer = PlotWriter(console.runner.screen(), argument)
    console.runner.draw(text, writer, MOST_POINTS, "a plot has no more")


def _explain(console: Console, argument: str, query: str) -> None:
    console.runner.show(f"EXPLAIN {argument or query_of(console, query)}")


QUERIES = (
    Command(
        r"\g",
        "[file]",
        "run the statement before it, or the last one; into a file, by its ending",
        _go,
        "file",
        takes_query=True,
    ),
    Command(r"\gx", "", "the same, with one line per column", _go_expanded, takes_query=True),
    Command(r"\watch", "[seconds]", "run it again and again", _watch, takes_query=True),
    Command(
        r"\plot",
        "[bar|line]",
        "draw it: the first column across, numbers up",
        _plot,
        choices=KINDS,
        takes_query=True,
    ),
    Command(r"\explain", "[query]", "how it would run", _explain, takes_query=True),
    Command(r"\e", "", "edit it in $EDITOR", _edit, takes_query=True),
    Command(r"\i", "file", "run the statements and commands of a file", _include, "file"),
)
