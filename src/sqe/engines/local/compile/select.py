"""One SELECT: its clauses in the order in which they count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.context import Context
from sqe.engines.local.compile.dependent import check_dependent
from sqe.engines.local.compile.expressions import Expressions
from sqe.engines.local.compile.grouping import Grouping, Item, compile_grouping, loosen_absent
from sqe.engines.local.compile.levels import (
    check_in_queries,
    forbid,
    has_aggregate,
    has_subquery,
    has_window,
    is_aggregate,
    own_columns,
    parts,
)
from sqe.engines.local.compile.ordering import limits, order_by
from sqe.engines.local.compile.pruning import prune
from sqe.engines.local.compile.relations import Relations
from sqe.engines.local.compile.scope import Output, Relation, Scope, SourceColumn
from sqe.engines.local.compile.value import Value, need_equatable, without_sign_of_zero
from sqe.engines.local.compile.windows import with_windows
from sqe.engines.local.plan import NotLocal

_PARTS = frozenset(
    {
        "with_", "kind", "expressions", "hint", "distinct", "from_", "joins", "where", "group",
        "having", "order", "limit", "offset", "windows", "laterals",
    }
)  # fmt: skip


class Selects:
    """Compiles SELECTs. What DuckDB would refuse, or read otherwise than Spark, is refused here."""

    def __init__(
        self,
        context: Context,
        relations: Relations,
        with_clause: Callable[[Any, Scope], str],
    ) -> None:
        self._context = context
        self._relations = relations
        self._with = with_clause

    def compile(self, node: exp.Select, outer: Scope) -> Relation:
        for part, value in node.args.items():
            if value and part not in _PARTS:
                raise NotLocal(f"{part} is not on the local engine's list")
        scope = Scope(parent=outer)
        prefix = self._with(node, scope)
        from_ = self._relations.from_clause(node, scope)
        node = with_windows(node)
        where = self._where(node, scope)
        lent = scope.lent
        loosen_absent(node, scope)
        selected = self._items(node, scope)
        grouping = self._grouping(node, scope, selected)
        items = grouping.settle_items(selected) if grouping else [item.value for item in selected]
        having = self._having_clause(node, scope, items, grouping)
        distinct = _distinct(node)
        order = self._order(node, scope, items, grouping)
        check_dependent(
            node, scope, self._context.expressions(scope),
            grouped=grouping is not None, lent_behind_where=scope.lent > lent,
        )  # fmt: skip
        parameters = self._context.parameters
        tail = limits(node.args.get("limit"), node.args.get("offset"), parameters)
        group = grouping.sql if grouping else ""
        listed = ", ".join(
            f"{_exactly(value, bool(distinct))} AS c{i}" for i, value in enumerate(items, 1)
        )
        sql = f"{prefix}SELECT {distinct}{listed}{from_}{where}{group}{having}{order}{tail}"
        through = not tail and not has_window(*node.expressions)
        prunes = _Prunes(scope, grouping) if through else None
        return Relation(sql, tuple(_output(value, prunes) for value in items))

    def _where(self, node: exp.Select, scope: Scope) -> str:
        where = node.args.get("where")
        if where is None:
            return ""
        forbid("WHERE", where.this)
        check_in_queries(where.this)
        scope.sees_outer = True
        condition = self._context.expressions(scope).condition(where.this)
        scope.sees_outer = False
        prune(where.this, scope, self._context)
        return f" WHERE {condition.sql}"

    def _items(self, node: exp.Select, scope: Scope) -> list[Item]:
        for item in node.expressions:
            check_in_queries(item, filters=False)
        expressions = self._context.expressions(scope)
        plain = not _is_grouped(node)
        items: list[Item] = []
        for item in node.expressions:
            star = item.this if isinstance(item, exp.Column) else item
            if isinstance(star, exp.Star):
                items += [Item(None, value) for value in self._star(item, star, scope)]
                continue
            _no_alias_in_window(item, expressions)
            _no_error_alone(item)
            if not isinstance(item, exp.Alias):
                items.append(Item(item, expressions.item(item)))
                continue
            value = replace(expressions.value(item.this), name=item.alias)
            _remember(expressions, scope, value, plain=plain and not has_window(item))
            items.append(Item(item.this, value))
        if not items:
            raise NotLocal("a query without columns")
        return items

    def _star(self, item: Any, star: exp.Star, scope: Scope) -> list[Value]:
        if star.args.get("replace") or star.args.get("rename"):
            raise NotLocal("* with replacements is Spark's")
        columns = scope.visible
        if star is not item:
            columns = _of_source(item, scope)
        left_out = star.args.get("except_") or ()
        columns = [column for column in columns if not _is_left_out(column, left_out, columns)]
        if not columns:
            raise NotLocal("* that leaves no column is Spark's")
        return [column.value() for column in columns]

    def _grouping(self, node: exp.Select, scope: Scope, items: list[Item]) -> Grouping | None:
        group = node.args.get("group")
        if not _is_grouped(node):
            if node.args.get("having"):
                raise NotLocal("HAVING without GROUP BY and without aggregates is Spark's")
            return None
        grouping = compile_grouping(group, self._context.expressions(scope), items)
        if grouping.only_constants and (scope.borrowed or scope.passed):
            raise NotLocal("grouping a dependent subquery by constants is Spark's")
        grouping.check_items(items)
        return grouping

    def _having_clause(
        self, node: exp.Select, scope: Scope, items: list[Value], grouping: Grouping | None
    ) -> str:
        having = node.args.get("having")
        # Spark makes the row of the empty grouping set of rows too: without any there is none.
        whole = grouping is not None and (grouping.sets or grouping.only_constants)
        some = "count(*) > 0" if whole else ""
        if having is None or grouping is None:
            return f" HAVING {some}" if some else ""
        if has_window(having.this):
            raise NotLocal("a window function in HAVING is Spark's")
        check_in_queries(having.this)
        expressions = self._context.expressions(scope)
        _use_aliases(expressions, having.this, items, from_first=True)
        grouping.check(having.this, aliases=frozenset(expressions.aliases))
        condition = expressions.condition(having.this).sql
        return f" HAVING {condition} AND {some}" if some else f" HAVING {condition}"

    def _order(
        self, node: exp.Select, scope: Scope, items: list[Value], grouping: Grouping | None
    ) -> str:
        order = node.args.get("order")
        if order is None:
            return ""
        if has_subquery(order):
            raise NotLocal("a subquery in ORDER BY is Spark's")
        if has_window(order):  # Spark refuses some, by what else is selected
            raise NotLocal("a window function in ORDER BY is Spark's")
        if has_aggregate(order) and (grouping is None or node.args.get("having")):
            raise NotLocal("ORDER BY an aggregate without GROUP BY, or behind HAVING, is Spark's")
        expressions = self._context.expressions(scope)
        _use_aliases(expressions, order, items, from_first=False)
        if grouping is not None and has_window(*node.expressions):
            _check_order_of_windows(order, expressions, items)
        distinct = node.args.get("distinct") is not None

        def check(key: Any) -> None:
            if grouping is not None:
                grouping.check(key, aliases=frozenset(expressions.aliases))

        return order_by(order, expressions, items, only_items=distinct, check=check)


def _is_grouped(node: exp.Select) -> bool:
    having = node.args.get("having")
    aggregating = [*node.expressions, *([having.this] if having is not None else [])]
    return node.args.get("group") is not None or has_aggregate(*aggregating)


def _check_order_of_windows(order: exp.Order, expressions: Expressions, items: list[Value]) -> None:
    """Over windows of a grouped query, Spark no longer sees the keys and aggregates below them."""
    hidden = (part for part in parts(order) if not isinstance(part, exp.Grouping))
    if any(is_aggregate(part) for part in hidden):
        raise NotLocal("ORDER BY an aggregate beside windows over groups is Spark's")
    selected = {item.sql for item in items}
    for column, _ in own_columns(order):
        if expressions.value(column).sql not in selected:
            raise NotLocal(f"ORDER BY {column.name}, which is not selected, is Spark's")


def _of_source(item: exp.Column, scope: Scope) -> list[SourceColumn]:
    parts = [item.args.get(key) for key in ("catalog", "db", "table")]
    qualifier = tuple(part.name for part in parts if part is not None)
    sources = [source for source in scope.sources if source.answers(qualifier)]
    if len(sources) != 1 or len(scope.merged) > 1:
        raise NotLocal(f"{'.'.join(qualifier)}.* is Spark's")
    columns = sources[0].columns
    if not scope.merged:
        return columns
    # Behind USING the names that were joined by come first here too.
    first = [c for name in scope.merged[0] for c in columns if c.name.lower() == name]
    return [*first, *(c for c in columns if c.name.lower() not in scope.merged[0])]


def _is_left_out(column: SourceColumn, left_out: Any, columns: list[SourceColumn]) -> bool:
    for name in left_out:
        if name.args.get("table") is not None:
            raise NotLocal("EXCEPT with qualified names is Spark's")
        if sum(1 for c in columns if c.name.lower() == name.name.lower()) != 1:
            raise NotLocal(f"EXCEPT ({name.name}) is Spark's")
    return any(column.name.lower() == name.name.lower() for name in left_out)


def _no_error_alone(item: Any) -> None:
    """As a column, it has a type and a name on Spark that nobody sees but where there are no rows:
    those of nothing at all, and of what Spark makes of it."""
    node = item.unalias()
    if isinstance(node, exp.Anonymous) and node.name.lower() == "raise_error":
        raise NotLocal("raise_error as a column is Spark's")


def _no_alias_in_window(item: Any, expressions: Expressions) -> None:
    if has_window(item) and any(
        column.args.get("table") is None and column.name.lower() in expressions.aliases
        for column, _ in own_columns(item)
    ):
        raise NotLocal("an alias of the same SELECT in a window function is Spark's")


def _remember(expressions: Expressions, scope: Scope, value: Value, *, plain: bool) -> None:
    """An alias may be used by the items behind it, where FROM has no column of that name."""
    if plain and not list(scope.matches(value.name, ())):
        if value.name.lower() in expressions.aliases:
            raise NotLocal(f"two columns named {value.name}")
        # Spark shows it as a reference inside of names, and a number is no longer one as written.
        expressions.aliases[value.name.lower()] = replace(value, name="", bare=False)


def _use_aliases(
    expressions: Expressions, node: Any, items: list[Value], *, from_first: bool
) -> None:
    """Names of the select list in HAVING and ORDER BY. Where a name could mean two things, Spark
    has rules of its own."""
    for column, in_aggregate in own_columns(node):
        if column.args.get("table") is not None:
            continue
        name = column.name.lower()
        named = {item.sql: item for item in items if item.name.lower() == name}
        stored = [match.sql for match in expressions.scope.matches(name, ())]
        if not named or set(named) == set(stored):
            continue
        if len(named) > 1 or in_aggregate or (from_first and stored):
            raise NotLocal(f"{column.name} may mean two things here")
        expressions.aliases[name] = replace(next(iter(named.values())), bare=False)


def _distinct(node: exp.Select) -> str:
    distinct = node.args.get("distinct")
    if distinct is None:
        return ""
    if distinct.args.get("on"):
        raise NotLocal("DISTINCT ON is Spark's")
    return "DISTINCT "


def _exactly(value: Value, distinct: bool) -> str:
    """The value in its very type: DuckDB gives some NULLs and constants another one."""
    sql = value.sql
    if distinct:
        need_equatable(value.type, "DISTINCT over")
    if not (value.column or sql.startswith("CAST(")):
        sql = f"CAST({sql} AS {value.type.duckdb})"
    return without_sign_of_zero(sql, value.type) if distinct and value.type.is_float else sql


class _Prunes:
    """The stored columns to which a condition on an item applies; behind GROUP BY only keys do."""

    def __init__(self, scope: Scope, grouping: Grouping | None) -> None:
        self._by_sql = {column.sql: column for column in scope.columns()}
        self._grouping = grouping

    def of(self, value: Value) -> tuple[Any, ...]:
        column = self._by_sql.get(value.sql) if value.column else None
        if column is None or (self._grouping and not self._grouping.passes(value)):
            return ()
        return column.prunes


def _output(value: Value, prunes: _Prunes | None) -> Output:
    below = prunes.of(value) if prunes else ()
    return Output(value.name, value.type, value.nullable, value.origins, below)
