"""Queries: FROM, WHERE, GROUP BY, SELECT, ORDER BY and what combines them, as Spark's text.

Every name is resolved here; in the text each relation has a name of its own (``r1``) and each
column is written with it, so that nothing is left for Spark to find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqe.model.trino_types import UNKNOWN, TrinoType
from sqe.sql.trino import nodes
from sqe.sql.trino.aggregation import (
    Grouped,
    check_grouping,
    check_groupings,
    check_nesting,
    check_scalar,
    group_by_text,
    grouping_keys,
    is_grouped,
)
from sqe.sql.trino.casts import coerce
from sqe.sql.trino.coercion import common_type
from sqe.sql.trino.errors import Refused, mismatch, not_supported
from sqe.sql.trino.ordering import Outputs, limit_text, order_text
from sqe.sql.trino.relations import Relations, Source
from sqe.sql.trino.scope import Field, NamedQuery, Scope
from sqe.sql.trino.select_items import Item, expand
from sqe.sql.trino.tree import walk
from sqe.sql.trino.typed import Typed, quoted

if TYPE_CHECKING:
    from sqe.sql.trino.analyzer import Analyzer


@dataclass(frozen=True, slots=True)
class BuiltColumn:
    """``name`` None: Trino gives it none (``_col0`` at the end); ``sql_name`` in the text."""

    name: str | None
    type: TrinoType
    sql_name: str


@dataclass(frozen=True, slots=True)
class Built:
    """A whole query in Spark's text."""

    text: str
    columns: tuple[BuiltColumn, ...]

    def fields(self, relation: str, qualifier: tuple[str, ...] = ()) -> tuple[Field, ...]:
        """Its columns, seen from outside as those of ``relation``."""
        return tuple(
            Field(column.name, column.type, f"{relation}.{quoted(column.sql_name)}", qualifier)
            for column in self.columns
        )


@dataclass
class Queries:
    analyzer: Analyzer
    # The WINDOW clause of the SELECT being read.
    windows: dict[str, nodes.WindowSpec] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.relations = Relations(self)

    def query(self, node: nodes.Query, scope: Scope) -> Built:
        """``scope`` is the one around it."""
        if node.recursive:
            raise not_supported("WITH RECURSIVE", node.at)
        head = []
        seen: set[str] = set()
        for one in node.withs:
            key = one.name.name.lower()
            if key in seen:
                message = f"WITH query name '{one.name.name}' specified more than once"
                raise Refused("DUPLICATE_NAMED_QUERY", message, one.at)
            seen.add(key)
            text, named = self._named(one, scope)
            head.append(text)
            scope = scope.with_query(key, named)
        built = self._ordered(node, scope)
        if not head:
            return built
        return Built(f"WITH {', '.join(head)} {built.text}", built.columns)

    def _named(self, node: nodes.With, scope: Scope) -> tuple[str, NamedQuery]:
        built = self.query(node.query, scope)
        if node.columns and len(node.columns) != len(built.columns):
            message = (
                f"WITH column alias list has {len(node.columns)} entries "
                f"but WITH query has {len(built.columns)} columns"
            )
            raise Refused("MISMATCHED_COLUMN_ALIASES", message, node.at)
        names: list[str | None] = [one.name for one in node.columns]
        names = names or [one.name for one in built.columns]
        for i, one in enumerate(node.columns):
            if any(one.name.lower() == other.name.lower() for other in node.columns[:i]):
                message = f"Column name '{one.name}' specified more than once"
                raise Refused("DUPLICATE_COLUMN_NAME", message, one.at)
        name = self.analyzer.fresh("w")
        fields = tuple(
            Field(given, column.type, quoted(column.sql_name))
            for given, column in zip(names, built.columns, strict=True)
        )
        return f"{name} AS ({built.text})", NamedQuery(name, fields)

    def _ordered(self, node: nodes.Query, scope: Scope) -> Built:
        """The body with ORDER BY, OFFSET and LIMIT."""
        body = node.body
        if isinstance(body, nodes.Select):
            return self.select(body, scope, node)
        built = self.body(body, scope)
        if not (node.order_by or node.offset or node.limit):
            return built
        name = self.analyzer.fresh("r")
        fields = built.fields(name)
        outputs = [
            Item(column.name, one.typed) for column, one in zip(built.columns, fields, strict=True)
        ]
        inside = scope.around(fields)
        shown = Outputs(outputs, _names(built.columns))
        order = order_text(self.analyzer, node, shown, inside)
        listed = ", ".join(
            f"{one.sql} AS {quoted(column.sql_name)}"
            for one, column in zip(fields, built.columns, strict=True)
        )
        text = f"SELECT {listed} FROM ({built.text}) AS {name}{order}"
        return Built(text + limit_text(self.analyzer, node), built.columns)

    def body(self, node: nodes.Body, scope: Scope) -> Built:
        if isinstance(node, nodes.Select):
            return self.select(node, scope, None)
        if isinstance(node, nodes.Values):
            return self._values(node, scope)
        if isinstance(node, nodes.SetOperation):
            return self._set_operation(node, scope)
        if isinstance(node, nodes.TableQuery):
            star = nodes.Star(node.at)
            return self.select(nodes.Select(node.at, (star,), source=node.table), scope, None)
        return self.query(node, scope)

    # ------------------------------------------------------------- SELECT

    def select(self, node: nodes.Select, outer: Scope, query: nodes.Query | None) -> Built:
        analyzer = self.analyzer
        source = self.relations.read(node.source, outer) if node.source else Source("", ())
        scope = outer.around(source.fields)
        before, self.windows = self.windows, self._windows(node)
        try:
            check_scalar(node.where, "WHERE clause")
            where = self._where(node, scope)
            check_nesting([*node.items, *(query.order_by if query is not None else ())])
            items = expand(analyzer, node, scope)
            order_by = query.order_by if query is not None else ()
            grouped = is_grouped(node, order_by)
            keys = grouping_keys(analyzer, node, items, scope) if grouped else ()
            having = self._having(node, scope)
            columns = tuple(_columns(items))
            text = "SELECT DISTINCT " if node.distinct else "SELECT "
            text += ", ".join(
                f"{item.typed.sql} AS {quoted(column.sql_name)}"
                for item, column in zip(items, columns, strict=True)
            )
            text += f" FROM {source.text}" if source.text else ""
            text += where
            text += group_by_text(node, keys) + having
            if query is not None:
                shown = Outputs(items, _names(columns), node.distinct)
                text += order_text(analyzer, query, shown, scope)
            if grouped:
                check_groupings(analyzer, node, keys, [*node.items, *order_by])
                check_grouping(analyzer, Grouped(node, keys, items, order_by), scope)
        finally:
            self.windows = before
        if query is not None:
            text += limit_text(analyzer, query)
        return Built(text, columns)

    def _windows(self, node: nodes.Select) -> dict[str, nodes.WindowSpec]:
        found: dict[str, nodes.WindowSpec] = {}
        for name, spec in node.windows:
            if name.name.lower() in found:
                message = f"WINDOW name {name.name} specified more than once"
                raise Refused("DUPLICATE_WINDOW_NAME", message, name.at)
            found[name.name.lower()] = spec
        return found

    def _where(self, node: nodes.Select, scope: Scope) -> str:
        if node.where is None:
            return ""
        self.analyzer.note_filter(node.where)
        return f" WHERE {self.analyzer.condition(node.where, scope, 'WHERE clause').sql}"

    def _having(self, node: nodes.Select, scope: Scope) -> str:
        if node.having is None:
            return ""
        for one in walk(node.having):
            if isinstance(one, nodes.Call) and one.window is not None:
                message = "HAVING clause cannot contain window functions or row pattern measures"
                raise Refused("NESTED_WINDOW", message, one.at)
        return f" HAVING {self.analyzer.condition(node.having, scope, 'HAVING clause').sql}"

    # ----------------------------------------------- VALUES, UNION and kin

    def _values(self, node: nodes.Values, scope: Scope) -> Built:
        rows = [self._row(one, scope) for one in node.rows]
        width = len(rows[0])
        for one, written in zip(rows, node.rows, strict=True):
            if len(one) != width:
                raise mismatch(
                    "Values rows have mismatched sizes: "
                    f"{width} vs {len(one)}", written.at)  # fmt: skip
        kinds = []
        for i in range(width):
            kind = UNKNOWN
            for one, written in zip(rows, node.rows, strict=True):
                found = common_type(kind, one[i].type)
                if found is None:
                    message = f"Values rows have mismatched types: {kind} vs {one[i].type}"
                    raise mismatch(message, written.at)
                kind = found
            kinds.append(kind)
        columns = tuple(BuiltColumn(None, kind, f"_col{i}") for i, kind in enumerate(kinds))
        if all(cell.is_constant for one in rows for cell in one):
            return self._inline(rows, columns, node.at)
        selects = []
        for one in rows:
            cells = ", ".join(
                f"{coerce(cell, kind, node.at).sql} AS {quoted(column.sql_name)}"
                for cell, kind, column in zip(one, kinds, columns, strict=True)
            )
            selects.append(f"SELECT {cells}")
        return Built(" UNION ALL ".join(selects), columns)

    def _inline(
        self, rows: Sequence[Sequence[Typed]], columns: tuple[BuiltColumn, ...], at: int
    ) -> Built:
        """Constants only: Spark reads them at once, however many rows there are."""
        name = self.analyzer.fresh("r")
        written = ", ".join(
            "("
            + ", ".join(
                coerce(cell, column.type, at).sql for cell, column in zip(one, columns, strict=True)
            )
            + ")"
            for one in rows
        )
        names = ", ".join(quoted(column.sql_name) for column in columns)
        listed = ", ".join(
            f"{name}.{quoted(column.sql_name)} AS {quoted(column.sql_name)}" for column in columns
        )
        return Built(f"SELECT {listed} FROM VALUES {written} AS {name}({names})", columns)

    def _row(self, node: nodes.Expression, scope: Scope) -> list[Typed]:
        if isinstance(node, nodes.RowConstructor):
            return [self.analyzer.expression(item, scope) for item in node.items]
        return [self.analyzer.expression(node, scope)]

    def _set_operation(self, node: nodes.SetOperation, scope: Scope) -> Built:
        if node.corresponding:
            raise not_supported("CORRESPONDING", node.at)
        left, right = self.body(node.left, scope), self.body(node.right, scope)
        if len(left.columns) != len(right.columns):
            message = (
                f"{node.operator} query has different number of fields: "
                f"{len(left.columns)}, {len(right.columns)}"
            )
            raise mismatch(message, node.at)
        kinds = []
        for i, (one, other) in enumerate(zip(left.columns, right.columns, strict=True), start=1):
            kind = common_type(one.type, other.type)
            if kind is None:
                message = (
                    f"column {i} in {node.operator} query has incompatible types: "
                    f"{one.type}, {other.type}"
                )
                raise mismatch(message, node.at)
            kinds.append(kind)
        texts = [self.changed(one, kinds, node.at) for one in (left, right)]
        word = node.operator + ("" if node.distinct else " ALL")
        columns = tuple(
            BuiltColumn(column.name, kind, column.sql_name)
            for column, kind in zip(left.columns, kinds, strict=True)
        )
        return Built(f"({texts[0]}) {word} ({texts[1]})", columns)

    def changed(self, built: Built, kinds: Sequence[TrinoType], at: int) -> str:
        """The query with its columns changed to these types."""
        if all(column.type == kind for column, kind in zip(built.columns, kinds, strict=True)):
            return built.text
        name = self.analyzer.fresh("r")
        cells = ", ".join(
            f"{coerce(one.typed, kind, at).sql} AS {quoted(column.sql_name)}"
            for one, kind, column in zip(built.fields(name), kinds, built.columns, strict=True)
        )
        return f"SELECT {cells} FROM ({built.text}) AS {name}"


def _columns(items: Sequence[Item]) -> list[BuiltColumn]:
    """Each with a name in the text that no other has, whatever their case."""
    taken: set[str] = set()
    columns = []
    for i, item in enumerate(items):
        name = item.name or f"_col{i}"
        while name.lower() in taken:
            name = f"{name}_{i}"
        taken.add(name.lower())
        columns.append(BuiltColumn(item.name, item.typed.type, name))
    return columns


def _names(columns: Sequence[BuiltColumn]) -> list[str]:
    return [column.sql_name for column in columns]
