"""Expressions: every node of the tree to its Trino type and its Spark SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqe.model.trino_types import (
    BOOLEAN,
    DAY_SECOND,
    UNKNOWN,
    YEAR_MONTH,
    TrinoType,
    array,
    row,
)
from sqe.trino.dialect import literals, nodes, subqueries, zones
from sqe.trino.dialect.calls import CallSite, call, call_named
from sqe.trino.dialect.casts import cast, coerce, parse_cast_type
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.comparisons import compare
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.intervals import interval_value
from sqe.trino.dialect.likes import like
from sqe.trino.dialect.operators import arithmetic, negate, positive
from sqe.trino.dialect.queries import Queries
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.special_json import special_call
from sqe.trino.dialect.subscripts import subscript
from sqe.trino.dialect.typed import Typed, field_of, null_of, string
from sqe.trino.dialect.windows import sort_text, window_text

# Trino's Iceberg tables have them; of a row's file only the path is known here.
_HIDDEN_COLUMNS = ("$path", "$file_modified_time", "$partition", "$file_size")


class Analyzer:
    """One statement's. Numbers the names it makes up, so that none is used twice."""

    def __init__(self, context: Context) -> None:
        self.context = context
        zones.enter(context)
        self.queries = Queries(self)
        self._count = 0
        # What each node has become, for the rules of GROUP BY. By identity: equal nodes at two
        # places can mean different columns.
        self.known: dict[int, Typed] = {}
        # The terms of WHERE, where NULL and false are the same.
        self._filters: set[int] = set()
        self._negated: set[int] = set()
        # Functions of WITH, by name, and those whose bodies are being read.
        self.functions: dict[str, nodes.FunctionSpecification] = {}
        self.open_functions: tuple[str, ...] = ()
        # Keys of GROUP BY that have no value: of the group of all rows, where there are none.
        self._absent: frozenset[str] = frozenset()

    def note_filter(self, node: nodes.Expression) -> None:
        """``node`` only decides whether a row is there."""
        terms = node.terms if isinstance(node, nodes.Logical) and node.operator == "AND" else ()
        for term in terms:
            self.note_filter(term)
        if isinstance(node, nodes.Not) and isinstance(node.value, nodes.InQuery):
            self._negated.add(id(node.value))
        self._filters.add(id(node))

    def filters(self, node: nodes.Expression) -> bool:
        return id(node) in self._filters

    def negates(self, node: nodes.Expression) -> bool:
        """Whether ``NOT node`` is such a term."""
        return id(node) in self._negated

    def make_id(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def expression(self, node: nodes.Expression, scope: Scope) -> Typed:
        reader = _READERS.get(type(node))
        if isinstance(node, nodes.Lambda):
            raise mismatch("Lambda expression should always be used inside a function", node.at)
        if reader is None:
            raise not_supported(type(node).__name__, node.at)
        typed = reader(self, node, scope)
        if typed.sql in self._absent:
            typed = null_of(typed.type, node.at)
        self.known[id(node)] = typed
        return typed

    @contextmanager
    def without(self, keys: Sequence[Typed]) -> Iterator[None]:
        """These expressions are NULL."""
        before, self._absent = self._absent, frozenset(key.sql for key in keys)
        try:
            yield
        finally:
            self._absent = before

    @contextmanager
    def inside_function(self, name: str) -> Iterator[None]:
        """Its body is read: it may not call itself."""
        before, self.open_functions = self.open_functions, (*self.open_functions, name)
        try:
            yield
        finally:
            self.open_functions = before

    def condition(self, node: nodes.Expression, scope: Scope, what: str) -> Typed:
        """Something that must be true or false. ``what`` names it in the error."""
        typed = self.expression(node, scope)
        if typed.type not in (BOOLEAN, UNKNOWN):
            raise mismatch(f"{what} must evaluate to a boolean (actual: {typed.type})", node.at)
        return coerce(typed, BOOLEAN, node.at)

    def predicate(self, node: nodes.Expression, scope: Scope, clause: str) -> str:
        """What a whole clause tests: Trino words its errors in another way."""
        typed = self.expression(node, scope)
        if typed.type not in (BOOLEAN, UNKNOWN):
            message = f"{clause} must evaluate to a boolean: actual type {typed.type.display}"
            raise mismatch(message, node.at)
        return coerce(typed, BOOLEAN, node.at).sql

    def common(
        self, values: Sequence[Typed], written: Sequence[nodes.Node], what: str
    ) -> TrinoType:
        """The type all of them become. ``written`` is where each of them stands."""
        kind = UNKNOWN
        for value, node in zip(values, written, strict=True):
            common = common_type(kind, value.type)
            if common is None:
                kinds = dict.fromkeys(str(one.type) for one in values)
                message = (
                    f"{what} must be the same type or coercible to a common type. "
                    f"Cannot find common type between {kind} and {value.type}, "
                    f"all types (without duplicates): [{', '.join(kinds)}]"
                )
                raise mismatch(message, node.at)
            kind = common
        return kind

    def window(
        self,
        window: nodes.WindowSpec | nodes.Identifier,
        scope: Scope,
        *,
        ranking: bool = False,
    ) -> str:
        """What stands in the brackets of OVER."""
        return window_text(self, window, scope, ranking=ranking)

    def sort(self, item: nodes.SortItem, scope: Scope) -> str:
        """An item of an ORDER BY inside of an expression."""
        key = self.expression(item.expression, scope)
        return sort_text(key.sql, key.type, item)

    # ------------------------------------------------------------ names

    def column(self, node: nodes.Column, scope: Scope) -> Typed:
        name = node.identifier.name.lower()
        variable = scope.variable(name)
        if variable is not None:
            return variable
        field = scope.find((name,), node.at)
        if field is None and name in _HIDDEN_COLUMNS:
            raise not_supported(f"Column {name}", node.at)
        if field is None:
            raise _column_error(node.identifier.name, node.at)
        return field.as_typed

    def dereference(self, node: nodes.Dereference, scope: Scope) -> Typed:
        parts = name_parts(node)
        if parts is not None and scope.variable(parts[0]) is None:
            field = scope.find(parts, node.at)
            if field is not None:
                return field.as_typed
        try:
            base = self.expression(node.base, scope)
        except Refused as error:
            if parts is not None and error.name == "COLUMN_NOT_FOUND":
                raise _column_error(".".join(parts_of_name(node)), node.at) from None
            raise
        if base.type.base != "row":
            message = f"Expression {'.'.join(parts_of_name(node)[:-1])} is not of type ROW"
            raise mismatch(message, node.at)
        wanted = node.field.name.lower()
        indexes = [
            i
            for i, one in enumerate(base.type.fields)
            if one.name is not None and one.name.lower() == wanted
        ]
        if not indexes:
            raise _column_error(".".join(parts_of_name(node)), node.at)
        if len(indexes) > 1:
            message = f"Ambiguous row field reference: {node.field.name}"
            raise Refused("AMBIGUOUS_NAME", message, node.at)
        index = indexes[0]
        return Typed(base.type.fields[index].type, field_of(base, index))

    # ------------------------------------------------------- conditionals

    def logical(self, node: nodes.Logical, scope: Scope) -> Typed:
        terms = [self.condition(term, scope, "Logical expression term") for term in node.terms]
        return Typed(BOOLEAN, "(" + f" {node.operator} ".join(term.sql for term in terms) + ")")

    def negation(self, node: nodes.Not, scope: Scope) -> Typed:
        value = self.condition(node.value, scope, "Value of logical NOT expression")
        return Typed(BOOLEAN, f"(NOT {value.sql})")

    def is_null(self, node: nodes.IsNull, scope: Scope) -> Typed:
        value = self.expression(node.value, scope)
        return Typed(BOOLEAN, f"({value.sql} IS {'NOT ' if node.negated else ''}NULL)")

    def comparison(self, node: nodes.Comparison, scope: Scope) -> Typed:
        left, right = self.expression(node.left, scope), self.expression(node.right, scope)
        return compare(node.operator, left, right, node.at)

    def between(self, node: nodes.Between, scope: Scope) -> Typed:
        value, low, high = (
            self.expression(operand, scope) for operand in (node.value, node.low, node.high)
        )
        first = compare(">=", value, low, node.at)
        second = compare("<=", value, high, node.at)
        return Typed(BOOLEAN, f"({first.sql} AND {second.sql})")

    def in_list(self, node: nodes.InList, scope: Scope) -> Typed:
        value = self.expression(node.value, scope)
        items = [self.expression(item, scope) for item in node.items]
        kind = self.common([value, *items], [node.value, *node.items], "IN value and list items")
        value = coerce(value, kind, node.at)
        items = [coerce(item, kind, node.at) for item in items]
        if kind.base in ("real", "double", "row", "array", "map", "json"):
            tests = [compare("=", value, item, node.at).sql for item in items]
            return Typed(BOOLEAN, f"({' OR '.join(tests)})")
        return Typed(BOOLEAN, f"({value.sql} IN ({', '.join(item.sql for item in items)}))")

    def case(self, node: nodes.Case, scope: Scope) -> Typed:
        written = [when.result for when in node.whens]
        written += [node.default] if node.default is not None else []
        results = [self.expression(branch, scope) for branch in written]
        kind = self.common(results, written, "All CASE results")
        parts = []
        for when, result in zip(node.whens, results, strict=False):
            if node.operand is None:
                test = self.condition(when.condition, scope, "CASE WHEN clause")
            else:
                left = self.expression(node.operand, scope)
                right = self.expression(when.condition, scope)
                test = compare("=", left, right, when.condition.at)
            parts.append(f"WHEN {test.sql} THEN {coerce(result, kind, node.at).sql}")
        if node.default is not None:
            parts.append(f"ELSE {coerce(results[-1], kind, node.at).sql}")
        return Typed(kind, f"CASE {' '.join(parts)} END")

    # ---------------------------------------------------------- the others

    def arithmetic(self, node: nodes.Arithmetic, scope: Scope) -> Typed:
        left, right = self.expression(node.left, scope), self.expression(node.right, scope)
        return arithmetic(node.operator, left, right, node.at)

    def negative(self, node: nodes.Negative, scope: Scope) -> Typed:
        if isinstance(node.value, nodes.LongLiteral) and node.sign == "-":
            return literals.integer_literal(-node.value.value, node.at)
        value = self.expression(node.value, scope)
        if node.sign == "+":
            return positive(value, node.at)
        return negate(value, node.at)

    def cast(self, node: nodes.Cast, scope: Scope) -> Typed:
        kind = parse_cast_type(node.target_text, node.at)
        return cast(self.expression(node.value, scope), kind, node.at, safe=node.safe)

    def array(self, node: nodes.ArrayConstructor, scope: Scope) -> Typed:
        items = [self.expression(item, scope) for item in node.items]
        kind = self.common(items, node.items, "All ARRAY elements")
        inside = ", ".join(coerce(item, kind, node.at).sql for item in items)
        return Typed(array(kind), f"array({inside})")

    def row(self, node: nodes.RowConstructor, scope: Scope) -> Typed:
        items = [self.expression(item, scope) for item in node.items]
        names = [
            field_name.name if field_name is not None else None for field_name in node.names
        ] or [None] * len(items)
        kind = row(*zip(names, (item.type for item in items), strict=True))
        parts = ", ".join(
            f"{string(name if name is not None else f'f{i}')}, {item.sql}"
            for i, (name, item) in enumerate(zip(names, items, strict=True))
        )
        return Typed(kind, f"named_struct({parts})")

    def subscript(self, node: nodes.Subscript, scope: Scope) -> Typed:
        return subscript(
            self.expression(node.value, scope), self.expression(node.index, scope), node
        )

    def concat(self, node: nodes.Concat, scope: Scope) -> Typed:
        values = [self.expression(node.left, scope), self.expression(node.right, scope)]
        name = (nodes.Identifier(node.at, "concat"),)
        site = CallSite(nodes.Call(node.at, name), self, scope)
        return call_named(site, "concat", values)

    def at_time_zone(self, node: nodes.AtTimeZone, scope: Scope) -> Typed:
        values = [self.expression(node.value, scope), self.expression(node.zone, scope)]
        name = (nodes.Identifier(node.at, "at_timezone"),)
        site = CallSite(nodes.Call(node.at, name), self, scope)
        return call_named(site, "at_timezone", values)

    def interval(self, node: nodes.IntervalLiteral, scope: Scope) -> Typed:
        value = interval_value(node)
        if node.start in ("year", "month"):
            return Typed(YEAR_MONTH, f"({value})" if value < 0 else str(value), value)
        return Typed(DAY_SECOND, literals.bigint(value).sql, value)

    def like(self, node: nodes.Like, scope: Scope) -> Typed:
        escape = self.expression(node.escape, scope) if node.escape is not None else None
        return like(
            self.expression(node.value, scope), self.expression(node.pattern, scope), escape, node
        )

    def parameter(self, node: nodes.Parameter, scope: Scope) -> Typed:
        values = self.context.parameters
        if self.context.open_parameters:
            return Typed(UNKNOWN, "NULL", self.context.open_parameters[node.index])
        if values is None or node.index >= len(values):
            message = "Incorrect number of parameters: expected more than were given"
            raise Refused("INVALID_PARAMETER_USAGE", message, node.at)
        return self.expression(values[node.index], Scope())

    def call(self, node: nodes.Call, scope: Scope) -> Typed:
        return call(CallSite(node, self, scope))


def _column_error(name: str, at: int) -> Refused:
    return Refused("COLUMN_NOT_FOUND", f"Column '{name}' cannot be resolved", at)


def name_parts(node: nodes.Expression) -> tuple[str, ...] | None:
    """``a.b.c`` in lower case, where it is only names."""
    if isinstance(node, nodes.Column):
        return (node.identifier.name.lower(),)
    if isinstance(node, nodes.Dereference):
        before = name_parts(node.base)
        return None if before is None else (*before, node.field.name.lower())
    return None


def parts_of_name(node: nodes.Expression) -> list[str]:
    if isinstance(node, nodes.Column):
        return [node.identifier.name]
    if isinstance(node, nodes.Dereference):
        return [*parts_of_name(node.base), node.field.name]
    return ["…"]


Reader = Callable[[Analyzer, Any, Scope], Typed]
_READERS: dict[type[nodes.Node], Reader] = {
    nodes.NullLiteral: lambda analyzer, node, scope: literals.null(),
    nodes.BooleanLiteral: lambda analyzer, node, scope: literals.boolean(node.value),
    nodes.StringLiteral: lambda analyzer, node, scope: literals.text(node.value),
    nodes.BinaryLiteral: lambda analyzer, node, scope: literals.binary(node.value),
    nodes.LongLiteral: lambda analyzer, node, scope: literals.integer_literal(node.value, node.at),
    nodes.DecimalLiteral: lambda analyzer, node, scope: literals.decimal_literal(
        node.text, node.at
    ),
    nodes.DoubleLiteral: lambda analyzer, node, scope: literals.double(node.text),
    nodes.GenericLiteral: lambda analyzer, node, scope: literals.generic(node, analyzer.context),
    nodes.IntervalLiteral: Analyzer.interval,
    nodes.Parameter: Analyzer.parameter,
    nodes.Column: Analyzer.column,
    nodes.Dereference: Analyzer.dereference,
    nodes.Arithmetic: Analyzer.arithmetic,
    nodes.Negative: Analyzer.negative,
    nodes.Comparison: Analyzer.comparison,
    nodes.Logical: Analyzer.logical,
    nodes.Not: Analyzer.negation,
    nodes.IsNull: Analyzer.is_null,
    nodes.Between: Analyzer.between,
    nodes.InList: Analyzer.in_list,
    nodes.InQuery: subqueries.in_query,
    nodes.Exists: subqueries.exists,
    nodes.ScalarQuery: subqueries.scalar_query,
    nodes.Quantified: subqueries.compare_quantified,
    nodes.Like: Analyzer.like,
    nodes.Concat: Analyzer.concat,
    nodes.AtTimeZone: Analyzer.at_time_zone,
    nodes.Cast: Analyzer.cast,
    nodes.Case: Analyzer.case,
    nodes.ArrayConstructor: Analyzer.array,
    nodes.RowConstructor: Analyzer.row,
    nodes.Subscript: Analyzer.subscript,
    nodes.Call: Analyzer.call,
    nodes.SpecialCall: special_call,
}
