"""Runs statements for the shell: where their rows go and what is said about them."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import click

from sqe.cli.formats import Expanded, OutputFormat
from sqe.cli.formats.output import Output
from sqe.cli.formats.writer import ResultWriter, writer_to
from sqe.cli.interruption import Interruption, Keys
from sqe.cli.running import run_statement
from sqe.cli.shell.files import OpenFile
from sqe.cli.shell.pager import PagedOutput, pager_command
from sqe.cli.shell.state import ShellState

if TYPE_CHECKING:
    from sqe.client.transport import Transport

_LIMITED = r"\limit 0 shows all"


class Runner:
    """``keys`` is whoever reads the terminal while a statement runs."""

    def __init__(self, transport: Transport, state: ShellState, keys: Keys | None = None) -> None:
        self.transport = transport
        self.state = state
        self._keys = keys

    def show(self, text: str, *, expanded: Expanded | None = None, paged: bool = True) -> None:
        r"""Runs it and shows its rows; or adds them to the file of ``\o``."""
        state = self.state
        if state.file is not None:
            with state.file.one_result() as file_writer:
                self._run(text, file_writer, limit=0)
            return
        out = self._screen(paged=paged)
        writer = writer_to(state.output, out, expanded or state.expanded)
        if expanded is not None and state.output is not OutputFormat.TABLE:
            writer = writer_to(OutputFormat.TABLE, out, expanded)
        self._run(text, writer, limit=state.limit)

    def draw(self, text: str, writer: ResultWriter, limit: int, hint: str) -> None:
        """Runs it for a writer that shows something else than rows."""
        self._run(text, writer, limit, hint)

    def save(self, text: str, name: str) -> None:
        """All its rows into a file, or nothing where it fails."""
        file = OpenFile(name)
        try:
            self._run(text, file.writer, limit=0)
        except BaseException:
            file.discard()
            raise
        file.keep()

    def tell(self, words: str) -> None:
        out = self._screen(paged=True)
        out.write(words.encode())
        if isinstance(out, PagedOutput):
            out.finish()

    def screen(self) -> Output:
        return self._screen(paged=True)

    def sleep(self, seconds: float) -> bool:
        """False if someone interrupted it."""
        with Interruption(self._keys) as interruption:
            interruption.sleep(seconds)
            return not interruption.asked

    def _screen(self, *, paged: bool) -> Output:
        sys.stdout.flush()
        if not sys.stdout.isatty():
            return Output(sys.stdout.buffer)
        command = pager_command() if paged and self.state.pager else []
        if command:
            return PagedOutput(command)
        return Output(sys.stdout.buffer, shutil.get_terminal_size().columns)

    def _run(self, text: str, writer: ResultWriter, limit: int, hint: str = _LIMITED) -> None:
        try:
            outcome = run_statement(self.transport, text, writer, limit, self._keys)
        finally:
            if isinstance(writer.out, PagedOutput):
                writer.out.finish()
        left = writer.out.reader_left
        click.echo(outcome.describe(timing=self.state.timing, hint="" if left else hint), err=True)
