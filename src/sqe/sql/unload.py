"""COPY (query) TO 'place' (FORMAT CSV, …) and UNLOAD (query) TO …: a query's rows as a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import Token, TokenType

from sqe.errors import ErrorCode
from sqe.sql.cursor import TokenCursor, command_tokens
from sqe.sql.statement import NamedCommand, Statement, StatementKind, blank
from sqe.sql.traits import change_with_engine

FORMATS = ("parquet", "csv", "json")
COMPRESSIONS = {
    "parquet": ("zstd", "snappy", "gzip", "none"),
    "csv": ("none", "gzip"),
    "json": ("none", "gzip"),
}
_OPTIONS = ("format", "header", "delimiter", "overwrite", "compression")
_ENDINGS = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".jsonl": "json"}


@dataclass(frozen=True)
class Unload(NamedCommand):
    """The rows are those of the statement's ``inner`` query."""

    traits = change_with_engine()

    place: str  # as written
    format: str  # one of FORMATS
    compression: str
    header: bool = True
    delimiter: str = ","
    overwrite: bool = False


def parse_unload(
    text: str, tokens: list[Token], parse_inner: Callable[[str], Statement]
) -> Statement | None:
    """None where it is another COPY: ``tokens`` begin with COPY or UNLOAD."""
    words = command_tokens(text, tokens)
    cursor = TokenCursor(text, words)
    copies = cursor.accept("COPY")
    if copies and not cursor.looking_at("("):
        return None
    if not copies:
        cursor.expect("UNLOAD")
    cursor.expect("(")
    start = cursor.offset()
    close = _closing_parenthesis(words)
    if close is None:
        cursor.fail("Expected a query and )")
    inner = parse_inner(blank(text[: words[close].start], start))
    if inner.kind is not StatementKind.QUERY:
        cursor.refuse(f"COPY of {inner.label}", "Only a query has rows to write.")
    behind = TokenCursor(text, words[close + 1 :])
    behind.expect("TO")
    place = behind.string_literal("a path in quotes")
    command = _command(behind, place)
    behind.expect_end()
    return Statement(text, StatementKind.COMMAND, command=command, inner=inner)


def _closing_parenthesis(tokens: list[Token]) -> int | None:
    """The number of the token that closes the first parenthesis."""
    depth = 0
    for number, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            depth += 1
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
            if depth == 0:
                return number
    return None


def _command(cursor: TokenCursor, place: str) -> Unload:
    options = _options(cursor)
    stem, ending = os.path.splitext(place.lower())
    packed = ending == ".gz"
    kind = options.get("format") or _ENDINGS.get(
        os.path.splitext(stem)[1] if packed else ending, ""
    )
    allowed = ", ".join(word.upper() for word in FORMATS)
    if not kind:
        cursor.fail(
            f"The ending of {place} does not tell the format. Add (FORMAT = …), one of {allowed}",
            ErrorCode.INVALID_ARGUMENT,
        )
    if kind.lower() not in FORMATS:
        cursor.fail(f"FORMAT must be one of {allowed}", ErrorCode.NOT_SUPPORTED)
    kind = kind.lower()
    usual = "gzip" if packed and kind != "parquet" else COMPRESSIONS[kind][0]
    compression = options.get("compression", usual).lower()
    if compression not in COMPRESSIONS[kind]:
        cursor.fail(
            f"COMPRESSION of {kind.upper()} is one of {', '.join(COMPRESSIONS[kind])}",
            ErrorCode.INVALID_ARGUMENT,
        )
    delimiter = options.get("delimiter", ",")
    if len(delimiter) != 1 or delimiter in '"\r\n':
        cursor.fail("DELIMITER is one character, and no quote", ErrorCode.INVALID_ARGUMENT)
    for name in ("header", "delimiter"):
        if name in options and kind != "csv":
            cursor.fail(f"{name.upper()} is for CSV", ErrorCode.INVALID_ARGUMENT)
    return Unload(
        place,
        kind,
        compression,
        _flag(cursor, options, "header", default=True),
        delimiter,
        _flag(cursor, options, "overwrite", default=False),
    )


def _options(cursor: TokenCursor) -> dict[str, str]:
    """``[WITH] (name [=] [value], …)``; a name without a value is true."""
    if not cursor.accept("WITH") and not cursor.looking_at("("):
        return {}
    cursor.expect("(")
    options: dict[str, str] = {}
    while True:
        written = cursor.source()
        name = cursor.identifier("an option").lower()
        if name not in _OPTIONS:
            known = ", ".join(_OPTIONS).upper()
            cursor.fail(f"There is no option {written}, but {known}", ErrorCode.INVALID_ARGUMENT)
        if name in options:
            cursor.fail(f"{written} is there twice", ErrorCode.INVALID_ARGUMENT)
        cursor.accept("=")
        bare = cursor.looking_at(",") or cursor.looking_at(")")
        options[name] = "true" if bare else cursor.property_value()
        if cursor.accept(")"):
            return options
        cursor.expect(",")


def _flag(cursor: TokenCursor, given: dict[str, str], name: str, *, default: bool) -> bool:
    value = given.get(name, str(default)).lower()
    if value not in ("true", "false"):
        cursor.fail(f"{name.upper()} must be true or false", ErrorCode.INVALID_ARGUMENT)
    return value == "true"
