"""Queries: SELECT, VALUES, set operations and WITH, as DuckDB SQL over named scans."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sqe.binding.bound import BoundStatement
from sqe.engines.local.compile.context import Context
from sqe.engines.local.compile.ordering import limits, order_by
from sqe.engines.local.compile.parameters import Parameters
from sqe.engines.local.compile.relations import Relations
from sqe.engines.local.compile.scans import ScanDraft
from sqe.engines.local.compile.scope import (
    Output,
    Relation,
    Scope,
    Source,
    not_pruning,
    rename_outputs,
    source_columns,
)
from sqe.engines.local.compile.select import Selects
from sqe.engines.local.compile.tables import inline_table
from sqe.engines.local.compile.value import Value, need_equatable, without_sign_of_zero
from sqe.engines.local.plan import MetadataScan, NotLocal, Scan
from sqe.engines.local.types import SparkType, common_type
from sqe.rewrite.guarded import GuardedStatement

_WORDS = {exp.Union: "UNION", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}


class QueryCompiler:
    """Compiles one statement."""

    def __init__(self, guarded: GuardedStatement, time_zone: str) -> None:
        self._context = Context(guarded, time_zone, self._query)
        self._selects = Selects(self._context, Relations(self._context), self._with)

    def compile(self, bound: BoundStatement) -> Relation:
        with self._context.open_statement(bound):
            return self._query(bound.statement.tree, Scope())

    @property
    def parameters(self) -> Parameters:
        return self._context.parameters

    @property
    def drafts(self) -> list[ScanDraft]:
        return self._context.drafts

    def scans(self) -> tuple[Scan, ...]:
        return tuple(draft.finish() for draft in self.drafts)

    def metadata(self) -> tuple[MetadataScan, ...]:
        return tuple(draft.finish() for draft in self._context.metadata)

    def _query(self, node: Any, scope: Scope) -> Relation:
        if isinstance(node, exp.Subquery):
            return self._parenthesis(node, scope)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, scope)
        if isinstance(node, exp.Select):
            return self._selects.compile(node, scope)
        if isinstance(node, exp.Values):
            relation = inline_table(node, self._context)
            return self._tail(relation, node, scope)
        raise NotLocal(f"{node.key} is not on the local engine's list")

    def _parenthesis(self, node: exp.Subquery, scope: Scope) -> Relation:
        if any(node.args.get(k) for k in ("joins", "pivots", "sample", "laterals", "alias")):
            raise NotLocal("this subquery is Spark's")
        inner = Scope(parent=scope)
        prefix = self._with(node, inner)
        return self._tail(self._query(node.this, inner), node, scope, prefix)

    def _with(self, node: Any, scope: Scope) -> str:
        """Compiles the CTEs into ``scope`` and gives the WITH clause."""
        with_ = node.args.get("with_")
        if with_ is None:
            return ""
        if with_.args.get("recursive"):
            raise NotLocal("a recursive query is Spark's")
        names = [cte.alias.lower() for cte in with_.expressions]
        if len(set(names)) < len(names):
            raise NotLocal("two CTEs of one name")
        clauses = []
        for cte in with_.expressions:
            relation = self._context.query(cte.this, Scope(parent=scope, closed=True))
            listed = cte.args["alias"].args.get("columns") or ()
            outputs = rename_outputs(relation.outputs, [column.name for column in listed])
            if _uses(node, cte.alias) > 1:  # a condition on one use says nothing about the other
                outputs = not_pruning(outputs)
            name = self._context.name("cte_")
            clauses.append(f"{name} AS ({relation.sql})")
            scope.ctes[cte.alias.lower()] = (name, outputs)
        return f"WITH {', '.join(clauses)} "

    def _set_operation(self, node: exp.SetOperation, scope: Scope) -> Relation:
        inner = Scope(parent=scope, closed=True)
        prefix = self._with(node, inner)
        left, right = self._query(node.this, inner), self._query(node.expression, inner)
        if len(left.outputs) != len(right.outputs) or node.args.get("by_name"):
            raise NotLocal("sets of different columns are Spark's")
        pairs = list(zip(left.outputs, right.outputs, strict=True))
        kinds = [common_type(a.type, b.type) for a, b in pairs]
        keeps = isinstance(node, exp.Union) and node.args.get("distinct") is False
        word = _WORDS[type(node)] + (" ALL" if node.args.get("distinct") is False else "")
        sides = [_as_types(side, kinds, distinct=not keeps) for side in (left, right)]
        outputs = tuple(_both(node, a, b, kind) for (a, b), kind in zip(pairs, kinds, strict=True))
        relation = Relation(f"({sides[0]} {word} {sides[1]})", outputs)
        return self._tail(relation, node, scope, prefix)

    def _tail(self, relation: Relation, node: Any, scope: Scope, prefix: str = "") -> Relation:
        """ORDER BY, LIMIT and OFFSET around a query that is complete without them."""
        order, limit, offset = (node.args.get(key) for key in ("order", "limit", "offset"))
        if not (order or limit or offset):
            return Relation(prefix + relation.sql, relation.outputs) if prefix else relation
        name = self._context.name("u_")
        columns = source_columns(name, relation.outputs)
        clauses = ""
        if order is not None:
            inner = Scope([Source("", columns)], columns, scope, closed=True)
            values = [column.value() for column in columns]
            expressions = self._context.expressions(inner)
            clauses += order_by(order, expressions, values, only_items=True)
        ends = limits(limit, offset, self._context.parameters)
        outputs = not_pruning(relation.outputs) if ends else relation.outputs
        sql = f"{prefix}SELECT * FROM ({relation.sql}) AS {name}{clauses}{ends}"  # noqa: S608
        return Relation(sql, outputs)


def _uses(node: Any, name: str) -> int:
    wanted = name.lower()
    return sum(
        1
        for table in node.find_all(exp.Table)
        if table.name.lower() == wanted and table.args.get("db") is None
    )


def _both(node: exp.SetOperation, left: Output, right: Output, kind: SparkType) -> Output:
    """A condition on the result may be put to both sides."""
    nullable = _set_nullable(node, left, right)
    origins, prunes = left.origins + right.origins, left.prunes + right.prunes
    return Output(left.name, kind, nullable, origins, prunes)


def _set_nullable(node: exp.SetOperation, left: Output, right: Output) -> bool:
    if isinstance(node, exp.Except):
        return left.nullable
    if isinstance(node, exp.Intersect):
        return left.nullable and right.nullable
    return left.nullable or right.nullable


def _as_types(relation: Relation, kinds: list[SparkType], *, distinct: bool) -> str:
    """A side of a set operation, in the types both sides have in common."""
    changes = False
    listed = []
    for i, (output, kind) in enumerate(zip(relation.outputs, kinds, strict=True), 1):
        sql = f"c{i}"
        if output.type != kind:
            sql, changes = Value(sql, output.type, "").cast(kind), True
        if distinct:
            need_equatable(kind, "a set of")
        if distinct and kind.is_float:
            sql, changes = without_sign_of_zero(sql, kind), True
        listed.append(f"{sql} AS c{i}")
    if not changes:
        return f"({relation.sql})"
    return f"(SELECT {', '.join(listed)} FROM ({relation.sql}))"  # noqa: S608  generated names
