"""Which column a name means, for its type: one column of one source for certain, or none is said.

Guards go without a barrier where nothing can fail, and what a comparison does depends on types: of
a name that is taken for another column, Spark may cast the values, hidden ones too. So there is no
type where two sources have the name, behind a star whose columns are not counted, of an expression
that Spark names in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from sqe.errors import SqeError
from sqe.model.query import Column
from sqe.model.types import Struct, parse_type
from sqe.sql.references import find_cte

# The types of all that a name may mean somewhere; None is one that is not known. Two are as good as
# many: there is no type then.
Found = list[str | None]
_LEVELS = (exp.Query, exp.Update, exp.Delete, exp.Merge, exp.Table)
_SIDES = ("this", "expression")
# Where what a SELECT gives can be named, before what its sources have.
_BEHIND = ("having", "qualify", "order", "sort")


@dataclass(frozen=True)
class ColumnTypes:
    """Of one statement. ``columns``: what its relations have, by the places of their names."""

    columns: Mapping[int, Sequence[Column]]
    type_of: Callable[[Any], str | None]
    _known: dict[tuple[int, str], Found] = field(default_factory=dict)

    def of(self, node: exp.Column) -> str | None:
        parts = [part.name.lower() for part in node.parts]
        for level, child in _levels(node):
            if isinstance(level, exp.Table | exp.Subquery | exp.SetOperation):
                return None
            meant = self._meanings(_sources(level, child), parts)
            kinds: set[str | None] = set(meant) if len(meant) < 2 else {None}
            if child.arg_key in _BEHIND:
                types_there = self._in_query(level, [], parts[0])
                kinds.update(types_there if len(parts) == 1 else [None] * bool(types_there))
            elif not kinds and parts[0] in _aliases(level):
                return None
            if kinds:
                return kinds.pop() if len(kinds) == 1 else None
        return None

    def type_of_column(self, query: Any, name: str) -> str | None:
        """Of a column of a query, by its name."""
        types_there = self._in_query(query, [], name.lower())
        return types_there[0] if len(types_there) == 1 else None

    def at(self, query: Any, index: int) -> str | None:
        """Of a column of a query, by its place from 0."""
        query = _strip_parentheses(query)
        if isinstance(query, exp.SetOperation):
            sides = (query.this, query.expression)
            return next((k for k in (self.at(side, index) for side in sides) if k), None)
        if isinstance(query, exp.Values):
            rows = [row.expressions if isinstance(row, exp.Tuple) else [row.unnest()]
                    for row in query.expressions]  # fmt: skip
            kinds = (self.type_of(row[index]) for row in rows if index < len(row))
            return next((kind for kind in kinds if kind is not None), None)
        items = query.expressions if isinstance(query, exp.Select) else []
        counted = index < len(items) and not any(map(_is_star, items[: index + 1]))
        return self.type_of(items[index]) if counted else None

    def _meanings(self, sources: list[Any], parts: list[str]) -> Found:
        """``a.b`` is column b of a, or member b of column a."""
        meanings: Found = []
        for count, name in enumerate(parts):
            for source in sources:
                if count and not _is_called(source, parts[:count]):
                    continue
                sure = _is_surely(source, parts[:count])
                for kind in self._in_source(source, name):
                    for member in parts[count + 1 :]:
                        kind = _member(kind, member)
                    meanings.append(kind if sure else None)
        return meanings

    def _in_source(self, source: Any, name: str) -> Found:
        listed = _alias_columns(source)
        if isinstance(source, exp.Table):
            return self._in_table(source, listed, name)
        if isinstance(source, exp.Values):
            return self._in_query(source, listed, name)
        if not isinstance(source, exp.Subquery):
            return [None] if name in listed else []  # such as LATERAL
        if source.args.get("joins") or source.args.get("pivots"):
            return [None]
        return self._in_query(source.this, listed, name)

    def _in_table(self, table: exp.Table, listed: list[str], name: str) -> Found:
        if table.args.get("joins") or table.args.get("pivots"):
            return [None]
        columns = self.columns.get(_start(table))
        if columns is not None:
            names = listed or [column.name.lower() for column in columns]
            if len(names) != len(columns) or not columns:
                return [None]  # of an older state, which has fewer, or a metadata table
            pairs = zip(names, columns, strict=True)
            types_there: Found = [
                column.type or None for column_name, column in pairs if column_name == name
            ]
            return types_there or [None] * name.startswith("_")  # Iceberg's own columns
        if isinstance(table.this, exp.Func):
            known = table.this.name.lower() == "range" and not listed
            return ["bigint"] * (name == "id") if known else [None]
        cte = find_cte(table)
        return self._in_query(cte.this, listed or _alias_columns(cte), name) if cte else [None]

    def _in_query(self, query: Any, listed: list[str], name: str) -> Found:
        query = _strip_parentheses(query)
        if listed:
            return [
                self.at(query, index)
                for index, listed_item in enumerate(listed)
                if listed_item == name
            ]
        if isinstance(query, exp.SetOperation):
            first = query.this
            while isinstance(first, exp.SetOperation | exp.Subquery):
                first = first.this
            items = first.expressions if isinstance(first, exp.Select) else []
            named = [
                self.at(query, i) for i, item in enumerate(items) if _name_of_item(item) == name
            ]
            return named or [None]
        if not isinstance(query, exp.Select):
            return [None]
        key = (id(query), name)
        if key not in self._known:
            self._known[key] = [None]  # of one that reads itself
            self._known[key] = self._among(query, name)[:2]
        return self._known[key]

    def _among(self, query: exp.Select, name: str) -> Found:
        types_there: Found = []
        for item in query.expressions:
            if _is_star(item):
                types_there += self._types_of_star(query, item, name)
            elif _name_of_item(item) == name:
                types_there.append(self.type_of(item))
        return types_there or [None] * any(_may_be(item, name) for item in query.expressions)

    def _types_of_star(self, query: exp.Select, item: Any, name: str) -> Found:
        star = item.this if isinstance(item, exp.Column) else item
        left_out = star.args.get("except_") or ()
        if any(len(star_source.parts) > 1 for star_source in left_out):
            return [None]  # a member of a struct, it may be
        if any(star_source.name.lower() == name for star_source in left_out):
            return []
        parts = [part.name.lower() for part in item.parts[:-1]] if star is not item else []
        sources = [
            star_source
            for star_source in _sources(query)
            if not parts or _is_called(star_source, parts)
        ]
        if not sources:
            return [None]  # of a struct
        return [kind for source in sources for kind in self._in_source(source, name)]


def _levels(node: Any) -> Iterator[tuple[Any, Any]]:
    """The queries and writes whose sources an expression can name, from the inside out, each with
    the part of it that the expression stands in. What is in a source cannot name those beside it.
    Of a UNION and of parentheses there is only what is written behind them."""
    child, level, in_source = node, node.parent, False
    while level is not None:
        if isinstance(level, exp.From | exp.With):
            in_source = True
        elif isinstance(level, exp.Join):
            in_source = child.arg_key == "this"
        elif isinstance(level, _LEVELS):
            if not in_source and child.arg_key not in _SIDES:
                yield level, child
            in_source = False
        child, level = level, level.parent


def _sources(level: Any, child: Any = None) -> list[Any]:
    """Tables and queries whose columns can be named on this level, in a join's condition only
    those up to it."""
    joins = list(level.args.get("joins") or ())
    if isinstance(level, exp.Select):
        first = level.args.get("from_")
        sources = [first.this] if first is not None else []
    else:
        first_sources = (level.this, level.args.get("using"))
        sources = [source for source in first_sources if isinstance(source, exp.Expr)]
    upto = next((i for i, source in enumerate(joins) if source is child), len(joins))
    return sources + [join.this for join in joins[: upto + 1]]


def _is_called(source: Any, qualifier: list[str]) -> bool:
    return bool(source.alias_or_name.lower() == qualifier[-1])


def _is_surely(source: Any, qualifier: list[str]) -> bool:
    """Whether it and nothing else is meant: a schema is written before a table's own name."""
    if len(qualifier) < 2:
        return True
    if not isinstance(source, exp.Table) or source.alias:
        return False
    written = [part.name.lower() for part in source.parts]
    return written[-len(qualifier) :] == qualifier


def _aliases(level: Any) -> set[str]:
    """Names that a SELECT gives to its items. Others of them, GROUP BY and HAVING may use them."""
    items = level.expressions if isinstance(level, exp.Select) else []
    return {item.alias.lower() for item in items}


def _name_of_item(item: Any) -> str:
    """The name that an item has for certain."""
    return item.alias_or_name.lower() if isinstance(item, exp.Alias | exp.Column) else ""


def _may_be(item: Any, name: str) -> bool:
    """Whether Spark may give the name to an item that has none. It writes aggregates as calls."""
    if _is_star(item) or _name_of_item(item):
        return False
    return "(" in name or not isinstance(item, exp.AggFunc | exp.Window)


def _is_star(item: Any) -> bool:
    return isinstance(item, exp.Star) or (isinstance(item, exp.Column) and item.is_star)


def _alias_columns(source: Any) -> list[str]:
    """The names in ``AS t(a, b)``."""
    alias = source.args.get("alias")
    columns = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    return [column.name.lower() for column in columns or ()]


def _strip_parentheses(query: Any) -> Any:
    """Without parentheses around it; None where they hold more than the query."""
    while isinstance(query, exp.Subquery):
        more = query.args.get("joins") or query.args.get("pivots") or _alias_columns(query)
        query = None if more else query.this
    return query


def _start(table: exp.Table) -> int:
    parts = table.parts
    start = parts[0].meta.get("start") if parts else None
    return int(start) if start is not None else -1


def _member(kind: str | None, name: str) -> str | None:
    try:
        parsed = parse_type(kind) if kind else None
    except SqeError:
        return None
    members = parsed.members if isinstance(parsed, Struct) else ()
    return next((str(m.type) for m in members if m.name.lower() == name), None)
