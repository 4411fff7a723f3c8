"""Values that a statement gives as constants: properties, settings, arguments of procedures."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from sqe.model.names import quote_text
from sqe.trino.dialect import nodes
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused, not_supported

Constant = str | int | float | Decimal | bool | None | list["Constant"] | dict[str, "Constant"]


def constant(node: nodes.Expression, context: Context) -> Constant:
    """Literals, arrays and maps of them. Trino also computes; that is refused."""
    if isinstance(node, nodes.StringLiteral | nodes.BooleanLiteral | nodes.LongLiteral):
        return node.value
    reader = _READERS.get(type(node))
    if reader is not None:
        return reader(node, context)
    if isinstance(node, nodes.Column | nodes.Dereference):
        message = "Constant expression cannot contain column references"
        raise Refused("EXPRESSION_NOT_CONSTANT", message, node.at)
    raise not_supported("A value that is no literal", node.at)


def _parameter(node: nodes.Parameter, context: Context) -> Constant:
    values = context.parameters or ()
    if node.index >= len(values):
        raise Refused("INVALID_PARAMETER_USAGE", "Incorrect number of parameters", node.at)
    return constant(values[node.index], context)


def _negative(node: nodes.Negative, context: Context) -> Constant:
    value = constant(node.value, context)
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        raise not_supported("A value that is no literal", node.at)
    return -value if node.sign == "-" else value


def _map(node: nodes.Call, context: Context) -> Constant:
    if node.name[-1].name.lower() != "map":
        raise not_supported("A value that is no literal", node.at)
    parts = [constant(argument, context) for argument in node.arguments]
    if not parts:
        return {}
    if len(parts) == 2 and isinstance(parts[0], list) and isinstance(parts[1], list):
        return {str(key): value for key, value in zip(parts[0], parts[1], strict=False)}
    raise not_supported("A value that is no literal", node.at)


_READERS: dict[type[nodes.Node], Callable[[Any, Context], Constant]] = {
    nodes.NullLiteral: lambda node, context: None,
    nodes.DecimalLiteral: lambda node, context: Decimal(node.text),
    nodes.DoubleLiteral: lambda node, context: float(node.text),
    nodes.ArrayConstructor: lambda node, context: [constant(one, context) for one in node.items],
    nodes.Negative: _negative,
    nodes.Parameter: _parameter,
    nodes.Call: _map,
}


def type_name(value: Constant) -> str:
    """The Trino type of a constant, as its errors name it."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if abs(value) < 2**31 else "bigint"
    if isinstance(value, float):
        return "double"
    if isinstance(value, Decimal):
        digits, exponent = value.as_tuple().digits, int(value.as_tuple().exponent)
        return f"decimal({max(len(digits), -exponent)},{max(-exponent, 0)})"
    if isinstance(value, str):
        return f"varchar({len(value)})"
    if value is None:
        return "unknown"
    return "array" if isinstance(value, list) else "map"


def display(value: Constant) -> str:
    """As Trino writes it in an error: ``'CSV'``, ``9``, ``ARRAY['a']``."""
    if isinstance(value, str):
        return quote_text(value)
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"ARRAY[{','.join(map(display, value))}]"
    return str(value)
