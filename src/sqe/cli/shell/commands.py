r"""All backslash commands: the help, completion and the shell itself go by this table."""

from __future__ import annotations

from difflib import get_close_matches

import click

from sqe.cli.shell.describing import DESCRIBING
from sqe.cli.shell.display import DISPLAY
from sqe.cli.shell.meta import Command, Console
from sqe.cli.shell.queries import QUERIES
from sqe.errors import ErrorCode, UserError

_KEYS = (
    ("Ctrl-C", "cancel the running statement, or forget what was typed; twice: leave"),
    ("Ctrl-D", "leave, also while something runs"),
    ("Tab", "complete names and commands"),
)


def find_command(name: str) -> Command:
    command = COMMANDS.get(name)
    if command is not None:
        return command
    near = get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise UserError(
        ErrorCode.INVALID_ARGUMENT, f"There is no command {name}.", hint=rf"{hint}\? lists them."
    )


def _help(console: Console, argument: str, query: str) -> None:
    if argument:
        command = find_command(argument if argument.startswith("\\") else f"\\{argument}")
        click.echo(f"{command.usage}  {command.meaning}")
        return
    lines = []
    for title, commands in GROUPS.items():
        lines += [title, *(f"  {command.usage:20} {command.meaning}" for command in commands)]
    lines += ["Keys", *(f"  {key:20} {meaning}" for key, meaning in _KEYS)]
    console.runner.tell("".join(line + "\n" for line in lines))


def _quit(console: Console, argument: str, query: str) -> None:
    console.runner.state.leave = True


GROUPS: dict[str, tuple[Command, ...]] = {
    "Statements": QUERIES,
    "What there is": DESCRIBING,
    "Results": DISPLAY,
    "Shell": (
        Command(r"\?", "[command]", "this list", _help),
        Command(r"\q", "", "leave", _quit),
    ),
}
COMMANDS = {command.name: command for commands in GROUPS.values() for command in commands}
