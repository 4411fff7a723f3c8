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
    groups_of,
    is_grouped,
)
from sqe.trino.dialect.built import Built, BuiltColumn, Source
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.correlation import keep_inside
from sqe.trino.dialect.errors import Refused, mismatch
from sqe.trino.dialect.group_frames import number_groups
from sqe.trino.dialect.grouping_sets import Groups
from sqe.trino.dialect.inline_functions import define_functions
from sqe.trino.dialect.no_rows import Whole, with_group_of_no_rows, write_items
from sqe.trino.dialect.ordering import Outputs, compile_sorting, finish_select
from sqe.trino.dialect.recursion import Steps, check_names, recursion_of
from sqe.trino.dialect.relations import Relations
from sqe.trino.dialect.scope import Field, NamedQuery, Scope
from sqe.trino.dialect.select_items import Item, expand
from sqe.trino.dialect.tree import walk
from sqe.trino.dialect.typed import quote_name
from sqe.trino.dialect.values import values
from sqe.trino.dialect.windows import FrameOrder

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer


@dataclass
class Queries:
    analyzer: Analyzer
    # The WINDOW clause of the SELECT being read, and where that SELECT stands.
    windows: dict[str, nodes.WindowSpec] = field(default_factory=dict)
    select_at: int = 0
    # Whether only some rows of the query being read are taken, from the subquery on that it is in.
    limited: bool = False
    # Columns with the numbers of groups, by what their window is divided and sorted by.
    group_numbers: dict[FrameOrder, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.relations = Relations(self)

    def query(self, node: nodes.Query, scope: Scope) -> Built:
        """``scope`` is the one around it."""
        before = self.limited
        self.limited = before or node.limit is not None or node.offset is not None
        try:
            return self._query(node, scope)
        finally:
            self.limited = before

    def subquery(self, node: nodes.Query, scope: Scope) -> Built:
        """A query that may name columns of ``scope``, the one around it."""
        before = self.limited
        self.limited = False
        try:
            return self.query(node, replace(scope, entered=True))
        finally:
            self.limited = before

    def _query(self, node: nodes.Query, scope: Scope) -> Built:
        define_functions(self.analyzer, node.functions)
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
        built = self._build_ordered_query(node, scope)
        if not head:
            return built
        return Built(f"WITH {', '.join(head)} {built.text}", built.columns)

    def _with(
        self, node: nodes.With, scope: Scope, recursive: bool
    ) -> tuple[list[str], NamedQuery]:
        """The texts for a WITH clause, and the last of them by its name."""
        recursion = recursion_of(node) if recursive else None
        if recursion is not None:
            return Steps(self, recursion, scope).write()
        built = self.query(node.query, scope)
        if node.columns and len(node.columns) != len(built.columns):
            message = (
                f"WITH column alias list has {len(node.columns)} entries "
                f"but WITH query has {len(built.columns)} columns"
            )
            raise Refused("MISMATCHED_COLUMN_ALIASES", message, node.columns[0].at)
        check_names(node.columns)
        names: list[str | None] = [column_name.name for column_name in node.columns]
        names = names or [column_name.name for column_name in built.columns]
        name = self.analyzer.make_id("w")
        fields = tuple(
            Field(with_name, column.type, quote_name(column.sql_name), origin=column.origin)
            for with_name, column in zip(names, built.columns, strict=True)
        )
        return [f"{name} AS ({built.text})"], NamedQuery(name, fields)

    def _build_ordered_query(self, node: nodes.Query, scope: Scope) -> Built:
        """The body with ORDER BY, OFFSET and LIMIT."""
        body = node.body
        if isinstance(body, nodes.Select):
            return self.select(body, scope, node)
        built = self.body(body, scope)
        if not (node.order_by or node.offset or node.limit):
            return built
        name = self.analyzer.make_id("r")
        fields = built.fields(name)
        outputs = [
            Item(column.name, field.as_typed)
            for column, field in zip(built.columns, fields, strict=True)
        ]
        inside = scope.around(fields)
        shown = Outputs(outputs, _names(built.columns))
        order = compile_sorting(self.analyzer, node, shown, inside)
        listed = ", ".join(
            f"{field.sql} AS {quote_name(column.sql_name)}"
            for field, column in zip(fields, built.columns, strict=True)
        )
        tail = f" FROM ({built.text}) AS {name}"
        text = finish_select(self.analyzer, order, f"SELECT {listed}", tail, scope)
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
        order_by = query.order_by if query is not None else ()
        before = self.windows, self.select_at, self.group_numbers
        self.windows, self.select_at, self.group_numbers = self._windows(node), node.at, {}
        try:
            numbered = number_groups(self, node, order_by, source, outer)
            filtered, source = numbered is not source, numbered
            scope = outer.around(source.fields)
            for _, window in node.windows:
                analyzer.window(window, scope)  # also those that nothing uses must be right
            where = "" if filtered else self.where(node, scope)
            check_nesting([*node.items, *order_by])
            items = expand(analyzer, node, scope)
            grouped = is_grouped(node, order_by)
            groups = groups_of(analyzer, node, items, scope) if grouped else Groups()
            having = self.having(node, scope)
            columns = tuple(_columns(items))
            shown = Outputs(items, _names(columns), node.distinct)
            order = compile_sorting(analyzer, query, shown, scope) if query is not None else None
            if grouped:
                check_groupings(analyzer, node, groups.keys, [*node.items, *order_by])
                check_grouping(analyzer, Grouped(node, groups.keys, items, order_by), scope)
            shown_items = write_items(items, columns)
            origin = f" FROM {source.text}" if source.text else ""
            text = origin + where + groups.text + (having or groups.having)
            if groups.empty and groups.text and origin:
                whole = Whole(node, groups, items, columns, order, origin, where, text)
                shown_items, text, order = with_group_of_no_rows(self, whole, scope)
            head = f"SELECT {'DISTINCT ' if node.distinct else ''}{shown_items}"
        finally:
            self.windows, self.select_at, self.group_numbers = before
        if order is None:
            return Built(head + text, columns)
        return Built(finish_select(analyzer, order, head, text, outer), columns)

    def _windows(self, node: nodes.Select) -> dict[str, nodes.WindowSpec]:
        windows: dict[str, nodes.WindowSpec] = {}
        for name, spec in node.windows:
            if name.name.lower() in windows:
                message = f"WINDOW name {name.name} specified more than once"
                raise Refused("DUPLICATE_WINDOW_NAME", message, name.at)
            windows[name.name.lower()] = spec
        return windows

    def where(self, node: nodes.Select, scope: Scope) -> str:
        if node.where is None:
            return ""
        check_scalar(node.where, "WHERE clause")
        self.analyzer.note_filter(node.where)
        test = self.analyzer.predicate(node.where, scope, "WHERE clause")
        if self.limited:
            test = keep_inside(self.analyzer, node.where, scope, test)
        return f" WHERE {test}"

    def having(self, node: nodes.Select, scope: Scope) -> str:
        if node.having is None:
            return ""
        for one in walk(node.having):
            if isinstance(one, nodes.Call) and one.window is not None:
                message = "HAVING clause cannot contain window functions or row pattern measures"
                raise Refused("NESTED_WINDOW", message, one.at)
        return f" HAVING {self.analyzer.predicate(node.having, scope, 'HAVING clause')}"

    # ------------------------------------------------------- UNION and kin

    def _set_operation(self, node: nodes.SetOperation, scope: Scope) -> Built:
        left, right = self.body(node.left, scope), self.body(node.right, scope)
        if node.corresponding:
            left, right = self._match_columns(left, right, node)
        if len(left.columns) != len(right.columns):
            message = (
                f"{node.operator} query has different number of fields: "
                f"{len(left.columns)}, {len(right.columns)}"
            )
            raise mismatch(message, node.at)
        kinds = []
        for i, (left_column, other) in enumerate(
            zip(left.columns, right.columns, strict=True), start=1
        ):
            kind = common_type(left_column.type, other.type)
            if kind is None:
                message = (
                    f"column {i} in {node.operator} query has incompatible types: "
                    f"{left_column.type}, {other.type}"
                )
                raise mismatch(message, node.at)
            kinds.append(kind)
        texts = [self.convert_columns(left_column, kinds, node.at) for left_column in (left, right)]
        word = node.operator + ("" if node.distinct else " ALL")
        columns = tuple(
            replace(column, type=kind) for column, kind in zip(left.columns, kinds, strict=True)
        )
        return Built(f"({texts[0]}) {word} ({texts[1]})", columns)

    def _match_columns(self, left: Built, right: Built, node: nodes.SetOperation) -> list[Built]:
        """Both with the columns that both have by name, in the left one's order."""
        names = [
            [column.name.lower() if column.name is not None else "" for column in one.columns]
            for one in (left, right)
        ]
        for own in names:
            twice = next((name for name in own if own.count(name) > 1), "")
            if "" in own:
                message = "Anonymous columns are not allowed in set operations with CORRESPONDING"
                raise Refused("MISSING_COLUMN_NAME", message, node.at)
            if twice:
                message = "Duplicate columns found when using CORRESPONDING in set operations: "
                raise Refused("AMBIGUOUS_NAME", message + twice, node.at)
        common = [name for name in names[0] if name in names[1]]
        if not common:
            raise mismatch("No corresponding columns", node.at)
        chosen = []
        for one, own in zip((left, right), names, strict=True):
            alias = self.analyzer.make_id("r")
            columns = tuple(one.columns[own.index(name)] for name in common)
            cells = ", ".join(f"{alias}.{quote_name(column.sql_name)}" for column in columns)
            chosen.append(Built(f"SELECT {cells} FROM ({one.text}) AS {alias}", columns))
        return chosen

    def convert_columns(
        self, built: Built, kinds: Sequence[TrinoType], at: int, names: Sequence[str] = ()
    ) -> str:
        """The query with its columns changed to these types, and to these names in the text."""
        names = names or _names(built.columns)
        wanted = list(zip(names, kinds, strict=True))
        if all(
            (column.sql_name, column.type) == target
            for column, target in zip(built.columns, wanted, strict=True)
        ):
            return built.text
        name = self.analyzer.make_id("r")
        cells = ", ".join(
            f"{coerce(field.as_typed, kind, at).sql} AS {quote_name(new_name)}"
            for field, (new_name, kind) in zip(built.fields(name), wanted, strict=True)
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
