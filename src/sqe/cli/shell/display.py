"""Commands that change how results are shown, and where."""

from __future__ import annotations

import click

from sqe.cli.formats import Expanded, OutputFormat
from sqe.cli.shell.files import OpenFile
from sqe.cli.shell.meta import Command, Console, switch
from sqe.cli.shell.pager import pager_command
from sqe.errors import ErrorCode, UserError

_FORMATS = tuple(output.value for output in OutputFormat if not output.binary)
_EXPANDED = {
    Expanded.ON: "Rows are shown as one line per column.",
    Expanded.OFF: "Rows are shown as a table.",
    Expanded.AUTO: "Rows are shown as a table, or one line per column where it would be too wide.",
}


def _expand(console: Console, argument: str, query: str) -> None:
    state = console.runner.state
    if not argument:
        on = state.expanded is not Expanded.ON
        state.expanded = Expanded.ON if on else Expanded.AUTO
    else:
        state.expanded = Expanded(_choice(argument, ("on", "off", "auto"), r"\x"))
    click.echo(_EXPANDED[state.expanded])


def _format(console: Console, argument: str, query: str) -> None:
    state = console.runner.state
    if argument:
        state.output = OutputFormat(_choice(argument, _FORMATS, "The format"))
    click.echo(f"Rows are shown as {state.output.value}; the formats: {', '.join(_FORMATS)}.")


def _limit(console: Console, argument: str, query: str) -> None:
    state = console.runner.state
    if argument:
        digits = argument.replace(",", "").replace("_", "")
        if not digits.isdecimal():
            raise UserError(
                ErrorCode.INVALID_ARGUMENT, f"The limit is a number of rows, not {argument}."
            )
        state.limit = int(digits)
    rows = f"At most {state.limit:,} rows" if state.limit else "All rows"
    click.echo(f"{rows} of a result are shown. Files get all of them.")


def _pager(console: Console, argument: str, query: str) -> None:
    state = console.runner.state
    state.pager = switch(state.pager, argument, "The pager")
    command = " ".join(pager_command())
    if state.pager and not command:
        click.echo("There is no pager: install less or set PAGER.")
    else:
        click.echo(f"Long results go through {command}." if state.pager else "No pager is used.")


def _set_timing(console: Console, argument: str, query: str) -> None:
    state = console.runner.state
    state.timing = switch(state.timing, argument, "The timing")
    click.echo(f"The time of statements is {'shown' if state.timing else 'not shown'}.")


def _send(console: Console, argument: str, query: str) -> None:
    state = console.runner.state
    if state.file is not None:
        file, state.file = state.file, None
        file.keep()
        click.echo(f"{file.path} is written.")
    elif not argument:
        click.echo(r"Results are shown here; \o FILE sends them to a file.")
    if argument:
        state.file = OpenFile(argument)
        click.echo(rf"Results go to {state.file.path} until the next \o.")


def _choice(argument: str, choices: tuple[str, ...], name: str) -> str:
    if argument.lower() not in choices:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT, f"{name} is one of {', '.join(choices)}, not {argument}."
        )
    return argument.lower()


DISPLAY = (
    Command(
        r"\x",
        "[on|off|auto]",
        "rows as one line per column; auto: where a table would be too wide",
        _expand,
        choices=("on", "off", "auto"),
    ),
    Command(r"\limit", "[rows]", "show so many rows of a result; 0 shows all", _limit),
    Command(
        r"\pager",
        "[on|off]",
        "long results go through $PAGER, or less",
        _pager,
        choices=("on", "off"),
    ),
    Command(
        r"\timing", "[on|off]", "show how long statements take", _set_timing, choices=("on", "off")
    ),
    Command(r"\format", "[name]", f"show rows as {', '.join(_FORMATS)}", _format, choices=_FORMATS),
    Command(r"\o", "[file]", "send results to a file, until the next \\o", _send, "file"),
)
