"""Whose value an error tells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from tests.policy.questions import Asked, Question
from tests.policy.rows import Row

_VALUE = re.compile(r"'([^']*)'")


def is_seen(one: Question, asked: Asked, message: str) -> bool:
    """Whether the first value in the message is, of all columns that the question casts, only in
    rows that its asker sees, and not behind a mask."""
    told = _VALUE.search(message)
    places = list(_cast_columns(one))
    known = {table.name: table for table in asked.world.tables}
    if told is None or any(name not in known for name, _ in places):
        return False
    seen = [
        _sees(asked, name, column, row)
        for name, column in places
        for row in known[name].rows
        if row.get(column) == told[1]
    ]
    return bool(seen) and all(seen)


def _sees(asked: Asked, name: str, column: str, row: Row) -> bool:
    limits = asked.world.limits[(asked.who.user, name)]
    behind = column in limits.hidden or column in limits.masks
    return limits.keeps(row, asked.who) and not behind


def _cast_columns(one: Question) -> Iterator[tuple[str, str]]:
    """Each with its table; with each, where it is not said of which it is."""
    try:
        tree = parse_one(one.statements[-1], dialect=one.dialect)
    except SqlglotError:
        return
    tables = {table.alias_or_name: table.name for table in tree.find_all(exp.Table)}
    for cast in tree.find_all(exp.Cast):
        for column in cast.find_all(exp.Column):
            named = [tables[column.table]] if column.table in tables else tables.values()
            yield from ((table, column.name) for table in named)
