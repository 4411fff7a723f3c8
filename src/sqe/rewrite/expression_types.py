"""What type an expression has, as far as the columns that a statement reads tell it.

Not Spark's analysis: no type is better than a wrong one. Markers are described with these types,
and where a guard needs a barrier depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from sqlglot import exp

from sqe.binding.bound import BoundAbsent, BoundStatement, BoundTable, BoundView
from sqe.binding.resolve import METADATA_TABLES
from sqe.model.query import Column
from sqe.model.types import Array, Plain
from sqe.rewrite.column_types import ColumnTypes
from sqe.rewrite.exact_types import (
    CASTS,
    cast_type,
    choices,
    exact_type,
    literal_type,
    try_parse_type,
)
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.statement import Access, Reference

_DEEPEST = 60
_ORDER = ("tinyint", "smallint", "int", "bigint", "decimal", "float", "double")
_SAME = (
    exp.Paren, exp.Neg, exp.Alias, exp.Max, exp.Min, exp.First, exp.Last, exp.AnyValue, exp.Abs,
    exp.Round, exp.Window, exp.Filter, exp.Nullif, exp.Ordered, exp.Lag, exp.Lead, exp.FirstValue,
    exp.LastValue, exp.BitwiseNot, exp.Mod,
)  # fmt: skip
_CHOICES = (exp.Case, exp.If, exp.Coalesce, exp.Greatest, exp.Least)
_FIXED: tuple[tuple[Any, str], ...] = (
    ((exp.Predicate, exp.Connector, exp.Not, exp.Boolean), "boolean"),
    ((exp.StartsWith, exp.EndsWith, exp.Contains), "boolean"),
    ((exp.Count, exp.RowNumber, exp.Rank, exp.DenseRank, exp.IntDiv), "bigint"),
    ((exp.Length, exp.Year, exp.Month, exp.Day, exp.Hour, exp.Minute, exp.Second), "int"),
    ((exp.Extract, exp.DateDiff, exp.Quarter, exp.DayOfWeek, exp.StrPosition), "int"),
    ((exp.Upper, exp.Lower, exp.Substring, exp.Concat, exp.DPipe, exp.Trim, exp.Replace), "string"),
    ((exp.Left, exp.Right, exp.Pad, exp.TimeToStr, exp.Initcap, exp.RegexpReplace), "string"),
    ((exp.CurrentDate, exp.TsOrDsToDate, exp.TsOrDsAdd, exp.AddMonths, exp.LastDay), "date"),
    ((exp.CurrentTimestamp, exp.TimestampTrunc, exp.StrToTime), "timestamp"),
    ((exp.Avg, exp.Stddev, exp.Sqrt, exp.Ln, exp.Exp, exp.Pow, exp.Rand), "double"),
    (exp.Interval, "interval day to second"),
)


def element_type(kind: str | None) -> str | None:
    parsed = try_parse_type(kind)
    return str(parsed.element) if isinstance(parsed, Array) else None


class Types:
    """Of the expressions of one statement. Columns that its user may not see have none."""

    def __init__(self, guarded: GuardedStatement, *, certain: bool = False) -> None:
        """``certain``: exactly the types that Spark will find, or none. Else they are those that
        are likely: of a sum what its sides are, of a view what its query gave when it was made."""
        bound = guarded.bound
        while bound.statement.tree is None and bound.inner is not None:
            bound = bound.inner
        columns = dict(_columns_by_place(bound, guarded, certain))
        self._named = ColumnTypes(columns, self.of)
        writes = (r for r in bound.references if r.reference.access is Access.WRITE)
        target = next(writes, None)
        self._target = columns.get(target.reference.span.start, ()) if target else ()
        self._certain = certain
        self._depth = 0
        self._found: dict[int, str | None] = {}

    def of(self, node: Any) -> str | None:
        """In Spark's spelling; None where it is not certain."""
        if self._depth > _DEEPEST or not isinstance(node, exp.Expr):
            return None
        if id(node) in self._found:
            return self._found[id(node)]
        self._found[id(node)] = None  # of a query that reads itself
        self._depth += 1
        try:
            self._found[id(node)] = self._of(node)
        finally:
            self._depth -= 1
        return self._found[id(node)]

    def _of(self, node: exp.Expr) -> str | None:
        if isinstance(node, exp.Column):
            return self.column(node)
        if isinstance(node, exp.Query):
            return self.of_column(node, 0)
        if self._certain:
            return exact_type(node, self.of)
        if isinstance(node, _CHOICES):
            types = map(self.of, choices(node))
            return next((kind for kind in types if kind is not None), None)
        for kinds, find in _BY_KIND:
            if isinstance(node, kinds):
                return find(self, node)
        if isinstance(node, _SAME):
            return self.of(node.this)
        return next((name for kinds, name in _FIXED if isinstance(node, kinds)), None)

    def of_column(self, query: Any, index: int) -> str | None:
        """Of a column of a query, by its place from 0."""
        return self._named.at(query, index)

    def of_name(self, query: Any, name: str) -> str | None:
        """Of a column of a query, by its name."""
        return self._named.type_of_column(query, name)

    def type_of_insert_column(self, insert: exp.Insert, index: int) -> str | None:
        """Of the column that an INSERT writes its n-th value to."""
        listed = insert.this if isinstance(insert.this, exp.Schema | exp.Tuple) else None
        if listed is not None:
            names = listed.expressions[index : index + 1]
            return _type_of_name(self._target, names[0].name) if names else None
        return self._target[index].type if index < len(self._target) else None

    def is_source(self, insert: exp.Insert, query: Any) -> bool:
        """Whether the query, or VALUES, is what the INSERT writes, in its columns' order."""
        source = insert.expression
        while isinstance(source, exp.Subquery):
            source = source.this
        return source is query and not insert.args.get("by_name")

    def column(self, node: exp.Column) -> str | None:
        return self._named.of(node)

    def _number(self, node: Any) -> str | None:
        """Of a sum, difference or product: the wider of both, which is what a value must fit."""
        left, right = self.of(node.this), self.of(node.expression)
        if isinstance(node, exp.Div):
            return "double" if "decimal" not in f"{left}{right}" else left or right
        for kind in (left, right):
            if kind in ("date", "timestamp", "timestamp_ntz"):
                return kind
        known = [kind for kind in (left, right) if kind and kind.partition("(")[0] in _ORDER]
        return max(known, key=lambda kind: _ORDER.index(kind.partition("(")[0]), default=None)

    def _sum(self, node: exp.Sum) -> str | None:
        kind = try_parse_type(self.of(node.this))
        if not isinstance(kind, Plain):
            return None
        if kind.name == "decimal":
            return f"decimal({min(38, kind.precision + 10)},{kind.scale})"
        return "double" if kind.name in ("float", "double") else "bigint"


_BY_KIND: tuple[tuple[Any, Callable[[Types, Any], str | None]], ...] = (
    (exp.Literal, lambda types, node: literal_type(node)),
    (exp.Cast, lambda types, node: cast_type(node)),
    ((exp.Add, exp.Sub, exp.Mul, exp.Div), Types._number),
    (exp.Sum, Types._sum),
    (exp.Bracket, lambda types, node: element_type(types.of(node.this))),
)


def _columns_by_place(
    bound: BoundStatement, guarded: GuardedStatement, certain: bool
) -> Iterator[tuple[int, tuple[Column, ...]]]:
    for reference in bound.references:
        target = reference.target
        if isinstance(target, BoundAbsent):
            continue
        names_by_place = target.columns
        if certain and isinstance(target, BoundView) and target.guard is None:
            names_by_place = _of_view(target, guarded)
        elif certain and isinstance(target, BoundTable):
            names_by_place = _of_table(target, reference.reference)
        restriction = guarded.restriction(reference)
        hidden = {name.lower() for name in restriction.hidden} if restriction else set()
        columns = tuple(column for column in names_by_place if column.name.lower() not in hidden)
        yield reference.reference.span.start, columns


def _of_view(view: BoundView, guarded: GuardedStatement) -> tuple[Column, ...]:
    """Those whose types were kept are cast to them; of the others the query has its say."""
    tree = view.inner.statement.tree
    inside = Types(GuardedStatement(view.inner, guarded.decisions), certain=True)
    column_names = view.query_columns or [column.name for column in view.columns]
    names = {name.lower() for name in column_names}
    kept = (
        view.types if view.types and len(names) == len(column_names) else [""] * len(column_names)
    )
    return tuple(
        replace(column, type=kind if is_plain(kind) else inside.of_name(tree, name) or "")
        for column, name, kind in zip(view.columns, column_names, kept, strict=True)
    )


def _of_table(table: BoundTable, reference: Reference) -> tuple[Column, ...]:
    """Of an older state, only what there always was has a type; a name may mean what is gone."""
    if reference.temporal is None and not reference.options and not table.suffix:
        return table.columns
    if table.suffix and table.suffix[-1].lower() in METADATA_TABLES:
        return ()
    schemas = table.metadata.get("schemas") or ()
    had: dict[str, list[str]] = {}
    for field in (field for schema in schemas for field in schema["fields"]):
        had.setdefault(field["name"].lower(), []).append(str(field["type"]))
    always = {n for n, kinds in had.items() if len(set(kinds)) == 1 and len(kinds) == len(schemas)}
    now = {column.name.lower() for column in table.columns}
    columns = [
        candidate if candidate.name.lower() in always else replace(candidate, type="")
        for candidate in table.columns
    ]
    return (*columns, *(Column(name, "") for name in had if name not in now))


def is_plain(kind: str) -> bool:
    """Whether a view's column is cast to it."""
    return kind in CASTS.values() or kind.startswith("decimal(")


def _type_of_name(columns: tuple[Column, ...], name: str) -> str | None:
    return next((c.type for c in columns if c.name.lower() == name.lower()), None)
