"""The items of a SELECT: expressions with their names, ``*`` written out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqe.model.trino_types import quoted_field
from sqe.trino.dialect import nodes
from sqe.trino.dialect.errors import Refused, mismatch
from sqe.trino.dialect.scope import UNKNOWN, Field, Origin, Scope
from sqe.trino.dialect.typed import Typed

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
    for one in node.items:
        if isinstance(one, nodes.Star):
            items += _star(analyzer, one, scope)
        else:
            name = one.alias.name if one.alias is not None else output_name(one.expression)
            typed = analyzer.expression(one.expression, scope)
            items.append(Item(name, typed, one.expression, _origin(one, scope)))
    return items


def _origin(node: nodes.SelectItem, scope: Scope) -> Origin:
    """Only a plain name has a table, and only one of this very query's FROM."""
    from sqe.trino.dialect.analyzer import name_parts

    parts = name_parts(node.expression)
    found = [one.origin.table for one in scope.fields if parts and one.answers(parts)]
    return Origin(found[0] if found else None, node.alias is not None)


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
        return _named([one for one in scope.fields if not one.hidden], node)
    parts = name_parts(node.target)
    if parts is not None:
        mine: Scope | None = scope
        while mine is not None:
            found = [one for one in mine.fields if one.belongs_to(parts) and not one.hidden]
            if found:
                return _named(found, node)
            mine = mine.parent
        if len(parts) == 1 or scope.find(parts, node.at) is None:
            message = f"Unable to resolve reference {'.'.join(parts)}"
            raise Refused("TABLE_NOT_FOUND", message, node.at)
    value = analyzer.expression(node.target, scope)
    if value.type.base != "row":
        raise mismatch(f"expected expression of type Row, actual: {value.type}", node.at)
    fields = [
        Field(one.name, one.type, f"{value.sql}.{quoted_field(value.type, i)}")
        for i, one in enumerate(value.type.fields)
    ]
    return _named(fields, node)


def _named(fields: list[Field], node: nodes.Star) -> list[Item]:
    if node.aliases and len(node.aliases) != len(fields):
        message = (
            f"Column alias list has {len(node.aliases)} entries but relation has "
            f"{len(fields)} columns"
        )
        raise Refused("MISMATCHED_COLUMN_ALIASES", message, node.at)
    given = [one.name if one.quoted else one.name.upper() for one in node.aliases]
    names: list[str | None] = [*given] or [one.name for one in fields]
    return [
        Item(name, one.typed, origin=replace(one.origin, aliased=False))
        for name, one in zip(names, fields, strict=True)
    ]
