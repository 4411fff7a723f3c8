"""What a privilege is held on: a catalog, a schema, a table or view, a procedure, a user …

A ``*`` in a name stands for any characters: ``lake.hr.*``, ``lake.hr.emp_*``. A table that is named
without one must be there; the others are only remembered.
"""

from __future__ import annotations

from sqe.model.rules import ObjectKind
from sqe.sql.access.clauses import word
from sqe.sql.access.commands import Target
from sqe.sql.commands import Name
from sqe.sql.cursor import TokenCursor
from sqe.sql.functions import ALLOWED

_KINDS = {
    "TABLE": ObjectKind.TABLE,
    "VIEW": ObjectKind.TABLE,
    "SCHEMA": ObjectKind.SCHEMA,
    "DATABASE": ObjectKind.SCHEMA,
    "NAMESPACE": ObjectKind.SCHEMA,
    "CATALOG": ObjectKind.CATALOG,
    "PROCEDURE": ObjectKind.PROCEDURE,
    "FUNCTION": ObjectKind.FUNCTION,
}
_ANYTHING = "*"
_BEHIND = ("", ".", "TO", "FROM", "FOR")  # what may stand behind a name


def read_target(cursor: TokenCursor) -> Target:
    if cursor.looking_at("SYSTEM") and cursor.source(1).upper() in ("TO", "FROM"):
        _, span = cursor.read_with_span(cursor.skip)
        return Target(ObjectKind.SYSTEM, Name((), span))
    _refuse_lists(cursor)
    if cursor.accept("ALL", "TABLES", "IN"):
        cursor.expect("SCHEMA")
        schema = _pattern(cursor, "a schema")
        return Target(ObjectKind.TABLE, Name((*schema.parts, _ANYTHING), schema.span), True)
    if _says(cursor, "USER"):
        return _one_word(cursor, ObjectKind.USER, "a user")
    if cursor.accept("SESSION", "PROPERTY"):
        return _property(cursor)
    written = next((word for word in _KINDS if _says(cursor, word)), "TABLE")
    kind = _KINDS[written]
    name = _pattern(cursor, f"the name of a {kind.value}")
    if kind is ObjectKind.FUNCTION and len(name.parts) == 1 and name.parts[0].lower() in ALLOWED:
        # A rule that nobody asks about would be worse than none.
        hint = "The functions of Spark and Trino are for everybody."
        cursor.refuse("A privilege on a function that nobody has written", hint)
    if kind is ObjectKind.CATALOG and len(name.parts) > 1:
        cursor.fail("A catalog's name has one part")
    return Target(kind, name, any(_ANYTHING in part for part in name.parts))


def _refuse_lists(cursor: TokenCursor) -> None:
    """Of other systems: FUTURE TABLES IN …, ALL VIEWS IN …"""
    first, second = cursor.source().upper(), cursor.source(1).upper()
    if (first == "FUTURE" and second in ("TABLES", "VIEWS")) or (first, second) == ("ALL", "VIEWS"):
        hint = "ON SCHEMA s, and ON s.*, is all tables and views in it, those made later too."
        cursor.fail("Expected what the privilege is on", hint=hint)


def _says(cursor: TokenCursor, word: str) -> bool:
    """Steps over the word where it says what is named, and is not itself the name."""
    if not cursor.looking_at(word) or cursor.source(1).upper() in _BEHIND:
        return False
    cursor.skip()
    return True


def _one_word(cursor: TokenCursor, kind: ObjectKind, what: str) -> Target:
    if cursor.looking_at(_ANYTHING):
        name = _pattern(cursor, what)
    else:
        token_word = word(cursor, what)
        name = Name((token_word.text,), token_word.span)
    return Target(kind, name, any(_ANYTHING in part for part in name.parts))


def _property(cursor: TokenCursor) -> Target:
    """SQE's own have one part, sqe.engine; those of a catalog have its name as another."""
    name = _pattern(cursor, "a session property")
    parts = name.parts if name.parts[0].lower() != "sqe" else (".".join(name.parts),)
    return Target(ObjectKind.PROPERTY, Name(parts, name.span), _ANYTHING in ".".join(parts))


def _pattern(cursor: TokenCursor, what: str) -> Name:
    parts, span = cursor.read_with_span(lambda: _parts(cursor, what))
    return Name(parts, span)


def _parts(cursor: TokenCursor, what: str) -> tuple[str, ...]:
    parts = [_part(cursor, what)]
    while cursor.accept("."):
        parts.append(_part(cursor, what))
    return tuple(parts)


def _part(cursor: TokenCursor, what: str) -> str:
    """Words and stars that touch each other: ``emp_*`` is three signs, and one part."""
    text, end = "", cursor.offset()
    while not cursor.at_end() and cursor.offset() == end:
        if cursor.looking_at(_ANYTHING):
            cursor.skip()
            text += _ANYTHING
        elif cursor.at_identifier():
            text += cursor.identifier()
        else:
            break
        end = cursor.last_end()
    if not text:
        cursor.fail(f"Expected {what}")
    return text
