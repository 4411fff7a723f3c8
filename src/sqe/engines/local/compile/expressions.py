"""Expressions: from sqlglot's nodes to DuckDB SQL of a known Spark type. The nodes, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile import (
    aggregates,
    calls,
    casts,
    choices,
    lambdas,
    literals,
    nested,
    operators,
    patterns,
    proven,
)
from sqe.engines.local.compile.aggregates import order_key
from sqe.engines.local.compile.compiling import Compiling, label
from sqe.engines.local.compile.folding import check_constant
from sqe.engines.local.compile.parameters import Parameters
from sqe.engines.local.compile.scope import Relation, Scope
from sqe.engines.local.compile.value import Value
from sqe.engines.local.compile.variables import names_variable, variable
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import BOOLEAN
from sqe.sql.dialect import MORE

__all__ = ["CompileQuery", "Expressions", "order_key"]

CompileQuery = Callable[[Any, Scope], Relation]


class Expressions:
    """Compiles expressions of one SELECT. ``aliases`` are its own outputs, where they count."""

    def __init__(
        self,
        text: str,
        scope: Scope,
        compile_query: CompileQuery,
        time_zone: str,
        parameters: Parameters,
    ) -> None:
        self.text = text
        self.scope = scope
        self._compile_query = compile_query
        self.time_zone = time_zone
        self.parameters = parameters
        self.aliases: dict[str, Value] = {}
        self.variables: dict[str, Value] = {}
        self.negated = False

    def value(self, node: Any) -> Value:
        for kind, compile_node in _DISPATCH:
            if isinstance(node, kind):
                value = compile_node(self, node)
                if not names_variable(node, self.variables):
                    check_constant(node, value, self.parameters)
                return value
        raise NotLocal(f"{label(node)} is not on the local engine's list")

    def query(self, node: Any, scope: Scope) -> Relation:
        if self.variables:
            raise NotLocal("a query inside of a lambda is Spark's")
        return self._compile_query(node, scope)

    def item(self, node: Any) -> Value:
        """An item of a select list: Spark names the cast of a column after the column."""
        value = self.value(node)
        if isinstance(node, exp.Column):  # also an item's alias by itself, or a field of a column
            return replace(value, name=node.name)
        bare = node.unnest() if isinstance(node, exp.Paren) else node
        if isinstance(bare, exp.Cast):
            inner = bare.this.unnest() if isinstance(bare.this, exp.Paren) else bare.this
            if isinstance(inner, exp.Column):
                return replace(value, name=inner.name)
        return value

    def condition(self, node: Any) -> Value:
        value = self.value(node)
        if value.type != BOOLEAN:
            raise NotLocal(f"a condition of type {value.type} is Spark's")
        return value

    def column(self, node: exp.Column) -> Value:
        if isinstance(node.this, exp.Star):
            raise NotLocal("* inside an expression is Spark's")
        parts = [node.args.get(key) for key in ("catalog", "db", "table")]
        qualifier = tuple(part.name for part in parts if part is not None)
        if not qualifier and node.name.lower() in self.aliases:
            return self.aliases[node.name.lower()]
        path, fields = self.scope.split_fields((*qualifier, node.name))
        # Spark names the column as it is written here, not as it is stored.
        value = replace(self.scope.find(path[-1], path[:-1]), name=path[-1])
        for name in fields:
            value = nested.field(value, name)
        return value


def _scalar(here: Compiling, node: exp.Subquery) -> Value:
    lent = here.scope.lent
    relation = here.query(node.this, Scope(parent=here.scope))
    if len(relation.outputs) != 1:
        raise NotLocal("a scalar subquery of several columns is Spark's")
    # Spark puts the outer columns into the name.
    name = "scalarsubquery()" if here.scope.lent == lent else ""
    return Value(f"({relation.sql})", relation.outputs[0].type, name)


def _exists(here: Compiling, node: exp.Exists) -> Value:
    if isinstance(node.expression, exp.Lambda):
        return lambdas.exists(here, node)
    lent = here.scope.lent
    relation = here.query(node.this, Scope(parent=here.scope))
    name = "exists()" if here.scope.lent == lent else ""
    return Value(f"EXISTS ({relation.sql})", BOOLEAN, name, False)


def _anonymous(here: Compiling, node: exp.Anonymous) -> Value:
    if node.meta.get(MORE):
        raise NotLocal(f"{node.name} with so many arguments is Spark's")
    if str(node.name).lower() in lambdas.LAMBDAS:
        return lambdas.LAMBDAS[str(node.name).lower()](here, node)
    if str(node.name).lower() in proven.AGGREGATES:
        return aggregates.aggregate(here, node)
    return calls.function(here, node)


_DISPATCH: tuple[tuple[Any, Callable[[Expressions, Any], Value]], ...] = (
    (exp.Paren, lambda here, node: here.value(node.this)),
    (exp.Column, Expressions.column),
    (exp.Identifier, variable),
    (exp.Bracket, nested.bracket),
    (exp.Dot, nested.dot),
    (exp.Struct, nested.struct),
    (exp.Transform, lambdas.transform),
    (exp.ArrayFilter, lambdas.keep),
    (exp.Reduce, lambdas.reduce_),
    (exp.Literal, literals.literal),
    (exp.HexString, literals.binary),
    (exp.Boolean, literals.boolean),
    (exp.Null, lambda here, node: literals.null()),
    (exp.Placeholder, lambda here, node: here.parameters.value(node)),
    (tuple(operators.ARITHMETIC), operators.binary),
    (exp.Neg, literals.negate),
    (exp.BitwiseNot, operators.bit_not),
    (tuple(operators.COMPARISONS), operators.comparison),
    ((exp.And, exp.Or), operators.connect),
    (exp.Not, operators.negation),
    (exp.Is, operators.is_kind),
    (exp.Between, operators.between),
    (exp.In, operators.within),
    ((exp.Like, exp.ILike), operators.like),
    (exp.RegexpLike, patterns.rlike),
    (exp.Escape, operators.compile_escape),
    (exp.Case, choices.case),
    (exp.If, choices.when),
    (exp.Cast, casts.cast),
    (exp.Subquery, _scalar),
    (exp.Exists, _exists),
    (exp.Window, aggregates.window),
    (exp.Filter, aggregates.compile_filter),
    (exp.Extract, calls.extract),
    (exp.Grouping, aggregates.grouping),
    (exp.Any, aggregates.any_of),
    (exp.AggFunc, aggregates.aggregate),
    (exp.Anonymous, _anonymous),
    ((exp.Func, exp.DPipe), calls.function),
)
