"""PREPARE, EXECUTE and their kin. The client keeps the prepared texts and sends them along."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqe.model.names import quote_text
from sqe.model.query import ClientChanges
from sqe.model.trino_types import TrinoType
from sqe.trino.dialect import nodes
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.parser import parse
from sqe.trino.dialect.translated import OutputColumn, Translated
from sqe.trino.dialect.tree import walk
from sqe.trino.dialect.typed import OpenParameter

if TYPE_CHECKING:
    from collections.abc import Callable

    Translate = Callable[[nodes.Statement, Context], Translated]


def prepare(node: nodes.Prepare, context: Context) -> Translated:
    parsed = parse(node.text)
    if isinstance(
        parsed, nodes.Prepare | nodes.Execute | nodes.Deallocate | nodes.ExecuteImmediate
    ):
        message = f"Invalid statement type for prepared statement: {type(parsed).__name__}"
        raise Refused("NOT_SUPPORTED", message)
    changes = ClientChanges(added_prepared={node.name.name: node.text})
    return Translated("", update_type="PREPARE", changes=changes)


def deallocate(node: nodes.Deallocate, context: Context) -> Translated:
    text_of_prepared(node.name, context)
    changes = ClientChanges(dropped_prepared=(node.name.name,))
    return Translated("", update_type="DEALLOCATE", changes=changes)


def text_of_prepared(name: nodes.Identifier, context: Context) -> str:
    text = context.client.prepared.get(name.name)
    if text is None:
        raise Refused("NOT_FOUND", f"Prepared statement not found: {name.name}")
    return text


def execute(text: str, arguments: tuple[nodes.Expression, ...], context: Context,
            translate: Translate) -> Translated:  # fmt: skip
    """``text`` with its values. Places in errors are places in ``text``."""
    try:
        node = parse(text)
        if isinstance(node, nodes.Prepare | nodes.Execute | nodes.ExecuteImmediate):
            raise Refused("NOT_SUPPORTED", "A prepared statement cannot execute another one")
        expected = count_parameters(node)
        if expected != len(arguments):
            message = (
                f"Incorrect number of parameters: expected {expected} but found {len(arguments)}"
            )
            raise Refused("INVALID_PARAMETER_USAGE", message, node.at)
        return translate(node, replace(context, text=text, parameters=arguments))
    except Refused as error:
        raise error.to_error(text) from None


def check_complete(node: nodes.Node, text: str) -> None:
    """A statement that comes by itself has no values for parameters."""
    expected = 0
    if "?" in text and not isinstance(node, nodes.Prepare):
        expected = count_parameters(node)
    if expected:
        message = f"Incorrect number of parameters: expected {expected} but found 0"
        raise Refused("INVALID_PARAMETER_USAGE", message, node.at)


def count_parameters(node: nodes.Node) -> int:
    return sum(isinstance(inner, nodes.Parameter) for inner in walk(node, into_queries=True))


def describe_input(text: str, context: Context, translate: Translate) -> str:
    """DESCRIBE INPUT as a query: of each parameter the type it would have to become."""
    node = _parse(text)
    parameters = tuple(OpenParameter() for _ in range(count_parameters(node)))
    columns = 'AS t ("Position", "Type")'
    if not parameters:
        return f"SELECT * FROM (VALUES (0, '')) {columns} WHERE false"
    try:
        translate(node, replace(context, text=text, open_parameters=parameters))
    except Refused as error:
        if error.name != "NOT_SUPPORTED":
            raise error.to_error(text) from None
    rows = ", ".join(
        f"({i}, {quote_text(parameter.types[0].display if parameter.types else 'unknown')})"
        for i, parameter in enumerate(parameters)
    )
    return f"SELECT * FROM (VALUES {rows}) {columns} ORDER BY 1"


def _parse(text: str) -> nodes.Statement:
    try:
        return parse(text)
    except Refused as error:
        raise error.to_error(text) from None


def describe_output(text: str, context: Context, translate: Translate) -> str:
    """DESCRIBE OUTPUT as a query; parameters stand for NULL."""
    node = _parse(text)
    parameters = tuple(OpenParameter() for _ in range(count_parameters(node)))
    try:
        translated = translate(node, replace(context, text=text, open_parameters=parameters))
    except Refused as error:
        raise error.to_error(text) from None
    rows = ", ".join(map(_describe_column, translated.columns))
    columns = 'AS t ("Column Name", "Catalog", "Schema", "Table", "Type", "Type Size", "Aliased")'
    if not rows:
        nothing = "('', '', '', '', '', 0, false)"
        return f"SELECT * FROM (VALUES {nothing}) {columns} WHERE false"
    return f"SELECT * FROM (VALUES {rows}) {columns}"


_SIZES = {
    "boolean": 1, "tinyint": 1, "smallint": 2, "integer": 4, "real": 4, "date": 4, "bigint": 8,
    "double": 8, "unknown": 1, "uuid": 16, "ipaddress": 16, "time": 8,
    "interval day to second": 8, "interval year to month": 4,
}  # fmt: skip
# The type: the largest precision that is kept in 8 bytes, and the bytes of those above it.
_SHORT = {
    "decimal": (18, 16),
    "timestamp": (6, 12),
    "timestamp with time zone": (3, 12),
    "time with time zone": (9, 12),
}


def _size(kind: TrinoType) -> int:
    """In bytes, of types whose values all have the same."""
    if kind.base in _SHORT and kind.numbers:
        largest, above = _SHORT[kind.base]
        return 8 if kind.numbers[0] <= largest else above
    return _SIZES.get(kind.base, 0)


def _describe_column(column: OutputColumn) -> str:
    """A row of DESCRIBE OUTPUT."""
    texts = (column.name, *(column.origin.table or ("", "", "")), column.type.display)
    aliased = "true" if column.origin.aliased else "false"
    return f"({', '.join(map(quote_text, texts))}, {_size(column.type)}, {aliased})"
