"""Queries: SELECT, set operations, CTEs and FROM, as DuckDB SQL over named scans."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from sqe.catalog.bound import BoundReference, BoundStatement, BoundTable, BoundView
from sqe.engines.local.compile.expressions import Expressions, ordered
from sqe.engines.local.compile.pruning import comparisons
from sqe.engines.local.compile.scope import Output, Relation, Scope, Source, SourceColumn
from sqe.engines.local.compile.texts import check_statement
from sqe.engines.local.compile.value import Value
from sqe.engines.local.plan import Comparison, NotLocal, Scan, ScanColumn
from sqe.engines.local.types import BOOLEAN, VOID, common_type, parse_type
from sqe.model.query import Column
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.references import table_span

_SELECT_PARTS = frozenset(
    {
        "with_", "kind", "expressions", "hint", "distinct", "from_", "joins", "where", "group",
        "having", "order", "limit", "offset",
    }
)  # fmt: skip
_GROUPINGS = {
    exp.Rollup: "ROLLUP",
    exp.Cube: "CUBE",
    exp.GroupingSets: "GROUPING SETS",
}
_SIDES = {"": "INNER JOIN", "LEFT": "LEFT JOIN", "RIGHT": "RIGHT JOIN", "FULL": "FULL JOIN"}


@dataclass
class _ScanDraft:
    """A scan being collected: columns are added as expressions name them."""

    relation: str
    table: BoundTable
    snapshot_id: int | None
    used: dict[str, ScanColumn] = field(default_factory=dict)
    pruning: list[Comparison] = field(default_factory=list)


class QueryCompiler:
    """Compiles one statement. Views are compiled by a compiler of their own text."""

    def __init__(self, guarded: GuardedStatement, time_zone: str) -> None:
        self._guarded = guarded
        self._time_zone = time_zone
        self._numbers = itertools.count(1)
        self.drafts: list[_ScanDraft] = []
        self._statements: list[BoundStatement] = []

    def compile(self, bound: BoundStatement) -> Relation:
        return self._in_statement(bound, Scope())

    def _in_statement(self, bound: BoundStatement, scope: Scope) -> Relation:
        check_statement(bound.statement)
        self._statements.append(bound)
        try:
            return self._query(bound.statement.tree, scope)
        finally:
            self._statements.pop()

    @property
    def _text(self) -> str:
        return self._statements[-1].statement.text

    def _expressions(self, scope: Scope) -> Expressions:
        return Expressions(self._text, scope, self._query, self._time_zone)

    def _name(self, prefix: str) -> str:
        return f"{prefix}{next(self._numbers)}"

    def _query(self, node: Any, scope: Scope) -> Relation:
        if isinstance(node, exp.Subquery):
            if any(node.args.get(k) for k in ("joins", "pivots", "sample", "laterals")):
                raise NotLocal("this subquery is Spark's")
            return self._tail(self._query(node.this, scope), node, scope)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, scope)
        if isinstance(node, exp.Select):
            return self._select(node, scope)
        raise NotLocal(f"{node.key} is not on the local engine's list")

    def _with(self, node: Any, scope: Scope) -> str:
        """Compiles the CTEs into ``scope`` and gives the WITH clause."""
        with_ = node.args.get("with_")
        if with_ is None:
            return ""
        if with_.args.get("recursive"):
            raise NotLocal("a recursive query is Spark's")
        clauses = []
        for cte in with_.expressions:
            relation = self._query(cte.this, scope)
            listed = cte.args["alias"].args.get("columns") or ()
            outputs = _renamed(relation.outputs, [column.name for column in listed])
            name = self._name("cte_")
            clauses.append(f"{name} AS ({relation.sql})")
            scope.ctes[cte.alias.lower()] = (name, outputs)
        return f"WITH {', '.join(clauses)} "

    def _set_operation(self, node: exp.SetOperation, scope: Scope) -> Relation:
        inner = Scope(parent=scope)
        prefix = self._with(node, inner)
        left, right = self._query(node.this, inner), self._query(node.expression, inner)
        if len(left.outputs) != len(right.outputs) or node.args.get("by_name"):
            raise NotLocal("sets of different columns are Spark's")
        kinds = [
            common_type(a.type, b.type) for a, b in zip(left.outputs, right.outputs, strict=True)
        ]
        keeps = isinstance(node, exp.Union) and node.args.get("distinct") is False
        if not keeps and any(kind.is_float for kind in kinds):
            raise NotLocal("sets of doubles are Spark's")
        words = {exp.Union: "UNION", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}
        word = words[type(node)] + (" ALL" if node.args.get("distinct") is False else "")
        sides = [_as_types(side, kinds) for side in (left, right)]
        outputs = tuple(
            Output(a.name, kind, a.nullable or b.nullable)
            for a, b, kind in zip(left.outputs, right.outputs, kinds, strict=True)
        )
        relation = Relation(f"({sides[0]} {word} {sides[1]})", outputs)
        return self._tail(relation, node, scope, prefix)

    def _tail(self, relation: Relation, node: Any, scope: Scope, prefix: str = "") -> Relation:
        """ORDER BY, LIMIT and OFFSET around a query that is complete without them."""
        order, limit, offset = (node.args.get(key) for key in ("order", "limit", "offset"))
        if not (order or limit or offset):
            return Relation(prefix + relation.sql, relation.outputs) if prefix else relation
        name = self._name("u_")
        columns = [
            SourceColumn(output.name, f"{name}.c{i}", output.type, output.nullable)
            for i, output in enumerate(relation.outputs, start=1)
        ]
        inner = Scope([Source(name, columns)], columns, scope)
        expressions = self._expressions(inner)
        clauses = ""
        if order is not None:
            values = [column.value() for column in columns]
            clauses += self._order(order, expressions, values, by_position=True)
        clauses += _limits(limit, offset)
        sql = f"{prefix}SELECT * FROM ({relation.sql}) AS {name}{clauses}"  # noqa: S608
        return Relation(sql, relation.outputs)

    def _select(self, node: exp.Select, outer: Scope) -> Relation:
        for part, value in node.args.items():
            if value and part not in _SELECT_PARTS:
                raise NotLocal(f"{part} is not on the local engine's list")
        scope = Scope(parent=outer)
        prefix = self._with(node, scope)
        from_ = self._from(node, scope)
        expressions = self._expressions(scope)
        where = ""
        if node.args.get("where"):
            condition = expressions.condition(node.args["where"].this)
            where = f" WHERE {condition.sql}"
            self._prune(node.args["where"].this, scope)
        items = self._items(node, expressions, scope)
        group = self._group(node, expressions, items)
        having = self._having(node, expressions, items)
        distinct = self._distinct(node, items)
        order = self._select_order(node, expressions, items)
        listed = ", ".join(f"{_exactly(value)} AS c{i}" for i, value in enumerate(items, 1))
        tail = _limits(node.args.get("limit"), node.args.get("offset"))
        sql = f"{prefix}SELECT {distinct}{listed}{from_}{where}{group}{having}{order}{tail}"
        return Relation(sql, tuple(Output(v.name, v.type, v.nullable) for v in items))

    def _items(self, node: exp.Select, expressions: Expressions, scope: Scope) -> list[Value]:
        items: list[Value] = []
        for item in node.expressions:
            if isinstance(item, exp.Star):
                if any(item.args.get(k) for k in ("except_", "replace", "rename")):
                    raise NotLocal("* with exceptions is Spark's")
                items += [column.value() for column in scope.visible]
            elif isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
                items += self._qualified_star(item, scope)
            elif isinstance(item, exp.Alias):
                value = expressions.value(item.this)
                items.append(_named(value, item.alias))
            else:
                items.append(expressions.value(item))
        if not items:
            raise NotLocal("a query without columns")
        return items

    def _qualified_star(self, item: exp.Column, scope: Scope) -> list[Value]:
        parts = [item.args.get(key) for key in ("catalog", "db", "table")]
        qualifier = tuple(part.name for part in parts if part is not None)
        sources = [source for source in scope.sources if source.answers(qualifier)]
        if len(sources) != 1:
            raise NotLocal(f"{'.'.join(qualifier)}.* is Spark's")
        return [column.value() for column in sources[0].columns]

    def _group(self, node: exp.Select, expressions: Expressions, items: list[Value]) -> str:
        group = node.args.get("group")
        if group is None:
            return ""
        if group.args.get("all") or group.args.get("totals"):
            raise NotLocal("GROUP BY ALL is Spark's")
        if any(group.args.get(kind) for kind in ("rollup", "cube", "grouping_sets")):
            raise NotLocal("GROUP BY … WITH ROLLUP is Spark's")
        parts = [self._group_part(part, expressions, items) for part in group.expressions]
        if not parts:
            raise NotLocal("this GROUP BY is Spark's")
        return f" GROUP BY {', '.join(parts)}"

    def _group_part(self, part: Any, expressions: Expressions, items: list[Value]) -> str:
        for kind, word in _GROUPINGS.items():
            if isinstance(part, kind):
                keys = [self._group_part(key, expressions, items) for key in part.expressions]
                return f"{word} ({', '.join(keys)})"
        if isinstance(part, exp.Tuple):
            inner = [self._group_key(key, expressions, items) for key in part.expressions]
            return f"({', '.join(inner)})"
        return self._group_key(part, expressions, items)

    def _group_key(self, key: Any, expressions: Expressions, items: list[Value]) -> str:
        value = _by_position(key, items)
        if value is None:
            value = self._column_or_alias(key, expressions, items)
        if value.aggregate or value.type.is_float:
            raise NotLocal("grouping by doubles or aggregates is Spark's")
        return value.sql

    def _column_or_alias(self, key: Any, expressions: Expressions, items: list[Value]) -> Value:
        """In GROUP BY a column of FROM comes first, an alias of the select list second."""
        try:
            return expressions.value(key)
        except NotLocal:
            if isinstance(key, exp.Column) and key.args.get("table") is None:
                matches = [item for item in items if item.name.lower() == key.name.lower()]
                if len(matches) == 1:
                    return matches[0]
            raise

    def _having(self, node: exp.Select, expressions: Expressions, items: list[Value]) -> str:
        having = node.args.get("having")
        if having is None:
            return ""
        if node.args.get("group") is None:
            raise NotLocal("HAVING without GROUP BY is Spark's")
        with_aliases = self._with_aliases(expressions, items)
        value = with_aliases.condition(having.this)
        return f" HAVING {value.sql}"

    def _with_aliases(self, expressions: Expressions, items: list[Value]) -> Expressions:
        """Names of the select list count too, where FROM has no column of that name."""
        inner = self._expressions(expressions.scope)
        known = {column.name.lower() for column in expressions.scope.visible}
        for item in items:
            if item.name and item.name.lower() not in known:
                inner.aliases[item.name.lower()] = item
        return inner

    def _distinct(self, node: exp.Select, items: list[Value]) -> str:
        distinct = node.args.get("distinct")
        if distinct is None:
            return ""
        if distinct.args.get("on") or any(item.type.is_float for item in items):
            raise NotLocal("this DISTINCT is Spark's")
        return "DISTINCT "

    def _select_order(self, node: exp.Select, expressions: Expressions, items: list[Value]) -> str:
        order = node.args.get("order")
        if order is None:
            return ""
        inner = self._expressions(expressions.scope)
        for item in items:  # the select list comes first here
            if item.name:
                inner.aliases[item.name.lower()] = item
        return self._order(order, inner, items, by_position=node.args.get("distinct") is not None)

    def _order(
        self, order: exp.Order, expressions: Expressions, items: list[Value], *, by_position: bool
    ) -> str:
        keys = []
        for key in order.expressions:
            inner = key.this if isinstance(key, exp.Ordered) else key
            value = _by_position(inner, items) or expressions.value(inner)
            if value.type.is_float:
                raise NotLocal("sorting by doubles is Spark's")  # -0.0 and 0.0
            position = next((i for i, item in enumerate(items, 1) if item.sql == value.sql), None)
            if position is None and by_position:
                raise NotLocal("sorting by what is not selected is Spark's")
            keys.append(ordered(str(position) if position else value.sql, key))
        return f" ORDER BY {', '.join(keys)}"

    def _from(self, node: exp.Select, scope: Scope) -> str:
        from_ = node.args.get("from_")
        if from_ is None:
            return ""
        sql = self._relation(from_.this, scope)
        for join in node.args.get("joins") or ():
            sql = self._join(sql, join, scope)
        return f" FROM {sql}"

    def _relation(self, node: Any, scope: Scope) -> str:
        if isinstance(node, exp.Table):
            return self._table(node, scope)
        if isinstance(node, exp.Subquery):
            alias = node.args.get("alias")
            plain = node.copy() if node.args.get("joins") else node
            if plain.args.get("joins") or plain.args.get("pivots") or plain.args.get("sample"):
                raise NotLocal("this subquery is Spark's")
            relation = self._query(plain.this, Scope(parent=_without_sources(scope)))
            listed = [c.name for c in (alias.args.get("columns") or ())] if alias else []
            outputs = _renamed(relation.outputs, listed)
            name = self._name("d_")
            shown = alias.name if alias is not None and alias.this is not None else ""
            self._add(scope, Source(shown, _columns(name, outputs)))
            return f"({relation.sql}) AS {name}"
        raise NotLocal(f"{node.key} in FROM is Spark's")

    def _table(self, node: exp.Table, scope: Scope) -> str:
        allowed = {"this", "db", "catalog", "alias", "version"}
        odd = [key for key, value in node.args.items() if value and key not in allowed]
        if odd:
            raise NotLocal(f"{odd[0]} is not on the local engine's list")
        alias = node.args.get("alias")
        if alias is not None and alias.args.get("columns"):
            raise NotLocal("new column names for a table are Spark's")
        shown = node.alias_or_name
        name = self._name("t_")
        if node.args.get("db") is None:
            cte = scope.cte(node.name)
            if cte is not None:
                self._add(scope, Source(shown, _columns(name, cte[1])))
                return f"{cte[0]} AS {name}"
        reference = self._reference(node)
        target = reference.target
        if isinstance(target, BoundView):
            return self._view(target, shown, name, scope)
        if not isinstance(target, BoundTable) or target.suffix:
            raise NotLocal("metadata tables, branches and information_schema are Spark's")
        if self._guarded.restriction(reference) is not None:
            raise NotLocal("a table under row filters or masks is read by Spark")
        draft = _ScanDraft(self._name("scan_"), target, _snapshot(node))
        self.drafts.append(draft)
        columns: list[SourceColumn] = [
            TableColumn(column, name, draft) for column in target.columns
        ]
        path = () if alias is not None else target.name.parts
        self._add(scope, Source(shown, columns, path))
        return f"{draft.relation} AS {name}"

    def _view(self, view: BoundView, shown: str, name: str, scope: Scope) -> str:
        relation = self._in_statement(view.inner, Scope())
        outputs = relation.outputs
        wanted = [column.name for column in view.columns]
        given = list(view.query_columns) or wanted
        if [output.name.lower() for output in outputs] != [g.lower() for g in given]:
            raise NotLocal("a view whose query has changed is Spark's")
        if view.types and [str(output.type) for output in outputs] != list(view.types):
            raise NotLocal("a view over a table whose types have changed is Spark's")
        self._add(scope, Source(shown, _columns(name, _renamed(outputs, wanted))))
        return f"({relation.sql}) AS {name}"

    def _reference(self, node: exp.Table) -> BoundReference:
        span = table_span(node)
        for reference in self._statements[-1].references:
            if span is not None and reference.reference.span == span:
                return reference
        raise NotLocal("a relation that was not resolved")

    def _add(self, scope: Scope, source: Source) -> None:
        scope.sources.append(source)
        scope.visible += source.columns

    def _join(self, left: str, join: exp.Join, scope: Scope) -> str:
        if any(join.args.get(key) for key in ("method", "global_", "match_condition", "hint")):
            raise NotLocal("this join is Spark's")
        kind, side = (str(join.args.get(key) or "").upper() for key in ("kind", "side"))
        before = list(scope.visible)
        count = len(scope.sources)
        right = self._relation(join.this, scope)
        if kind in ("SEMI", "ANTI"):
            condition = self._join_condition(join, scope, "")
            del scope.sources[count:]
            scope.visible = before
            return f"{left} {kind} JOIN {right} ON {condition}"
        if kind == "CROSS" or (
            not kind and not side and not join.args.get("on") and not join.args.get("using")
        ):
            return f"{left} CROSS JOIN {right}"
        word = _SIDES.get(side)
        if word is None or kind not in ("", "INNER", "OUTER"):
            raise NotLocal("this join is Spark's")
        condition = self._join_condition(join, scope, side)
        _loosen(scope, before, side)
        return f"{left} {word} {right} ON {condition}"

    def _join_condition(self, join: exp.Join, scope: Scope, side: str) -> str:
        if join.args.get("using"):
            raise NotLocal("USING is Spark's so far")
        on = join.args.get("on")
        if on is None:
            raise NotLocal("this join is Spark's")
        value = self._expressions(scope).value(on)
        if value.type != BOOLEAN:
            raise NotLocal("a join on other than a condition is Spark's")
        if not side:
            self._prune(on, scope)
        return value.sql

    def _prune(self, condition: Any, scope: Scope) -> None:
        """Lets scans skip files. A condition on the optional side of an outer join does not."""
        for column, comparison in comparisons(condition, scope):
            if isinstance(column, TableColumn) and column.prunes:
                column.draft.pruning.append(comparison)

    def scans(self) -> tuple[Scan, ...]:
        return tuple(
            Scan(
                relation=draft.relation,
                table=draft.table,
                columns=tuple(draft.used.values()) or _any_column(draft.table),
                snapshot_id=draft.snapshot_id,
                pruning=tuple(draft.pruning),
            )
            for draft in self.drafts
        )


class TableColumn(SourceColumn):
    """A stored column; naming it makes the scan read it, and only then its type matters."""

    def __init__(self, column: Column, relation: str, draft: _ScanDraft) -> None:
        super().__init__(column.name, f"{relation}.{_quoted(column.name)}", VOID, column.nullable)
        self.type_text = column.type
        self.draft = draft
        self.prunes = True

    def value(self) -> Value:
        kind = parse_type(self.type_text)
        self.draft.used[self.name] = ScanColumn(self.name, self.name, self.type_text)
        return Value(self.sql, kind, self.name, self.nullable, column=True)

    def loosen(self) -> None:
        super().loosen()
        self.prunes = False


def _any_column(table: BoundTable) -> tuple[ScanColumn, ...]:
    """count(*) names no column, and a relation needs one."""
    for column in table.columns:
        try:
            parse_type(column.type)
        except NotLocal:
            continue
        return (ScanColumn(column.name, column.name, column.type),)
    raise NotLocal("a table without a column the local engine can read")


def _loosen(scope: Scope, before: list[SourceColumn], side: str) -> None:
    """Columns of an optional side may be NULL, and conditions on them no longer prune."""
    known = {id(column) for column in before}
    for column in scope.visible:
        old = id(column) in known
        if (old and side in ("RIGHT", "FULL")) or (not old and side in ("LEFT", "FULL")):
            column.loosen()


def _without_sources(scope: Scope) -> Scope:
    """A derived table sees CTEs and outer queries, not its neighbours in FROM."""
    return Scope(parent=scope.parent, ctes=scope.ctes)


def _columns(name: str, outputs: tuple[Output, ...]) -> list[SourceColumn]:
    return [
        SourceColumn(output.name, f"{name}.c{i}", output.type, output.nullable)
        for i, output in enumerate(outputs, start=1)
    ]


def _renamed(outputs: tuple[Output, ...], names: list[str]) -> tuple[Output, ...]:
    if not names:
        return outputs
    if len(names) != len(outputs):
        raise NotLocal("a list of column names that does not fit is Spark's")
    return tuple(
        Output(name, output.type, output.nullable)
        for name, output in zip(names, outputs, strict=True)
    )


def _exactly(value: Value) -> str:
    """The value in its very type: DuckDB gives some NULLs and constants another one."""
    if value.column or value.sql.startswith("CAST("):
        return value.sql
    return f"CAST({value.sql} AS {value.type.duckdb})"


def _named(value: Value, name: str) -> Value:
    return replace(value, name=name)


def _by_position(node: Any, items: list[Value]) -> Value | None:
    if not isinstance(node, exp.Literal) or node.is_string:
        return None
    if not str(node.this).isdigit() or not 1 <= int(node.this) <= len(items):
        raise NotLocal("a position outside the select list")
    return items[int(node.this) - 1]


def _as_types(relation: Relation, kinds: list[Any]) -> str:
    if all(o.type == k for o, k in zip(relation.outputs, kinds, strict=True)):
        return f"({relation.sql})"
    listed = ", ".join(f"CAST(c{i} AS {kind.duckdb}) AS c{i}" for i, kind in enumerate(kinds, 1))
    return f"(SELECT {listed} FROM ({relation.sql}))"  # noqa: S608  generated names only


def _limits(limit: Any, offset: Any) -> str:
    text = ""
    for clause, word in ((limit, "LIMIT"), (offset, "OFFSET")):
        if clause is None:
            continue
        count = clause.expression
        if not isinstance(count, exp.Literal) or not str(count.this).isdigit():
            raise NotLocal(f"a computed {word} is Spark's")
        text += f" {word} {count.this}"
    return text


def _snapshot(node: exp.Table) -> int | None:
    version = node.args.get("version")
    if version is None:
        return None
    snapshot = version.expression
    by_id = isinstance(snapshot, exp.Literal) and str(snapshot.this).isdigit()
    if str(version.this).upper() != "VERSION" or not by_id or snapshot.is_string:
        raise NotLocal("time travel by time, branch or tag is Spark's so far")
    return int(snapshot.this)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
