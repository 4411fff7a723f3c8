"""Parts that the statements about access share: subjects, names, what stands in brackets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqe.model.grants import THE_COLUMN
from sqe.model.rules import PUBLIC, Subject, SubjectKind
from sqe.sql.access.commands import PolicyText, Word
from sqe.sql.cursor import TokenCursor
from sqe.sql.statement import Span

_T = TypeVar("_T")
_SUBJECTS = {
    "USER": SubjectKind.USER,
    "GROUP": SubjectKind.GROUP,
    "ROLE": SubjectKind.ROLE,
}


def read_list(cursor: TokenCursor, read: Callable[[], _T]) -> tuple[_T, ...]:
    """One or more, by commas."""
    items = [read()]
    while cursor.accept(","):
        items.append(read())
    return tuple(items)


def word(cursor: TokenCursor, what: str) -> Word:
    """A plain, back-quoted or quoted name: users are often mail addresses."""
    read = cursor.string_literal if cursor.at_string() else cursor.identifier
    text, span = cursor.read_with_span(lambda: read(what))
    if not text.strip():
        cursor.fail(f"Expected {what}, not an empty name")
    return Word(text, span)


def subject(cursor: TokenCursor) -> Subject:
    """A name alone is a user's, as in Trino."""
    if cursor.accept("PUBLIC"):
        return PUBLIC
    kind = SubjectKind.USER
    if cursor.source().upper() in _SUBJECTS and cursor.source(1) not in ("", ",", ")"):
        kind = _SUBJECTS[cursor.source().upper()]
        cursor.skip()
    return Subject(kind, word(cursor, f"PUBLIC, or the name of a {kind.value}").text)


def subjects(cursor: TokenCursor) -> tuple[Subject, ...]:
    return read_list(cursor, lambda: subject(cursor))


def exempt(cursor: TokenCursor) -> tuple[Subject, ...]:
    return subjects(cursor) if cursor.accept("EXCEPT") else ()


def read_bracketed(cursor: TokenCursor, what: str, parameter: str = "") -> PolicyText:
    """What stands between a bracket and the one that closes it, as written. Whether it is one
    expression is for whoever knows the table. ``parameter``: a name in it that stands for a column
    which is not known yet."""
    cursor.expect("(")
    start, depth = cursor.offset(), 1
    places: list[Span] = []
    while True:
        if THE_COLUMN in cursor.source():
            cursor.fail("A character of private use cannot stand in a policy")
        if cursor.at_end():
            cursor.fail("Expected )")
        if cursor.looking_at("("):
            depth += 1
        elif cursor.looking_at(")"):
            depth -= 1
            if not depth:
                break
        if parameter and _is_name(cursor, parameter):
            places.append(
                Span(cursor.offset() - start, cursor.offset() - start + len(cursor.source()))
            )
        cursor.skip()
    if cursor.offset() == start:
        cursor.fail(f"Expected {what}")
    text, span = cursor.text_from(start), Span(start, cursor.last_end())
    for place in reversed(places):
        text = text[: place.start] + THE_COLUMN + text[place.end :]
    cursor.expect(")")
    return PolicyText(text, span)


def _is_name(cursor: TokenCursor, name: str) -> bool:
    """Whether it stands here as a column of its own: no field of another, no function."""
    written = cursor.source()
    plain = written[1:-1].replace("``", "`") if written.startswith("`") else written
    alone = cursor.source(1) != "(" and (cursor.source(-1) != ".")
    return cursor.at_identifier() and alone and plain.lower() == name.lower()
