"""ORDER BY, LIMIT, OFFSET and FETCH FIRST."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.model.trino_types import BIGINT
from sqe.sql.trino import nodes
from sqe.sql.trino.errors import Refused, mismatch, not_supported
from sqe.sql.trino.scope import Field, Scope
from sqe.sql.trino.select_items import Item
from sqe.sql.trino.typed import OpenParameter, quoted
from sqe.sql.trino.windows import direction

if TYPE_CHECKING:
    from sqe.sql.trino.analyzer import Analyzer

_UNORDERABLE = ("map", "json")


@dataclass(frozen=True, slots=True)
class Outputs:
    """The columns of a SELECT, and their names in the text. ``distinct``: only they can be sorted
    by."""

    items: Sequence[Item]
    names: Sequence[str]
    distinct: bool = False


def order_text(analyzer: Analyzer, query: nodes.Query, outputs: Outputs, scope: Scope) -> str:
    """`` ORDER BY …``; names of output columns come before those of the source."""
    if not query.order_by:
        return ""
    keys = sort_keys(analyzer, query, outputs, scope)
    return " ORDER BY " + ", ".join(keys)


def sort_keys(analyzer: Analyzer, query: nodes.Query, outputs: Outputs, scope: Scope) -> list[str]:
    items, names = outputs.items, outputs.names
    fields = tuple(
        Field(item.name, item.typed.type, item.typed.sql) for item in _distinct_outputs(items)
    )
    inside = scope.around(fields)
    keys = []
    for one in query.order_by:
        key = one.expression
        if isinstance(key, nodes.LongLiteral):
            if not 1 <= key.value <= len(items):
                message = f"ORDER BY position {key.value} is not in select list"
                raise Refused("INVALID_COLUMN_REFERENCE", message, key.at)
            index: int | None = key.value - 1
            kind = items[key.value - 1].typed.type
        else:
            typed = analyzer.expression(key, inside)
            kind = typed.type
            index = next((i for i, item in enumerate(items) if item.typed.sql == typed.sql), None)
        if kind.base in _UNORDERABLE:
            message = f"Type {kind} is not orderable, and therefore cannot be used in ORDER BY"
            raise mismatch(message, one.at)
        if index is None and outputs.distinct:
            message = "For SELECT DISTINCT, ORDER BY expressions must appear in select list"
            raise Refused("EXPRESSION_NOT_IN_DISTINCT", message, key.at)
        written = quoted(names[index]) if index is not None else typed.sql
        keys.append(f"{written} {direction(one)}")
    return keys


def _distinct_outputs(items: Sequence[Item]) -> list[Item]:
    """An output that is there twice under one name is not ambiguous."""
    seen: set[tuple[str | None, str]] = set()
    kept = []
    for item in items:
        key = (item.name.lower() if item.name else None, item.typed.sql)
        if key not in seen:
            seen.add(key)
            kept.append(item)
    return kept


def limit_text(analyzer: Analyzer, query: nodes.Query) -> str:
    text = ""
    if query.with_ties:
        if not query.order_by:
            message = "FETCH FIRST WITH TIES clause requires ORDER BY"
            raise Refused("MISSING_ORDER_BY", message, query.at)
        raise not_supported("FETCH FIRST … WITH TIES", query.at)
    if query.limit is not None:
        text += f" LIMIT {_count(analyzer, query.limit, 'LIMIT')}"
    if query.offset is not None:
        text += f" OFFSET {_count(analyzer, query.offset, 'OFFSET')}"
    return text


def _count(analyzer: Analyzer, node: nodes.Expression, what: str) -> int:
    value = analyzer.expression(node, Scope())
    if isinstance(value.constant, OpenParameter):
        value.constant.types.append(BIGINT)
        return 0
    if not isinstance(value.constant, int) or isinstance(value.constant, bool):
        raise mismatch(f"{what} must be a constant integer (actual: {value.type})", node.at)
    if value.constant < 0:
        message = f"{what} row count must be greater or equal to 0 (actual value: {value.constant})"
        raise Refused("INVALID_LIMIT_CLAUSE", message, node.at)
    return value.constant
