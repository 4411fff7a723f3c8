"""Calls whose arguments follow rules of their own: COALESCE, IF, NULLIF, GROUPING."""

from __future__ import annotations

from sqe.model.trino_types import INTEGER, VARCHAR
from sqe.trino.dialect.calls import CallSite, special
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.comparisons import compare
from sqe.trino.dialect.errors import Refused, mismatch
from sqe.trino.dialect.typed import Typed, null_of, string


def _arguments(site: CallSite, least: int, most: int | None = None) -> list[Typed]:
    count = len(site.node.arguments)
    if count < least or (most is not None and count > most):
        message = f"Invalid number of arguments for '{site.name}' function"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message, site.node.at)
    return [site.argument(i) for i in range(count)]


@special("coalesce")
def _coalesce(site: CallSite) -> Typed:
    values = _arguments(site, 2)
    kind = site.analyzer.common(values, site.node.arguments, "All COALESCE operands")
    inside = ", ".join(coerce(value, kind, site.node.at).sql for value in values)
    return Typed(kind, f"coalesce({inside})")


@special("if")
def _if(site: CallSite) -> Typed:
    if not 2 <= len(site.node.arguments) <= 3:
        message = "Invalid number of arguments for 'if' function"
        raise Refused("SYNTAX_ERROR", message, site.node.at)
    test = site.analyzer.condition(site.node.arguments[0], site.scope, "IF condition")
    values = [site.argument(i) for i in range(1, len(site.node.arguments))]
    kind = common_type(values[0].type, values[-1].type)
    if kind is None:
        told = f"{values[0].type} vs {values[-1].type}"
        raise mismatch(f"Result types for IF must be the same: {told}", site.node.at)
    parts = [coerce(value, kind, site.node.at).sql for value in values]
    if len(parts) == 1:
        parts.append("NULL")
    return Typed(kind, f"IF({test.sql}, {parts[0]}, {parts[1]})")


@special("nullif")
def _nullif(site: CallSite) -> Typed:
    first, second = _arguments(site, 2, 2)
    if common_type(first.type, second.type) is None:
        message = f"Types are not comparable with NULLIF: {first.type} vs {second.type}"
        raise mismatch(message, site.node.at)
    test = compare("=", first, second, site.node.at)
    return Typed(first.type, f"IF({test.sql}, NULL, {first.sql})")


@special("typeof")
def _typeof(site: CallSite) -> Typed:
    (value,) = _arguments(site, 1, 1)
    return Typed(VARCHAR, string(value.type.display), value.type.display)


@special("grouping")
def _grouping(site: CallSite) -> Typed:
    """A bit for each argument, 1 where it is not part of the row's grouping set."""
    if not site.node.arguments:
        raise Refused("GENERIC_INTERNAL_ERROR", "grouping operation columns cannot be empty")
    values = _arguments(site, 1, 31)
    # Of no group. In ORDER BY, what is selected is known by its text alone.
    if all(value.sql == null_of(value.type, site.node.at).sql for value in values):
        return Typed(INTEGER, str((1 << len(values)) - 1))
    bits = [
        f"{1 << (len(values) - 1 - i)} * CAST(grouping({value.sql}) AS INT)"
        for i, value in enumerate(values)
    ]
    return Typed(INTEGER, f"({' + '.join(bits)})")
