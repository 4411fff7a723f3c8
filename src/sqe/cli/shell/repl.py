"""Reads what is typed, runs it, shows the answer; again."""

from __future__ import annotations

import shutil
import sys
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
from sqe.cli.formats import OutputFormat
from sqe.cli.formats.writer import writer_for
from sqe.cli.running import run_statement
from sqe.cli.shell.completion import SqlCompleter
from sqe.cli.shell.meta import ShellState, run_meta
from sqe.cli.shell.names import Names
from sqe.cli.statements import is_complete, split
from sqe.errors import SqeError

if TYPE_CHECKING:
    from sqe.cli.invocation import Invocation
    from sqe.client.transport import Transport

_GREETING = r"SQE {version}. SQL ends with a semicolon; \? lists commands, Ctrl-D leaves."


class Shell:
    """``history`` is the file that remembers what was typed."""

    def __init__(
        self,
        transport: Transport,
        output: OutputFormat,
        history: Path,
        invocation: Invocation,
    ) -> None:
        self._transport = transport
        self._state = ShellState(output)
        self._invocation = invocation
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

    def run(self) -> None:
        from sqe import __version__

        click.echo(_GREETING.format(version=__version__))
        while not self._state.leave:
            try:
                typed = self._prompt.prompt(f"{self._transport.schema()}> ")
            except KeyboardInterrupt:
                continue
            except EOFError:
                return
            self.handle(typed)

    def handle(self, typed: str) -> None:
        """Runs what was typed. Nothing that goes wrong ends the shell."""
        if typed.lstrip().startswith("\\"):
            said = run_meta(typed, self._state)
            if said.words:
                click.echo(said.words)
            typed = said.sql
        statements = list(split(typed))
        for statement in statements:
            try:
                self._execute(statement.text)
            except SqeError as error:
                several = len(statements) > 1
                click.echo(render_error(error, statement, several=several), err=True)
                return
            except KeyboardInterrupt:
                click.echo("cancelled", err=True)
                return
            except Exception as error:  # noqa: BLE001 - a defect must not end the session
                click.echo(render_error(report_defect(error, self._invocation)), err=True)
                return

    def _execute(self, text: str) -> None:
        sys.stdout.flush()
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        writer = writer_for(self._state.output, sys.stdout.buffer, screen_width=width)
        outcome = run_statement(self._transport, text, writer)
        if self._state.timing:
            click.echo(outcome.summary, err=True)


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
    def finished() -> bool:
        from prompt_toolkit.application import get_app

        text = get_app().current_buffer.text
        stripped = text.strip()
        return not stripped or stripped.startswith("\\") or is_complete(text)

    @bindings.add("enter", filter=finished)
    def _(event: KeyPressEvent) -> Any:
        event.current_buffer.validate_and_handle()

    return bindings
