"""Reads what is typed, runs it, shows the answer; again."""

from __future__ import annotations

import sys
import termios
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import Lexer

from sqe.cli.errors import render_error, report_defect
from sqe.cli.interruption import LeaveNow
from sqe.cli.shell.commands import find_command
from sqe.cli.shell.completion import SqlCompleter
from sqe.cli.shell.files import read_text
from sqe.cli.shell.keys import TypedAhead
from sqe.cli.shell.names import Names
from sqe.cli.shell.runner import Runner
from sqe.cli.shell.state import ShellState
from sqe.cli.shell.typed import CommandLine, is_finished, parse
from sqe.cli.statements import SourceStatement
from sqe.errors import ErrorCode, SqeError, UserError

if TYPE_CHECKING:
    from sqe.cli.invocation import Invocation
    from sqe.client.transport import Transport

_GREETING = r"SQE {version}. SQL ends with a semicolon; \? lists commands, Ctrl-D leaves."
_DEEPEST = 20  # files that read files


class Shell:
    """``history`` is the file that remembers what was typed."""

    def __init__(
        self, transport: Transport, state: ShellState, history: Path, invocation: Invocation
    ) -> None:
        self._transport = transport
        self._state = state
        self._invocation = invocation
        self._depth = 0
        self._prompt: PromptSession[str] = PromptSession(
            history=_history(history),
            completer=SqlCompleter(Names(transport)),
            complete_in_thread=True,
            complete_while_typing=False,
            lexer=_lexer(),
            multiline=True,
            key_bindings=_bindings(),
            prompt_continuation=lambda width, line, wrapped: "...> ".rjust(width),
        )
        self.runner = Runner(transport, state, TypedAhead(self._prompt.app.input))

    def run(self) -> None:
        from sqe import __version__

        click.echo(_GREETING.format(version=__version__))
        with _terminal_modes(), closing(self._state):
            while not self._state.leave:
                draft, self._state.draft = self._state.draft, ""
                try:
                    typed = self._prompt.prompt(f"{self._transport.schema()}> ", default=draft)
                except KeyboardInterrupt:
                    continue
                except EOFError:
                    break
                self.handle(typed)

    def handle(self, typed: str) -> None:
        """Runs what was typed. Nothing that goes wrong ends the shell; ``LeaveNow`` does."""
        try:
            self._run_text(typed)
        except LeaveNow:
            click.echo("cancelled; leaving", err=True)
            raise
        except KeyboardInterrupt:
            click.echo("cancelled", err=True)
        except _Told:
            pass  # the error has been shown with its place
        except SqeError as error:
            click.echo(render_error(error), err=True)

    def run_file(self, name: str) -> None:
        """The statements and commands of a file, until the first that fails."""
        if self._depth >= _DEEPEST:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT, f"{name} is the {_DEEPEST + 1}th file within a file."
            )
        self._depth += 1
        try:
            self._run_text(read_text(name))
        finally:
            self._depth -= 1

    def _run_text(self, text: str) -> None:
        parts = list(parse(text))
        for part in parts:
            if self._state.leave:
                return
            try:
                if isinstance(part, CommandLine):
                    self._run_command(part)
                else:
                    self._state.last = part.text
                    self.runner.show(part.text)
            except _Told:
                raise
            except SqeError as error:
                self._tell(error, part, several=len(parts) > 1)
            except Exception as error:  # noqa: BLE001 - a defect must not end the session
                self._tell(report_defect(error, self._invocation), part, several=False)

    def _run_command(self, line: CommandLine) -> None:
        command = find_command(line.name)
        if not command.takes_query:
            self._state.draft = line.query  # typing goes on there
        command.act(self, line.argument, line.query)

    def _tell(self, error: SqeError, part: SourceStatement | CommandLine, *, several: bool) -> None:
        statement = part if isinstance(part, SourceStatement) else None
        click.echo(render_error(error, statement, several=several), err=True)
        raise _Told


class _Told(Exception):
    """What follows the statement that failed is not run."""


@contextmanager
def _terminal_modes() -> Iterator[None]:
    """However the shell is left, the terminal is as it was."""
    if not sys.stdin.isatty():
        yield
        return
    terminal = sys.stdin.fileno()
    modes = termios.tcgetattr(terminal)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, modes)


def _history(path: Path) -> FileHistory | InMemoryHistory:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=True)
        path.chmod(0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


def _lexer() -> Lexer | None:
    """Colours, where Pygments happens to be installed."""
    from prompt_toolkit.lexers import PygmentsLexer

    try:
        return PygmentsLexer(import_module("pygments.lexers.sql").SqlLexer)
    except ImportError:
        return None


def _bindings() -> KeyBindings:
    """Enter runs a finished text and otherwise begins a new line."""
    bindings = KeyBindings()

    @Condition
    def is_complete() -> bool:
        from prompt_toolkit.application import get_app

        return is_finished(get_app().current_buffer.text)

    @bindings.add("enter", filter=is_complete)
    def _(event: KeyPressEvent) -> Any:
        event.current_buffer.validate_and_handle()

    return bindings
