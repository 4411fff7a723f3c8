"""``sqe load``: files of the person at the keyboard into a table, all of them or none."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from sqe.cli.exit_codes import exit_code_of
from sqe.cli.invocation import Invocation
from sqe.cli.remote import server_options
from sqe.errors import ErrorCode, SqeError, error_of

if TYPE_CHECKING:
    from sqe.cli.running import Outcome

# By the end of a file's name: the format, and what such a file looks like if nothing else is said.
_FORMATS: dict[str, tuple[str, dict[str, str]]] = {
    ".csv": ("csv", {}),
    ".tsv": ("csv", {"sep": "\t"}),
    ".json": ("json", {}),
    ".jsonl": ("json", {}),
    ".ndjson": ("json", {}),
    ".parquet": ("parquet", {}),
    ".orc": ("orc", {}),
}
_PACKED = (".gz", ".bz2", ".zst", ".snappy", ".deflate")
_CHOICES = click.Choice(["csv", "tsv", "json", "parquet", "orc"])


@click.command("load")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--into", "table", help="The table, as in SQL: schema.table.")
@click.option("--preview", is_flag=True, help="Show how CSV files are read, and load nothing.")
@click.option(
    "--format", "file_format", type=_CHOICES, help="If the names of the files do not say."
)
@click.option("--create", is_flag=True, help="Make the table, with the columns of the files.")
@click.option("--overwrite", is_flag=True, help="Replace what the table holds.")
@click.option("--again", is_flag=True, help="Also load files that were loaded before.")
@click.option(
    "--rejects",
    "rejects",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Leave lines of CSV out that do not fit, and write them to this file.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="How the files are written, where it is not found out rightly: sep=; header=false"
    " encoding=windows-1252 decimal=, dateformat=dd.MM.yyyy … May be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="For programs: one JSON object on stdout.")
@server_options
@click.pass_obj
def command(
    invocation: Invocation, /, files: tuple[Path, ...], table: str | None, **given: Any
) -> None:
    """Load FILES (or all files of a folder) into a table.

    Columns go by their names. How CSV files are written (encoding, separator, header, decimal sign,
    dates) is found out; --preview shows it. A row that does not fit ends the load, and nothing is
    loaded. Files the table has loaded before are left out.
    """
    paths = _list_files(files)
    written = _format(paths, given["file_format"], given["options"])
    if given["preview"]:
        _preview(paths, written, as_json=given["as_json"])
        return
    if not table:
        raise click.UsageError("--into says which table to load; --preview only shows the files.")
    if given["rejects"] is not None and os.path.realpath(given["rejects"]) in paths:
        raise click.UsageError("--rejects would overwrite a file that is to be loaded.")
    chosen = {name for name in ("create", "overwrite", "again", "rejects") if given[name]}
    outcome = _run(invocation, paths, given, lambda sources: _copy(table, sources, written, chosen))
    rows = outcome.affected.total if outcome.affected is not None else 0
    click.echo(outcome.summary, err=True)
    if given["rejects"] is not None:
        lines = "line was" if outcome.rows == 1 else "lines were"
        click.echo(f"{outcome.rows:,} {lines} left out: see {given['rejects']}", err=True)
    elif rows == 0 and not chosen:
        click.echo("Files that were loaded before are left out; --again loads them.", err=True)
    if given["as_json"]:
        rejected = {"rejected": outcome.rows} if given["rejects"] is not None else {}
        click.echo(json.dumps({"table": table, "files": len(paths), "rows": rows, **rejected}))


def _run(
    invocation: Invocation,
    files: list[str],
    given: Mapping[str, Any],
    copy_from: Callable[[list[str]], str],
) -> Outcome:
    from sqe.cli.errors import render_error
    from sqe.cli.formats import OutputFormat
    from sqe.cli.formats.writer import writer_for
    from sqe.cli.running import run_statement
    from sqe.cli.sending import offer_files, with_local_names

    rejects: Path | None = given["rejects"]
    with ExitStack() as stack:
        out: BinaryIO = sys.stdout.buffer
        if rejects is not None:
            out = stack.enter_context(rejects.open("wb"))
        writer = writer_for(OutputFormat.CSV if rejects else OutputFormat.TABLE, out)
        # The files are theirs to read: whoever runs this has named them.
        transport = stack.enter_context(
            invocation.transport("sqe-load", frozenset(files), given["remote"])
        )
        sources: dict[str, str] = {}
        try:
            sources = offer_files(transport, files)
            return run_statement(transport, copy_from(list(sources)), writer)
        except SqeError as error:
            click.echo(render_error(_with_hint(with_local_names(error, sources))), err=True)
            raise click.exceptions.Exit(exit_code_of(error)) from error


def _preview(files: list[str], written: tuple[str, dict[str, str]], *, as_json: bool) -> None:
    from sqe.cli.preview import preview, show

    if written[0] != "csv":
        raise click.UsageError("--preview is for CSV files: the others say what they are.")
    show([preview(file, written[1]) for file in files], as_json=as_json)


def _list_files(files: Iterable[Path]) -> list[str]:
    """The real paths of the files and of those in the folders."""
    paths: dict[str, None] = {}
    for path in files:
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        for file in inside:
            hidden = file.name.startswith((".", "_"))
            if path.is_dir() and (hidden or not file.is_file()):
                continue
            if hidden:
                raise click.UsageError(f"{file} is hidden: Spark does not read such files.")
            paths[os.path.realpath(file)] = None
    if not paths:
        raise click.UsageError("There is no file to load.")
    return list(paths)


def _format(
    files: Iterable[str], wanted: str | None, options: Iterable[str]
) -> tuple[str, dict[str, str]]:
    """The format and what is said about it."""
    guesses = {f".{wanted}"} if wanted is not None else {_suffix(file) for file in files}
    if len(guesses) > 1 or not guesses <= _FORMATS.keys():
        raise click.UsageError("The names of the files do not say one format: give --format.")
    kind, usual = _FORMATS[guesses.pop()]
    return kind, {**usual, **dict(_option(option) for option in options)}


def _suffix(file: str) -> str:
    stem, suffix = os.path.splitext(file.lower())
    return os.path.splitext(stem)[1] if suffix in _PACKED else suffix


def _option(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--option takes KEY=VALUE, not {text}.")
    return key.lower(), value


def _copy(
    table: str, files: list[str], written: tuple[str, dict[str, str]], chosen: Collection[str]
) -> str:
    from sqe.model.names import string_literal

    def list_options(pairs: dict[str, str]) -> str:
        return ", ".join(f"{string_literal(k)} = {string_literal(v)}" for k, v in pairs.items())

    paths = ", ".join(map(string_literal, files))
    text = f"COPY INTO {table} FROM {paths} FILEFORMAT = {written[0].upper()}"
    if written[1]:
        text += f" FORMAT_OPTIONS ({list_options(written[1])})"
    flags = {"force" if name == "again" else name: "true" for name in sorted(chosen)}
    return text + (f" COPY_OPTIONS ({list_options(flags)})" if flags else "")


def _with_hint(error: SqeError) -> SqeError:
    """The error without a place in a text that nobody has written, with the command's own hints."""
    hints = {
        ErrorCode.TABLE_NOT_FOUND: "--create makes the table.",
        ErrorCode.TABLE_ALREADY_EXISTS: "Leave --create out to add rows; --overwrite replaces it.",
    }
    return error_of(error.code, error.message, hint=hints.get(error.code, error.hint))
