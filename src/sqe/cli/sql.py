"""``sqe sql``: statements from the command line, a file or stdin; answers on stdout."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from sqe.cli.exit_codes import exit_code_of
from sqe.cli.formats import OutputFormat
from sqe.cli.invocation import Invocation
from sqe.cli.remote import Remote, server_options
from sqe.errors import ErrorCode, SqeError, UserError

if TYPE_CHECKING:
    from sqe.client.transport import Transport

FORMATS = click.Choice([output.value for output in OutputFormat])


@click.command("sql")
@click.argument("text", required=False)
@click.option(
    "-f",
    "--file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True),
    help="Read the statements from a file, or from stdin for `-`.",
)
@click.option(
    "-o", "--output", type=FORMATS, default="table", show_default=True, help="How rows are written."
)
@click.option(
    "--output-file", type=click.Path(dir_okay=False, path_type=Path), help="Where; stdout if unset."
)
@server_options
@click.pass_obj
def command(
    invocation: Invocation, /, text: str | None, output: str, remote: Remote | None, **given: Any
) -> None:
    """Run SQL and write its rows to stdout; everything else goes to stderr.

    Statements are separated by semicolons and run in order; the first error ends the run. TEXT may
    be `-`, or missing where stdin is a pipe. Ctrl-C cancels the running query.
    """
    chosen = OutputFormat(output)
    if chosen.binary and given["output_file"] is None and sys.stdout.isatty():
        raise click.UsageError(f"{output} is binary: redirect stdout or give --output-file.")
    source = _source(text, given["file"])
    where = invocation.transport("sqe-cli", remote=remote)
    with _destination(given["output_file"]) as (out, screen_width):
        run_source(where, source, chosen, out, screen_width)


def run_source(
    where: AbstractContextManager[Transport],
    source: str,
    output: OutputFormat,
    out: BinaryIO,
    screen_width: int | None = None,
) -> None:
    """Runs every statement. An error is said here, with its place, and ends the process."""
    from sqe.cli.statements import split

    statements = list(split(source))
    if not statements:
        raise UserError(ErrorCode.EMPTY_STATEMENT, "There is no statement in the text.")
    from sqe.cli.errors import render_error
    from sqe.cli.formats.writer import writer_for
    from sqe.cli.running import run_statement

    writer = writer_for(output, out, screen_width=screen_width)
    with where as transport:
        for statement in statements:
            try:
                outcome = run_statement(transport, statement.text, writer)
            except SqeError as error:
                out.flush()
                click.echo(render_error(error, statement, several=len(statements) > 1), err=True)
                raise click.exceptions.Exit(exit_code_of(error)) from error
            click.echo(outcome.summary, err=True)


def _source(text: str | None, file: Path | None) -> str:
    if text is not None and text != "-":
        if file is not None:
            raise click.UsageError("Give the statement or --file, not both.")
        return _check_text(text)
    if file is not None and str(file) != "-":
        return _decode(file.read_bytes(), str(file))
    if text is None and file is None and sys.stdin.isatty():
        raise click.UsageError("Give a statement, --file, or pipe statements in; or `sqe shell`.")
    return read_stdin()


def read_stdin() -> str:
    return _decode(sys.stdin.buffer.read(), "stdin")


def _decode(data: bytes, name: str) -> str:
    try:
        # Some editors begin a file with a byte order mark; it is no part of the text.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            ErrorCode.INVALID_TEXT, f"{name} is not UTF-8: line {line}, byte {error.start}."
        ) from None


def _check_text(text: str) -> str:
    """Bytes of the command line that are no UTF-8 reach Python as lone surrogates."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UserError(ErrorCode.INVALID_TEXT, "The statement is not UTF-8.")
    return text


@contextmanager
def _destination(path: Path | None) -> Iterator[tuple[BinaryIO, int | None]]:
    """Where the rows go, and the width of the terminal there, if it is one."""
    if path is None:
        yield sys.stdout.buffer, shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        return
    try:
        file = path.open("wb")
    except OSError as error:
        raise click.FileError(str(path), error.strerror or "") from error
    with file:
        yield file, None
