"""The items of a SELECT: expressions with their names, ``*`` written out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqe.trino.dialect import nodes
from sqe.trino.dialect.errors import Refused, mismatch
from sqe.trino.dialect.scope import UNKNOWN, Field, Origin, Scope
from sqe.trino.dialect.typed import Typed, field_of

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer


@dataclass(frozen=True, slots=True)
class Item:
    """``node`` None: it comes from a ``*``."""

    name: str | None
    typed: Typed
    node: nodes.Expression | None = None
    origin: Origin = UNKNOWN


def expand(analyzer: Analyzer, node: nodes.Select, scope: Scope) -> list[Item]:
    items: list[Item] = []
    for item in node.items:
        if isinstance(item, nodes.Star):
            items += _star(analyzer, item, scope)
        else:
            name = item.alias.name if item.alias is not None else output_name(item.expression)
            typed = analyzer.expression(item.expression, scope)
            items.append(Item(name, typed, item.expression, _origin(item, scope)))
    return items


def _origin(node: nodes.SelectItem, scope: Scope) -> Origin:
    """Only a plain name has a table, and only one of this very query's FROM."""
    from sqe.trino.dialect.analyzer import name_parts

    parts = name_parts(node.expression)
    tables = [field.origin.table for field in scope.fields if parts and field.answers(parts)]
    return Origin(tables[0] if tables else None, node.alias is not None)


def output_name(node: nodes.Expression) -> str | None:
    """What Trino calls a column without an alias: its own name, or nothing."""
    if isinstance(node, nodes.Column):
        return node.identifier.name
    if isinstance(node, nodes.Dereference):
        return node.field.name if output_name(node.base) is not None else None
    return None


def _star(analyzer: Analyzer, node: nodes.Star, scope: Scope) -> list[Item]:
    from sqe.trino.dialect.analyzer import name_parts

    if node.target is None:
        if not scope.fields:
            message = "SELECT * not allowed in queries without FROM clause"
            raise Refused("COLUMN_NOT_FOUND", message, node.at)
        return _name_items([field for field in scope.fields if not field.hidden], node)
    parts = name_parts(node.target)
    if parts is not None:
        mine: Scope | None = scope
        while mine is not None:
            visible = [
                field for field in mine.fields if field.belongs_to(parts) and not field.hidden
            ]
            if visible:
                return _name_items(visible, node)
            mine = mine.parent
        if len(parts) == 1 or scope.find(parts, node.at) is None:
            message = f"Unable to resolve reference {'.'.join(parts)}"
            raise Refused("TABLE_NOT_FOUND", message, node.at)
    value = analyzer.expression(node.target, scope)
    if value.type.base != "row":
        raise mismatch(f"expected expression of type Row, actual: {value.type}", node.at)
    fields = [
        Field(field.name, field.type, field_of(value, i))
        for i, field in enumerate(value.type.fields)
    ]
    return _name_items(fields, node)


def _name_items(fields: list[Field], node: nodes.Star) -> list[Item]:
    if node.aliases and len(node.aliases) != len(fields):
        message = (
            f"Column alias list has {len(node.aliases)} entries but relation has "
            f"{len(fields)} columns"
        )
        raise Refused("MISMATCHED_COLUMN_ALIASES", message, node.at)
    aliases = [alias.name if alias.quoted else alias.name.upper() for alias in node.aliases]
    names: list[str | None] = [*aliases] or [field.name for field in fields]
    return [
        Item(name, field.as_typed, origin=replace(field.origin, aliased=False))
        for name, field in zip(names, fields, strict=True)
    ]
