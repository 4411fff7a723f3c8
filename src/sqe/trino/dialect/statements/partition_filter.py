"""WHERE of ``optimize``: as in Trino, it may only choose whole partitions.

Of a column that is divided by days, whole days can be chosen. Spark wants them as bounds of the
column itself.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass

from sqe.model.trino_types import DATE, TIMESTAMP, TrinoType
from sqe.trino.dialect import nodes as tree
from sqe.trino.dialect.analyzer import Analyzer
from sqe.trino.dialect.context import Context, Known
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.scope import Field, Scope
from sqe.trino.dialect.statements.partitioning import partitioning_of_table
from sqe.trino.dialect.statements.written import columns_of
from sqe.trino.dialect.tree import walk
from sqe.trino.dialect.typed import quote_name, spark_type

_DIVIDED_BY_DAYS = ("day", "hour")  # the bounds of days are bounds of hours, too
_FLIPPED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def partition_filter(node: tree.Expression, at: int, known: Known, context: Context) -> str:
    """The SQL that chooses the files. ``at``: where the statement stands."""
    return _Filter(at, known, context).read(node)


@dataclass(frozen=True)
class _Day:
    """The days of a column."""

    column: str
    type: TrinoType

    def compare(self, operator: str, day: str) -> str:
        if self.type == DATE:
            return f"{self.column} {operator} {day}"
        kind = spark_type(self.type, 0)
        this, following = f"CAST({day} AS {kind})", f"CAST(date_add({day}, 1) AS {kind})"
        return {
            "=": f"({self.column} >= {this} AND {self.column} < {following})",
            "<": f"{self.column} < {this}",
            "<=": f"{self.column} < {following}",
            ">": f"{self.column} >= {following}",
            ">=": f"{self.column} >= {this}",
        }[operator]


class _Filter:
    def __init__(self, at: int, known: Known, context: Context) -> None:
        self._at, self._analyzer = at, Analyzer(context)
        self._fields = tuple(
            Field(column.name.lower(), column.type, quote_name(column.name))
            for column in columns_of(known)
        )
        fields = [one for one in partitioning_of_table(known.metadata) if len(one.path) == 1]
        self._whole = {one.path[0] for one in fields if one.transform == "identity"}
        self._by_days = {one.path[0] for one in fields if one.transform in _DIVIDED_BY_DAYS}

    def read(self, node: tree.Expression) -> str:
        # All of it first: what is wrong with it is wrong in Trino, too.
        self._analyzer.predicate(node, Scope(self._fields), "WHERE clause")
        return " AND ".join(map(self._term, _terms(node)))

    def _term(self, node: tree.Expression) -> str:
        days = self._of_days(node)
        if days is not None:
            return days
        sql = self._analyzer.predicate(node, Scope(self._fields), "WHERE clause")
        used = [one.name for one in self._fields if one.name not in self._whole and one.sql in sql]
        if used:
            what = f"WHERE on {used[0]} but for whole partitions"
            raise not_supported(what, self._at)
        return sql

    def _of_days(self, node: tree.Expression) -> str | None:
        """A term about the days of a column; None for any other."""
        if isinstance(node, tree.Between):
            day, low, high = self._day(node.value), self._date(node.low), self._date(node.high)
            if day is None or low is None or high is None:
                return None
            return f"({day.compare('>=', low)} AND {day.compare('<=', high)})"
        if isinstance(node, tree.InList):
            day, dates = self._day(node.value), [self._date(item) for item in node.items]
            if day is None or None in dates:
                return None
            return f"({' OR '.join(day.compare('=', date) for date in dates if date)})"
        if isinstance(node, tree.Comparison) and node.operator in _FLIPPED:
            return self._compare(node.operator, node.left, node.right) or self._compare(
                _FLIPPED[node.operator], node.right, node.left
            )
        return None

    def _compare(self, operator: str, left: tree.Expression, right: tree.Expression) -> str | None:
        day, date = self._day(left), self._date(right)
        if day is not None and date is not None:
            return day.compare(operator, date)
        bound = date if date is not None else self._midnight(right)
        if operator in ("<", ">=") and bound is not None and isinstance(left, tree.Column):
            day = self._day(tree.Cast(left.at, left, "date", left.at))
            return None if day is None else day.compare(operator, bound)
        return None

    def _day(self, node: tree.Expression) -> _Day | None:
        """``d``, ``CAST(t AS date)`` or ``date(t)``, of a column that is divided by days."""
        moment = _date_argument(node)
        column = node if moment is None else moment
        base = DATE.base if moment is None else TIMESTAMP
        if not isinstance(column, tree.Column):
            return None
        name = column.identifier.name.lower()
        for field in self._fields:
            if field.name == name and name in self._by_days and field.type.base == base:
                return _Day(field.sql, field.type)
        return None

    def _midnight(self, node: tree.Expression) -> str | None:
        """The day that a timestamp begins, if it is no row's and known."""
        if not isinstance(node, tree.GenericLiteral):
            return None
        value = self._analyzer.expression(node, Scope())
        moment = value.constant
        if value.type.base != TIMESTAMP or not isinstance(moment, datetime.datetime):
            return None
        return f"DATE'{moment:%Y-%m-%d}'" if moment.time() == datetime.time() else None

    def _date(self, node: tree.Expression) -> str | None:
        """A date that is no row's."""
        known = {one.name for one in self._fields}
        if any(one in known for one in _names(node)):
            return None
        value = self._analyzer.expression(node, Scope())
        return value.sql if value.type == DATE else None


def _date_argument(node: tree.Expression) -> tree.Expression | None:
    """What it is the date of."""
    if isinstance(node, tree.Cast) and not node.safe and node.target_text.lower() == "date":
        return node.value
    if isinstance(node, tree.Call) and node.name[-1].name.lower() == "date":
        return node.arguments[0] if len(node.arguments) == 1 else None
    return None


def _terms(node: tree.Expression) -> Iterator[tree.Expression]:
    if isinstance(node, tree.Logical) and node.operator == "AND":
        for term in node.terms:
            yield from _terms(term)
    else:
        yield node


def _names(node: tree.Node) -> Iterator[str]:
    return (one.identifier.name.lower() for one in walk(node) if isinstance(one, tree.Column))
