"""Roles, row filters, column masks and tags: made, dropped, put on tables and taken off."""

from __future__ import annotations

from sqe.sql.access.clauses import exempt, read_bracketed, word
from sqe.sql.access.commands import (
    AccessChange,
    AddRowFilter,
    ApplyToTag,
    CreateColumnMask,
    CreateRole,
    CreateRowFilter,
    DropColumnMask,
    DropRole,
    DropRowFilter,
    RemoveFromTag,
    RemoveRowFilter,
    RowsClause,
    SetColumnMask,
    SetTag,
    UnsetColumnMask,
    UnsetTag,
    Word,
)
from sqe.sql.access.masks import read_mask
from sqe.sql.cursor import TokenCursor


def read_create(cursor: TokenCursor) -> AccessChange | None:
    """None for CREATE of anything else."""
    replace = cursor.accept("OR", "REPLACE")
    if cursor.accept("ROW", "FILTER"):
        return _create_filter(cursor, replace)
    if cursor.accept("COLUMN", "MASK"):
        return _create_mask(cursor, replace)
    if replace or not cursor.accept("ROLE"):
        return None
    if_not_exists = _if_not_exists(cursor)
    return CreateRole(word(cursor, "the role's name"), if_not_exists)


def _if_not_exists(cursor: TokenCursor, replace: bool = False) -> bool:
    if replace and cursor.looking_at("IF"):
        cursor.fail("Expected a name: OR REPLACE and IF NOT EXISTS exclude each other")
    return cursor.accept("IF", "NOT", "EXISTS")


def _create_filter(cursor: TokenCursor, replace: bool) -> CreateRowFilter:
    if_not_exists = _if_not_exists(cursor, replace)
    name = word(cursor, "the row filter's name")
    cursor.expect("AS")
    condition = read_bracketed(cursor, "a condition")
    rows = RowsClause(condition, cursor.accept("WITH", "CHECK"))
    return CreateRowFilter(name, rows, replace, if_not_exists)


def _create_mask(cursor: TokenCursor, replace: bool) -> CreateColumnMask:
    """``CREATE COLUMN MASK m (c) AS (upper(c))``: c is whichever column it is put on."""
    if_not_exists = _if_not_exists(cursor, replace)
    name, parameter = word(cursor, "the column mask's name"), ""
    if cursor.accept("("):
        parameter = word(cursor, "a name for the masked column").text
        cursor.expect(")")
    cursor.expect("AS")
    mask = read_mask(cursor, parameter)
    if isinstance(mask.mask, Word):
        cursor.fail("Expected what the mask does, not the name of another")
    return CreateColumnMask(name, mask, replace, if_not_exists)


def read_drop(cursor: TokenCursor) -> AccessChange | None:
    """None for DROP of anything else."""
    if cursor.accept("ROW", "FILTER"):
        tolerant = cursor.accept("IF", "EXISTS")
        return DropRowFilter(word(cursor, "a row filter"), tolerant)
    if cursor.accept("COLUMN", "MASK"):
        tolerant = cursor.accept("IF", "EXISTS")
        return DropColumnMask(word(cursor, "a column mask"), tolerant)
    if cursor.accept("ROLE"):
        tolerant = cursor.accept("IF", "EXISTS")
        return DropRole(word(cursor, "a role"), tolerant)
    return None


def read_alteration(cursor: TokenCursor) -> AccessChange | None:
    """From behind the name in ALTER TABLE or VIEW; None for any other change."""
    if cursor.accept("ADD", "ROW", "FILTER"):
        return AddRowFilter(word(cursor, "a row filter"), exempt(cursor))
    if cursor.accept("DROP", "ROW", "FILTER"):
        return RemoveRowFilter(word(cursor, "a row filter"))
    if cursor.accept("SET", "TAG"):
        return SetTag(word(cursor, "a tag"))
    if cursor.accept("UNSET", "TAG"):
        return UnsetTag(word(cursor, "a tag"))
    if not cursor.accept("ALTER", "COLUMN") and not cursor.accept("ALTER"):
        return None
    if not cursor.at_identifier() or cursor.source(1) == ".":
        return None
    return _column_alteration(cursor, word(cursor, "a column"))


def _column_alteration(cursor: TokenCursor, column: Word) -> AccessChange | None:
    if cursor.accept("SET", "MASK"):
        return SetColumnMask(column, word(cursor, "a column mask"), exempt(cursor))
    if cursor.accept("DROP", "MASK"):
        return UnsetColumnMask(column)
    if cursor.accept("SET", "TAG"):
        return SetTag(word(cursor, "a tag"), column)
    if cursor.accept("UNSET", "TAG"):
        return UnsetTag(word(cursor, "a tag"), column)
    return None


def read_apply(cursor: TokenCursor) -> AccessChange:
    mask, name = _policy(cursor)
    cursor.expect("TO", "TAG")
    return ApplyToTag(mask, name, word(cursor, "a tag"), exempt(cursor))


def read_remove(cursor: TokenCursor) -> AccessChange:
    mask, name = _policy(cursor)
    cursor.expect("FROM", "TAG")
    return RemoveFromTag(mask, name, word(cursor, "a tag"))


def _policy(cursor: TokenCursor) -> tuple[bool, Word]:
    """Whether it is a mask, and its name."""
    if cursor.accept("COLUMN", "MASK"):
        return True, word(cursor, "a column mask")
    if not cursor.accept("ROW", "FILTER"):
        cursor.fail("Expected ROW FILTER or COLUMN MASK")
    return False, word(cursor, "a row filter")
