"""ORDER BY, LIMIT, OFFSET and FETCH FIRST."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqe.model.trino_types import BIGINT, TrinoType
from sqe.trino.dialect import nodes
from sqe.trino.dialect.errors import Refused, mismatch
from sqe.trino.dialect.scope import Field, Scope
from sqe.trino.dialect.select_items import Item
from sqe.trino.dialect.typed import OpenParameter, quote_name
from sqe.trino.dialect.windows import sort_text

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer

_UNORDERABLE = ("map", "json")
_COLUMN = re.compile(r"r\d+\.`[^`]+`")


@dataclass(frozen=True, slots=True)
class Outputs:
    """The columns of a SELECT, and their names in the text. ``distinct``: only they can be sorted
    by."""

    items: Sequence[Item]
    names: Sequence[str]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class SortKey:
    """``index`` is that of the output it is, if it is one; ``sql`` is what ORDER BY has, ``value``
    what it sorts by."""

    index: int | None
    sql: str
    item: nodes.SortItem
    kind: TrinoType
    value: str

    def __str__(self) -> str:
        return sort_text(self.sql, self.kind, self.item)


@dataclass(frozen=True, slots=True)
class Sorting:
    query: nodes.Query
    outputs: Outputs
    keys: Sequence[SortKey]


def compile_sorting(
    analyzer: Analyzer, query: nodes.Query, outputs: Outputs, scope: Scope
) -> Sorting:
    """What ORDER BY says; names of output columns come before those of the source."""
    items, names = outputs.items, outputs.names
    kept = _distinct_outputs(items)
    # Beside DISTINCT an output is a column of its own: an expression over its name is not one over
    # the column of the source that it shows.
    marks = {f"`$out{i}`": item for i, item in enumerate(kept)} if outputs.distinct else {}
    written_as = list(marks) or [item.typed.sql for item in kept]
    fields = tuple(
        Field(item.name, item.typed.type, sql) for item, sql in zip(kept, written_as, strict=True)
    )
    inside = scope.around(fields)
    keys = []
    for sort_item in query.order_by:
        key = sort_item.expression
        if isinstance(key, nodes.LongLiteral):
            if not 1 <= key.value <= len(items):
                message = f"ORDER BY position {key.value} is not in select list"
                raise Refused("INVALID_COLUMN_REFERENCE", message, key.at)
            index: int | None = key.value - 1
            typed = items[key.value - 1].typed
        else:
            typed = analyzer.expression(key, inside)
            typed = marks[typed.sql].typed if typed.sql in marks else typed
            index = next((i for i, item in enumerate(items) if item.typed.sql == typed.sql), None)
        if typed.type.base in _UNORDERABLE:
            message = (
                f"Type {typed.type} is not orderable, and therefore cannot be used in ORDER BY"
            )
            raise mismatch(message, sort_item.at)
        if index is None and outputs.distinct:
            message = "For SELECT DISTINCT, ORDER BY expressions must appear in select list"
            raise Refused("EXPRESSION_NOT_IN_DISTINCT", message, analyzer.queries.select_at)
        written = quote_name(names[index]) if index is not None else typed.sql
        keys.append(SortKey(index, written, sort_item, typed.type, typed.sql))
    return Sorting(query, outputs, keys)


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


def finish_select(analyzer: Analyzer, sorting: Sorting, head: str, tail: str, scope: Scope) -> str:
    """The SELECT, its list (``head``) and the rest, with ORDER BY, OFFSET and LIMIT. ``scope`` is
    the one around the query."""
    query = sorting.query
    if query.with_ties:
        return _select_with_ties(analyzer, sorting, head, tail)
    limited = query.limit is not None or query.offset is not None
    if limited and sorting.keys and scope.is_named_in(head + tail):
        return _sort_by_row_number(analyzer, sorting, head, tail)
    order = ", ".join(map(str, sorting.keys))
    text = head + tail + (f" ORDER BY {order}" if order else "")
    # Spark knows windows, lambdas and subqueries in a list of columns only.
    if any(key.index is None and not _COLUMN.fullmatch(key.sql) for key in sorting.keys):
        more, order = _write_keys(sorting)
        listed = ", ".join(map(quote_name, sorting.outputs.names))
        name = analyzer.make_id("r")
        text = f"SELECT {listed} FROM ({head}{more}{tail}) AS {name} ORDER BY {order}"
    if query.limit is not None:
        text += f" LIMIT {_limit(analyzer, query)}"
    if query.offset is not None:
        text += f" OFFSET {_count(analyzer, query.offset, 'OFFSET')}"
    return text


def _write_keys(sorting: Sorting) -> tuple[str, str]:
    """What is sorted by as more columns, behind the others, and ORDER BY with their names."""
    more, keys = "", []
    for i, key in enumerate(sorting.keys):
        if key.index is None:
            more += f", {key.sql} AS `$key{i}`"
            key = replace(key, sql=f"`$key{i}`")
        keys.append(str(key))
    return more, ", ".join(keys)


def _sort_by_row_number(analyzer: Analyzer, sorting: Sorting, head: str, tail: str) -> str:
    """By the numbers of the rows. In a subquery that depends on the query around it, Spark takes
    rows in another order where it sorts by what is not selected, or where there is an OFFSET."""
    query = sorting.query
    more, order = _write_keys(sorting)
    name = analyzer.make_id("r")
    offset = _count(analyzer, query.offset, "OFFSET") if query.offset is not None else 0
    tests = [f"`$row` > {offset}"] if offset else []
    if query.limit is not None:
        tests.append(f"`$row` <= {offset + _limit(analyzer, query)}")
    listed = ", ".join(map(quote_name, sorting.outputs.names))
    number = f"row_number() OVER (ORDER BY {order}) AS `$row`"
    return (
        f"SELECT {listed} FROM (SELECT *, {number} FROM ({head}{more}{tail}) AS {name}) "
        f"AS {analyzer.make_id('r')} WHERE {' AND '.join(tests) or 'true'}"
    )


def _select_with_ties(analyzer: Analyzer, sorting: Sorting, head: str, tail: str) -> str:
    """With the rows that are equal to the last one by what is sorted by: those of its rank."""
    query = sorting.query
    if not query.order_by:
        message = "FETCH FIRST WITH TIES clause requires ORDER BY"
        raise Refused("MISSING_ORDER_BY", message, query.limit_at)
    offset = _count(analyzer, query.offset, "OFFSET") if query.offset is not None else 0
    rows = offset + _limit(analyzer, query)
    more, order = _write_keys(sorting)
    name = analyzer.make_id("r")
    ranks = f"rank() OVER (ORDER BY {order}) AS `$rank`, "
    ranks += f"row_number() OVER (ORDER BY {order}) AS `$row`"
    listed = ", ".join(map(quote_name, sorting.outputs.names))
    return (
        f"SELECT {listed} FROM (SELECT *, {ranks} FROM ({head}{more}{tail}) AS {name}) "
        f"AS {analyzer.make_id('r')} WHERE `$rank` <= {rows} AND `$row` > {offset} ORDER BY {order}"
    )


def _limit(analyzer: Analyzer, query: nodes.Query) -> int:
    assert query.limit is not None  # noqa: S101  the caller has looked
    if not query.fetch:
        return _count(analyzer, query.limit, "LIMIT")
    rows = _count(analyzer, query.limit, "FETCH FIRST")
    if not rows and not analyzer.context.open_parameters:
        message = f"FETCH FIRST row count must be positive (actual value: {rows})"
        raise Refused("NUMERIC_VALUE_OUT_OF_RANGE", message, query.limit_at)
    return rows


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
