"""What type an expression has, as far as the columns that a statement reads tell it.

Not Spark's analysis: no type is better than a wrong one, and nothing but the types that markers
are described with depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlglot import exp

from sqe.catalog.bound import BoundAbsent, BoundStatement
from sqe.errors import SqeError
from sqe.model.query import Column
from sqe.model.types import Array, Plain, Struct, parse_type
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.statement import Access

_DEEPEST = 60
_ORDER = ("tinyint", "smallint", "int", "bigint", "decimal", "float", "double")
_DataType = exp.DataType.Type
_CASTS: dict[Any, str] = {
    _DataType.BOOLEAN: "boolean",
    _DataType.TINYINT: "tinyint",
    _DataType.SMALLINT: "smallint",
    _DataType.INT: "int",
    _DataType.BIGINT: "bigint",
    _DataType.FLOAT: "float",
    _DataType.DOUBLE: "double",
    _DataType.TEXT: "string",
    _DataType.VARCHAR: "string",
    _DataType.CHAR: "string",
    _DataType.BINARY: "binary",
    _DataType.VARBINARY: "binary",
    _DataType.DATE: "date",
    _DataType.TIMESTAMP: "timestamp",
    _DataType.TIMESTAMPTZ: "timestamp",
    _DataType.TIMESTAMPLTZ: "timestamp",
    _DataType.TIMESTAMPNTZ: "timestamp_ntz",
}
_SAME = (
    exp.Paren, exp.Neg, exp.Alias, exp.Max, exp.Min, exp.First, exp.Last, exp.AnyValue, exp.Abs,
    exp.Round, exp.Window, exp.Filter, exp.Nullif, exp.Ordered, exp.Lag, exp.Lead, exp.FirstValue,
    exp.LastValue, exp.BitwiseNot, exp.Mod,
)  # fmt: skip
_CHOOSING = (exp.Coalesce, exp.Greatest, exp.Least)
_FIXED: tuple[tuple[Any, str], ...] = (
    ((exp.Predicate, exp.Connector, exp.Not, exp.Boolean, exp.StartsWith, exp.Contains), "boolean"),
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
    found = _parsed(kind)
    return str(found.element) if isinstance(found, Array) else None


class Types:
    """Of the expressions of one statement. Columns that its user may not see have none."""

    def __init__(self, guarded: GuardedStatement) -> None:
        bound = guarded.bound
        while bound.statement.tree is None and bound.inner is not None:
            bound = bound.inner
        self._columns = dict(_columns_by_place(bound, guarded))
        writes = (r for r in bound.references if r.reference.access is Access.WRITE)
        target = next(writes, None)
        self._target = self._columns.get(target.reference.span.start, ()) if target else ()
        self._depth = 0

    def of(self, node: Any) -> str | None:
        """In Spark's spelling; None where it is not certain."""
        if self._depth > _DEEPEST or not isinstance(node, exp.Expr):
            return None
        self._depth += 1
        try:
            return self._of(node)
        finally:
            self._depth -= 1

    def _of(self, node: exp.Expr) -> str | None:
        if isinstance(node, _CHOOSING):
            return self._first([node.this, *node.expressions])
        for kinds, find in _BY_KIND:
            if isinstance(node, kinds):
                return find(self, node)
        if isinstance(node, _SAME):
            return self.of(node.this)
        return next((name for kinds, name in _FIXED if isinstance(node, kinds)), None)

    def of_column(self, query: Any, index: int) -> str | None:
        """Of a column of a query, by its place from 0."""
        while isinstance(query, exp.Subquery):
            query = query.this
        if isinstance(query, exp.SetOperation):
            sides = (query.this, query.expression)
            return next((k for k in (self.of_column(s, index) for s in sides) if k), None)
        if isinstance(query, exp.Values):
            rows = [row.expressions if isinstance(row, exp.Tuple) else [row.unnest()]
                    for row in query.expressions]  # fmt: skip
            return self._first([row[index] for row in rows if index < len(row)])
        items = query.expressions if isinstance(query, exp.Select) else []
        return self.of(items[index]) if index < len(items) else None

    def written(self, insert: exp.Insert, index: int) -> str | None:
        """Of the column that an INSERT writes its n-th value to."""
        listed = insert.this if isinstance(insert.this, exp.Schema | exp.Tuple) else None
        if listed is not None:
            names = listed.expressions[index : index + 1]
            return _named(self._target, names[0].name) if names else None
        return self._target[index].type if index < len(self._target) else None

    def is_source(self, insert: exp.Insert, query: Any) -> bool:
        """Whether the query, or VALUES, is what the INSERT writes, in its columns' order."""
        source = insert.expression
        while isinstance(source, exp.Subquery):
            source = source.this
        return source is query and not insert.args.get("by_name")

    def column(self, node: exp.Column) -> str | None:
        parts = [part.name for part in node.parts]
        for count in (len(parts) - 1, *range(len(parts) - 1)):
            # a.b is column b of a, or else member b of column a
            qualifier = parts[count - 1] if count else ""
            kind = self._find(node, qualifier, parts[count])
            for name in parts[count + 1 :]:
                kind = _member(kind, name)
            if kind is not None:
                return kind
        return None

    def _find(self, node: Any, qualifier: str, name: str) -> str | None:
        level = node.parent
        while level is not None:
            for source in _sources(level):
                if qualifier and source.alias_or_name.lower() != qualifier.lower():
                    continue
                kind = self._in_source(source, name)
                if kind is not None:
                    return kind
            level = level.parent
        return None

    def _in_source(self, source: Any, name: str) -> str | None:
        if isinstance(source, exp.Table):
            start = _start(source)
            if start in self._columns:
                return _named(self._columns[start], name)
            if isinstance(source.this, exp.Func):
                called = source.this.name.lower()
                return "bigint" if (called, name.lower()) == ("range", "id") else None
            cte = _cte(source)
            return self._in_query(cte.this, cte.args.get("alias"), name) if cte else None
        return self._in_query(source, source.args.get("alias"), name)

    def _in_query(self, query: Any, alias: Any, name: str) -> str | None:
        while isinstance(query, exp.Subquery):
            query = query.this
        names = [column.name for column in (alias.args.get("columns") or ())] if alias else []
        if not names:
            names = query.named_selects if isinstance(query, exp.Query) else []
        for index, found in enumerate(names):
            if found.lower() == name.lower():
                return self.of_column(query, index)
        if isinstance(query, exp.Select) and "*" in names:
            kinds = (self._in_source(source, name) for source in _sources(query))
            return next((kind for kind in kinds if kind), None)
        return None

    def _first(self, nodes: list[Any]) -> str | None:
        return next((kind for kind in map(self.of, nodes) if kind is not None), None)

    def _literal(self, node: exp.Literal) -> str | None:
        text = str(node.this)
        if node.is_string:
            return "string"
        if text.isdigit():
            return "int" if int(text) < 2**31 else "bigint"
        if "e" in text.lower():
            return "double"
        whole, _, rest = text.partition(".")
        return f"decimal({max(1, len(whole.lstrip('0')) + len(rest))},{len(rest)})"

    def _cast(self, node: exp.Cast) -> str | None:
        kind = node.args["to"]
        if kind.this == _DataType.DECIMAL:
            sizes = [int(str(size.this)) for size in kind.expressions] or [10, 0]
            return f"decimal({sizes[0]},{sizes[1] if len(sizes) > 1 else 0})"
        return _CASTS.get(kind.this)

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
        kind = _parsed(self.of(node.this))
        if not isinstance(kind, Plain):
            return None
        if kind.name == "decimal":
            return f"decimal({min(38, kind.precision + 10)},{kind.scale})"
        return "double" if kind.name in ("float", "double") else "bigint"

    def _case(self, node: exp.Case) -> str | None:
        branches = [branch.args.get("true") for branch in node.args["ifs"]]
        return self._first([*branches, node.args.get("default")])


_BY_KIND: tuple[tuple[Any, Callable[[Types, Any], str | None]], ...] = (
    (exp.Column, Types.column),
    (exp.Literal, Types._literal),
    (exp.Cast, Types._cast),
    ((exp.Add, exp.Sub, exp.Mul, exp.Div), Types._number),
    (exp.Sum, Types._sum),
    (exp.Case, Types._case),
    (exp.If, lambda types, node: types._first([node.args.get("true"), node.args.get("false")])),
    (exp.Query, lambda types, node: types.of_column(node, 0)),
    (exp.Bracket, lambda types, node: element_type(types.of(node.this))),
)


def _columns_by_place(
    bound: BoundStatement, guarded: GuardedStatement
) -> Iterator[tuple[int, tuple[Column, ...]]]:
    for reference in bound.references:
        if isinstance(reference.target, BoundAbsent):
            continue
        restriction = guarded.restriction(reference)
        hidden = {name.lower() for name in restriction.hidden} if restriction else set()
        columns = tuple(c for c in reference.target.columns if c.name.lower() not in hidden)
        yield reference.reference.span.start, columns


def _sources(level: Any) -> Iterator[Any]:
    """Tables and queries whose columns an expression on this level can name."""
    if isinstance(level, exp.Select):
        first = level.args.get("from_")
        yield from [first.this] if first is not None else []
    elif isinstance(level, exp.Update | exp.Delete | exp.Merge) and level.this is not None:
        yield level.this
        using = level.args.get("using")
        yield from using if isinstance(using, list) else [using] if using is not None else []
    else:
        return
    for join in level.args.get("joins") or ():
        yield join.this


def _start(table: exp.Table) -> int | None:
    parts = table.parts
    start = parts[0].meta.get("start") if parts else None
    return int(start) if start is not None else None


def _cte(table: exp.Table) -> Any:
    if table.args.get("db") is not None:
        return None
    level = table.parent
    while level is not None:
        with_ = level.args.get("with_")
        for cte in with_.expressions if with_ is not None else ():
            if cte.alias.lower() == table.name.lower():
                return cte
        level = level.parent
    return None


def _named(columns: tuple[Column, ...], name: str) -> str | None:
    return next((c.type for c in columns if c.name.lower() == name.lower()), None)


def _member(kind: str | None, name: str) -> str | None:
    found = _parsed(kind)
    members = found.members if isinstance(found, Struct) else ()
    return next((str(m.type) for m in members if m.name.lower() == name.lower()), None)


def _parsed(kind: str | None) -> Any:
    try:
        return parse_type(kind) if kind else None
    except SqeError:
        return None
