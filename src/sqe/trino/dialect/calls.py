"""Function calls: which function is meant, its arguments, and the clauses of aggregates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqe.model.trino_types import BOOLEAN, TrinoType
from sqe.trino.dialect import nodes
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import can_coerce
from sqe.trino.dialect.errors import Refused, mismatch
from sqe.trino.dialect.functions.registry import (
    AGGREGATE,
    SCALAR,
    WINDOW,
    Bound,
    Function,
    Resolved,
    functions_named,
    resolve,
    unknown_function,
)
from sqe.trino.dialect.functions.signatures import Bindings, Pattern, concrete, unify
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.typed import Typed

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer

# Calls with rules of their own: coalesce, if, try …
Special = Callable[["CallSite"], Typed]
SPECIAL: dict[str, Special] = {}


def special(*names: str) -> Callable[[Special], Special]:
    def register(writer: Special) -> Special:
        for name in names:
            SPECIAL[name] = writer
        return writer

    return register


@dataclass(frozen=True)
class CallSite:
    """Where a call stands."""

    node: nodes.Call
    analyzer: Analyzer
    scope: Scope

    @property
    def name(self) -> str:
        return self.node.name[-1].name.lower()

    def argument(self, index: int) -> Typed:
        return self.analyzer.expression(self.node.arguments[index], self.scope)

    def aggregate(self, name: str, arguments: Sequence[str]) -> str:
        """``name(…)`` with the call's DISTINCT, FILTER, IGNORE NULLS and OVER, in Spark's words."""
        node = self.node
        text = f"{name}({'DISTINCT ' if node.distinct else ''}{', '.join(arguments)})"
        if node.filter is not None:
            text += f" FILTER (WHERE {self.condition()})"
        if node.null_treatment == "IGNORE NULLS":
            text += " IGNORE NULLS"
        if node.window is not None:
            ranking = kind_of(self.name) == WINDOW
            text += f" OVER ({self.analyzer.window(node.window, self.scope, ranking=ranking)})"
            return f"({text})"
        return text

    def condition(self) -> str:
        """FILTER's."""
        assert self.node.filter is not None  # noqa: S101  the caller has looked
        condition = self.analyzer.expression(self.node.filter, self.scope)
        if condition.type != BOOLEAN and condition.type.base != "unknown":
            message = f"Filter expression must evaluate to a boolean (actual: {condition.type})"
            raise mismatch(message, self.node.filter.at)
        return coerce(condition, BOOLEAN, self.node.filter.at).sql


def call(site: CallSite) -> Typed:
    node, name = site.node, site.name
    if len(node.name) > 1 or (not functions_named(name) and name not in SPECIAL):
        from sqe.trino.dialect.own_functions import own_call

        written = own_call(site)
        if written is not None:
            return written
    if len(node.name) > 1 and [part.name.lower() for part in node.name[:-1]] != [
        "system", "builtin",
    ]:  # fmt: skip
        shown = ".".join(part.name for part in node.name)
        raise Refused("FUNCTION_NOT_FOUND", f"Function '{shown}' not registered", node.at)
    writer = SPECIAL.get(name)
    if writer is None and not functions_named(name):
        _arguments(site)  # what is wrong with them is told before
        raise unknown_function(name, node.at)
    if writer is None or kind_of(name) != SCALAR:
        _check_clauses(site)
    if writer is not None:
        return writer(site)
    values, kinds = _arguments(site)
    _check_arities(site)
    return apply(site, resolve(name, kinds, node.at), values)


def _arguments(site: CallSite) -> tuple[list[Typed | nodes.Lambda], list[TrinoType | int]]:
    """With their types; of a lambda, how many parameters it has."""
    values: list[Typed | nodes.Lambda] = []
    kinds: list[TrinoType | int] = []
    for argument in site.node.arguments:
        if isinstance(argument, nodes.Lambda):
            kinds.append(len(argument.parameters))
            values.append(argument)
        else:
            value = site.analyzer.expression(argument, site.scope)
            kinds.append(value.type)
            values.append(value)
    return values, kinds


def _check_arities(site: CallSite) -> None:
    """A lambda has as many parameters as some form of the function wants at its place."""
    arguments = site.node.arguments
    forms = [function.signature.patterns(len(arguments)) for function in functions_named(site.name)]
    for i, argument in enumerate(arguments):
        wanted = {
            len(form[i].inside) - 1 for form in forms if form is not None and form[i].is_lambda
        }
        if isinstance(argument, nodes.Lambda) and wanted:
            count = len(argument.parameters)
            if count not in wanted:
                message = f"Expected a lambda that takes {min(wanted)} argument(s) but got {count}"
                raise Refused("INVALID_PARAMETER_USAGE", message, argument.at)


def apply(site: CallSite, found: Resolved, values: Sequence[Typed | nodes.Lambda]) -> Typed:
    """The call of a known function with analysed arguments."""
    bound = found.bindings
    before = dict(bound.types)
    arguments: list[Typed] = []
    for pattern, kind, value in zip(found.patterns, found.types, values, strict=True):
        if isinstance(value, nodes.Lambda):
            arguments.append(_lambda(site, value, pattern, bound))
        else:
            assert kind is not None  # noqa: S101  only lambdas have none
            arguments.append(coerce(value, kind, site.node.at))
    if any(bound.types[name] != kind for name, kind in before.items()):
        # A lambda gives a wider type than that of the value it began with.
        wider = (
            kind and concrete(p, bound) for p, kind in zip(found.patterns, found.types, strict=True)
        )
        return apply(site, replace(found, types=tuple(wider)), values)
    function = found.function
    kinds = tuple(argument.type for argument in arguments)
    if function.result is not None:
        returns = function.result(bound, kinds)
    else:
        returns = concrete(function.signature.returns, bound)
    written = function.emit(Bound(function, tuple(arguments), returns, bound, site))
    return written if isinstance(written, Typed) else Typed(returns, written)


def call_named(site: CallSite, name: str, values: Sequence[Typed]) -> Typed:
    """Another function in place of this one: an operator that is a function, as ``||``."""
    return apply(site, resolve(name, [value.type for value in values], site.node.at), values)


def _lambda(site: CallSite, node: nodes.Lambda, pattern: Pattern, bound: Bindings) -> Typed:
    analyzer = site.analyzer
    written = site.scope.names_of_variables(len(node.parameters))
    variables = {
        parameter.name.lower(): Typed(concrete(kind, bound), name)
        for parameter, kind, name in zip(node.parameters, pattern.inside[:-1], written, strict=True)
    }
    body = analyzer.expression(node.body, site.scope.inside_lambda(variables))
    returns = pattern.inside[-1]
    known = concrete(returns, bound)
    if not returns.has_variables and body.type != known:
        message = f"Unexpected parameters for function {site.name}: a lambda gives {body.type}"
        raise Refused("FUNCTION_NOT_FOUND", message, site.node.at)
    if returns.is_variable and returns.base not in bound.types:
        unify(returns, body.type, bound, exact=False)
    elif can_coerce(body.type, known):
        body = coerce(body, known, node.at)
    elif not unify(returns, body.type, bound, exact=False):
        raise mismatch(f"Unexpected type of a lambda: {body.type} instead of {known}", node.at)
    head = f"({', '.join(written)})" if len(written) > 1 else written[0]
    kinds = tuple(variable.type for variable in variables.values())
    return Typed(TrinoType("function", types=(*kinds, body.type)), f"{head} -> {body.sql}")


def is_aggregate(node: nodes.Node) -> bool:
    """A call that makes the query around it an aggregation."""
    return (
        isinstance(node, nodes.Call)
        and node.window is None
        and (kind_of(node.name[-1].name) == AGGREGATE or node.name[-1].name.lower() == "grouping")
    )


def kind_of(name: str) -> str:
    functions: list[Function] = functions_named(name)
    return functions[0].kind if functions else SCALAR


def _check_clauses(site: CallSite) -> None:
    """Clauses that the function cannot have."""
    node, kind = site.node, kind_of(site.name)
    at = node.at
    if kind == SCALAR:
        check_is_scalar(site)
    if kind == WINDOW and node.window is None:
        message = f"Window function system.builtin.{site.name} requires an OVER clause"
        raise Refused("MISSING_OVER", message, at)
    _check_window(site, kind)


def check_is_scalar(site: CallSite) -> None:
    """What only aggregates have."""
    node, at = site.node, site.node.at
    if node.window is not None:
        message = f"Not a window function: {site.name}"
        raise Refused("FUNCTION_NOT_WINDOW", message, site.analyzer.queries.select_at)
    if node.filter is not None:
        message = f"Filter is only valid for aggregation functions: {site.name}"
        raise Refused("FUNCTION_NOT_AGGREGATE", message, at)
    if node.distinct:
        message = f"DISTINCT is not supported for non-aggregation functions: {site.name}"
        raise Refused("FUNCTION_NOT_AGGREGATE", message, at)
    if node.order_by:
        message = f"ORDER BY is only valid for aggregation functions: {site.name}"
        raise Refused("FUNCTION_NOT_AGGREGATE", message, at)


def _check_window(site: CallSite, kind: str) -> None:
    """What cannot stand beside OVER, or without it."""
    node, at = site.node, site.node.at
    if node.window is not None and node.distinct and site.name != "count":
        message = "DISTINCT in window function parameters not yet supported"
        raise Refused("NOT_SUPPORTED", f"{message}: {site.name}", at)
    if node.window is not None and node.filter is not None:
        message = "FILTER is not yet supported for window functions"
        raise Refused("NOT_SUPPORTED", message, site.analyzer.queries.select_at)
    if node.null_treatment and kind != WINDOW:
        message = f"Cannot specify null treatment clause for {site.name} function"
        raise Refused("NULL_TREATMENT_NOT_ALLOWED", message, at)
