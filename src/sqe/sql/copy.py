"""COPY INTO table [(columns)] FROM 'path' [, 'path' …] FILEFORMAT = CSV …: files into a table."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace

from sqlglot import Token

from sqe.errors import ErrorCode
from sqe.files.options import CSV_OPTIONS
from sqe.sql.cursor import TokenCursor
from sqe.sql.statement import Access, Details, Reference, Span, Statement, StatementKind

FORMATS = ("csv", "json", "orc", "parquet")
_TEXT = "dateformat timestampformat timestampntzformat timezone locale encoding linesep"
_JSON = """
multiline allowcomments allowunquotedfieldnames allowsinglequotes allownumericleadingzeros
allownonnumericnumbers allowbackslashescapinganycharacter allowunquotedcontrolchars
"""
# Options that say how a file is written; none reaches for another file. CSV's are SQE's own, the
# others are those of Spark's readers.
OPTIONS: dict[str, frozenset[str]] = {
    "csv": CSV_OPTIONS,
    "json": frozenset((_JSON + _TEXT).split()),
    "orc": frozenset(),
    "parquet": frozenset(),
}
_COPY_OPTIONS = ("force", "overwrite", "create", "mergeschema", "rejects")


@dataclass(frozen=True)
class CopyInto(Details):
    """The table is the statement's only reference."""

    sources: tuple[str, ...]  # paths or patterns, as written
    format: str  # one of FORMATS
    columns: tuple[str, ...] = ()  # empty: by the names in the files
    options: tuple[tuple[str, str], ...] = ()  # of the format, names in lower case
    force: bool = False  # files that were loaded before are loaded again
    overwrite: bool = False  # what the table held is replaced
    create: bool = False  # the table is made, with the columns of the files
    merge_schema: bool = False  # it gets the columns of the files that it lacks
    rejects: bool = False  # lines that do not fit are left out, and are the statement's result


def parse_copy(text: str, tokens: list[Token]) -> Statement:
    """``tokens`` begin with COPY."""
    cursor = TokenCursor(text, tokens)
    cursor.expect("COPY", "INTO")
    parts, span = cursor.take_dotted_name("a table's name")
    columns = _columns(cursor)
    cursor.expect("FROM")
    if cursor.looking_at("("):
        cursor.refuse("COPY INTO … FROM (SELECT …)", "Load the files, then INSERT … SELECT.")
    sources = [cursor.string_literal("a path in quotes")]
    while cursor.accept(","):
        sources.append(cursor.string_literal("a path in quotes"))
    file_format = _format(cursor)
    options = _options(cursor, "FORMAT_OPTIONS", OPTIONS[file_format])
    flags = {
        name: _flag(cursor, name, value)
        for name, value in _options(cursor, "COPY_OPTIONS", _COPY_OPTIONS)
    }
    cursor.expect_end()
    merge_schema = flags.pop("mergeschema", False)
    command = CopyInto(
        tuple(sources), file_format, columns, tuple(options), merge_schema=merge_schema, **flags
    )
    if command.rejects and file_format != "csv":
        cursor.refuse(f"rejects for {file_format.upper()}", "Only lines of CSV can be left out.")
    if columns and (command.create or merge_schema):
        cursor.refuse("A list of columns for a table that gets new ones", "Leave the columns out.")
    return Statement(text, StatementKind.COPY, _references(command, parts, span), command=command)


def _references(command: CopyInto, parts: tuple[str, ...], span: Span) -> tuple[Reference, ...]:
    if command.create:
        return (Reference(parts, span, Access.CREATE, if_exists=command.overwrite),)
    written = Reference(parts, span, Access.WRITE)
    return (written, replace(written, access=Access.ALTER)) if command.merge_schema else (written,)


def _columns(cursor: TokenCursor) -> tuple[str, ...]:
    if not cursor.accept("("):
        return ()
    names = [cursor.identifier("a column's name")]
    while cursor.accept(","):
        names.append(cursor.identifier("a column's name"))
    cursor.expect(")")
    return tuple(names)


def _format(cursor: TokenCursor) -> str:
    cursor.expect("FILEFORMAT", "=")
    name = cursor.source().lower()
    if name not in FORMATS:
        what = ", ".join(word.upper() for word in FORMATS)
        cursor.fail(f"The file format must be one of {what}", ErrorCode.NOT_SUPPORTED)
    cursor.skip()
    return name


def _options(
    cursor: TokenCursor, clause: str, allowed: frozenset[str] | tuple[str, ...]
) -> list[tuple[str, str]]:
    """``CLAUSE ('name' = 'value', …)``, the names in lower case."""
    if not cursor.accept(clause):
        return []
    cursor.expect("(")
    options: dict[str, str] = {}
    while not cursor.accept(")"):
        if options:
            cursor.expect(",")
        where = cursor.source()
        name = cursor.string_literal() if cursor.at_string() else cursor.identifier("an option")
        if name.lower() not in allowed:
            close = difflib.get_close_matches(name.lower(), allowed, n=1)
            hint = f"Did you mean {close[0]}?" if close else ""
            if name.lower() in ("mode", "inferschema"):
                hint = (
                    "A row that does not fit the table ends the load, and nothing is loaded;"
                    " COPY_OPTIONS ('rejects' = 'true') leaves such lines of CSV out."
                )
            cursor.fail(f"{clause} does not take {where}", ErrorCode.INVALID_ARGUMENT, hint=hint)
        cursor.expect("=")
        options[name.lower()] = cursor.property_value()
    return list(options.items())


def _flag(cursor: TokenCursor, name: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        cursor.fail(f"{name} must be true or false", ErrorCode.INVALID_ARGUMENT)
    return value.lower() == "true"
