"""Queries: FROM, WHERE, GROUP BY, SELECT, ORDER BY and what combines them, as Spark's text.

Every name is resolved here; in the text each relation has a name of its own (``r1``) and each
column is written with it, so that nothing is left for Spark to find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect import nodes
from sqe.trino.dialect.aggregation import (
    Grouped,
    check_grouping,
    check_groupings,
    check_nesting,
    check_scalar,
    group_by_text,
    grouping_keys,
    is_grouped,
)
from sqe.trino.dialect.built import Built, BuiltColumn, Source
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.ordering import Outputs, finished, sorted_by
from sqe.trino.dialect.recursion import Steps, check_names, recursion_of
from sqe.trino.dialect.relations import Relations
from sqe.trino.dialect.scope import Field, NamedQuery, Scope
from sqe.trino.dialect.select_items import Item, expand
from sqe.trino.dialect.tree import walk
from sqe.trino.dialect.typed import quoted
from sqe.trino.dialect.values import values

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer


@dataclass
class Queries:
    analyzer: Analyzer
    # The WINDOW clause of the SELECT being read, and where that SELECT stands.
    windows: dict[str, nodes.WindowSpec] = field(default_factory=dict)
    select_at: int = 0

    def __post_init__(self) -> None:
        self.relations = Relations(self)

    def query(self, node: nodes.Query, scope: Scope) -> Built:
        """``scope`` is the one around it."""
        head: list[str] = []
        seen: set[str] = set()
        for one in node.withs:
            key = one.name.name.lower()
            if key in seen:
                message = f"WITH query name '{one.name.name}' specified more than once"
                raise Refused("DUPLICATE_NAMED_QUERY", message, one.at)
            seen.add(key)
            texts, named = self._with(one, scope, node.recursive)
            head += texts
            scope = scope.with_query(key, named)
        built = self._ordered(node, scope)
        if not head:
            return built
        return Built(f"WITH {', '.join(head)} {built.text}", built.columns)

    def _with(
        self, node: nodes.With, scope: Scope, recursive: bool
    ) -> tuple[list[str], NamedQuery]:
        """The texts for a WITH clause, and the last of them by its name."""
        recursion = recursion_of(node) if recursive else None
        if recursion is not None:
            return Steps(self, recursion, scope).written()
        built = self.query(node.query, scope)
        if node.columns and len(node.columns) != len(built.columns):
            message = (
                f"WITH column alias list has {len(node.columns)} entries "
                f"but WITH query has {len(built.columns)} columns"
            )
            raise Refused("MISMATCHED_COLUMN_ALIASES", message, node.columns[0].at)
        check_names(node.columns)
        names: list[str | None] = [one.name for one in node.columns]
        names = names or [one.name for one in built.columns]
        name = self.analyzer.fresh("w")
        fields = tuple(
            Field(given, column.type, quoted(column.sql_name), origin=column.origin)
            for given, column in zip(names, built.columns, strict=True)
        )
        return [f"{name} AS ({built.text})"], NamedQuery(name, fields)

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
        order = sorted_by(self.analyzer, node, shown, inside)
        listed = ", ".join(
            f"{one.sql} AS {quoted(column.sql_name)}"
            for one, column in zip(fields, built.columns, strict=True)
        )
        text = finished(self.analyzer, order, f"SELECT {listed}", f" FROM ({built.text}) AS {name}")
        return Built(text, built.columns)

    def body(self, node: nodes.Body, scope: Scope) -> Built:
        if isinstance(node, nodes.Select):
            return self.select(node, scope, None)
        if isinstance(node, nodes.Values):
            return values(self, node, scope)
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
        before = self.windows, self.select_at
        self.windows, self.select_at = self._windows(node), node.at
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
            head = "SELECT DISTINCT " if node.distinct else "SELECT "
            head += ", ".join(
                f"{item.typed.sql} AS {quoted(column.sql_name)}"
                for item, column in zip(items, columns, strict=True)
            )
            text = f" FROM {source.text}" if source.text else ""
            text += where
            text += group_by_text(node, keys) + having
            shown = Outputs(items, _names(columns), node.distinct)
            order = sorted_by(analyzer, query, shown, scope) if query is not None else None
            if grouped:
                check_groupings(analyzer, node, keys, [*node.items, *order_by])
                check_grouping(analyzer, Grouped(node, keys, items, order_by), scope)
        finally:
            self.windows, self.select_at = before
        if order is None:
            return Built(head + text, columns)
        return Built(finished(analyzer, order, head, text), columns)

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

    # ------------------------------------------------------- UNION and kin

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
            replace(column, type=kind) for column, kind in zip(left.columns, kinds, strict=True)
        )
        return Built(f"({texts[0]}) {word} ({texts[1]})", columns)

    def changed(
        self, built: Built, kinds: Sequence[TrinoType], at: int, names: Sequence[str] = ()
    ) -> str:
        """The query with its columns changed to these types, and to these names in the text."""
        names = names or _names(built.columns)
        wanted = list(zip(names, kinds, strict=True))
        if all(
            (column.sql_name, column.type) == one
            for column, one in zip(built.columns, wanted, strict=True)
        ):
            return built.text
        name = self.analyzer.fresh("r")
        cells = ", ".join(
            f"{coerce(one.typed, kind, at).sql} AS {quoted(given)}"
            for one, (given, kind) in zip(built.fields(name), wanted, strict=True)
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
        columns.append(BuiltColumn(item.name, item.typed.type, name, item.origin))
    return columns


def _names(columns: Sequence[BuiltColumn]) -> list[str]:
    return [column.sql_name for column in columns]
