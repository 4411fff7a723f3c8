"""What a backslash command is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sqe.errors import ErrorCode, UserError

if TYPE_CHECKING:
    from sqe.cli.shell.runner import Runner


class Console(Protocol):
    """What commands need of the shell."""

    runner: Runner

    def run_file(self, name: str) -> None: ...


# It is given its argument and the unfinished statement that was typed before it, if any.
Act = Callable[[Console, str, str], None]


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    argument: str  # as the help shows it
    meaning: str
    act: Act
    completes: str = ""  # what the argument is: "relation", "file" or one of `choices`
    choices: tuple[str, ...] = ()
    takes_query: bool = False  # it is about the statement before it, or the last one

    @property
    def usage(self) -> str:
        return f"{self.name} {self.argument}".strip()


def query_of(console: Console, query: str) -> str:
    """The statement a command is about: the one before it, or else the last one."""
    state = console.runner.state
    if query:
        state.last = query
    if not state.last:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            "There is no statement yet.",
            hint=r"Write it before the command: SELECT 1 \g",
        )
    return state.last


def switch(now: bool, argument: str, name: str) -> bool:
    """The other way, or as the argument says."""
    if not argument:
        return not now
    if argument.lower() in ("on", "off"):
        return argument.lower() == "on"
    raise UserError(ErrorCode.INVALID_ARGUMENT, f"{name} is on or off, not {argument}.")
