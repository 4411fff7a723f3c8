"""JSON_TABLE: the items that a path finds as rows, by Spark's ``posexplode``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.model.trino_types import BIGINT, TrinoType
from sqe.trino.dialect import json_sql, nodes
from sqe.trino.dialect.built import Source
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.json_call import (
    ERRORS,
    INPUT,
    PATH,
    JsonCall,
    disorder,
    has_one_order,
    is_ordered,
)
from sqe.trino.dialect.once import once
from sqe.trino.dialect.scope import Field, Scope
from sqe.trino.dialect.special_json import query_of, value_of
from sqe.trino.dialect.typed import fail, string

if TYPE_CHECKING:
    from sqe.trino.dialect.relations import Relations

_NO_ITEMS = "CAST(array() AS ARRAY<VARIANT>)"


def json_table(relations: Relations, node: nodes.JsonTable, scope: Scope) -> Source:
    call = JsonCall(relations.analyzer, node.call, scope)
    return _Table(relations, node, call, call.input()).read()


@dataclass(frozen=True)
class _Rows:
    """The rows of one path: ``name`` is the generator's. ``outer``: there may be one of NULLs."""

    name: str
    outer: bool

    @property
    def item(self) -> str:
        return f"{self.name}.col"

    def unless_absent(self, sql: str) -> str:
        return f"IF({self.name}.pos IS NULL, NULL, {sql})" if self.outer else sql


class _Table:
    def __init__(
        self, relations: Relations, node: nodes.JsonTable, call: JsonCall, text: str
    ) -> None:
        self._make_id = relations.analyzer.make_id
        self._node, self._call, self._text = node, call, text
        self._plan = dict(node.plan)
        self._names: set[str] = set()

    def read(self) -> Source:
        node = self._node
        rows = _Rows(self._make_id("r"), node.outer)
        fields: list[Field] = []
        path_name = self._call.clauses.get("PATH NAME")
        if isinstance(path_name, nodes.Identifier):
            self._new_name(path_name)
        texts = [self._generator(self._first_items(), rows)]
        texts += self._columns(node.columns, rows, fields)
        lateral = "LATERAL " if self._call.scope.fields else ""
        return Source(lateral + " CROSS JOIN LATERAL ".join(texts), tuple(fields))

    def _generator(self, items: str, rows: _Rows) -> str:
        function = "posexplode_outer" if rows.outer else "posexplode"
        return f"{function}({items}) AS {rows.name}(pos, col)"

    def _first_items(self) -> str:
        """No rows for what is no JSON, or no path of it: unless that shall fail."""
        call, path = self._call, self._call.path()

        def on_error(name: str) -> str:
            if self._node.raises:
                return fail(name, string(ERRORS[name]))
            return _NO_ITEMS

        def look(s: str, d: str) -> str:
            found = path.evaluate(d)
            found = once([found], lambda q: f"IF({q} IS NULL, {on_error(PATH)}, {q})")
            if path.reorders:
                message = string("JSON with members in this order is not supported")
                found = f"IF({is_ordered(s, d)}, {found}, {fail('NOT_SUPPORTED', message)})"
            bad = f"IF({json_sql.is_json(s)}, {call.twice(None)}, {on_error(INPUT)})"
            return (
                f"CASE WHEN {s} IS NULL THEN {_NO_ITEMS} WHEN {d} IS NULL THEN {bad} "
                f"ELSE {found} END"
            )

        return once([self._text], lambda s: once([json_sql.variant(s)], lambda d: look(s, d)))

    def _columns(
        self, columns: tuple[nodes.JsonColumn, ...], rows: _Rows, fields: list[Field]
    ) -> Iterator[str]:
        """The fields, and the generators of the paths below."""
        nested = [column for column in columns if column.kind == "NESTED"]
        if len(nested) > 1:
            raise not_supported("JSON_TABLE with paths beside each other", nested[1].at)
        for column in columns:
            if column.kind == "NESTED":
                yield from self._read_nested(column, rows, fields)
            else:
                fields.append(self._column(column, rows))

    def _read_nested(
        self, column: nodes.JsonColumn, above: _Rows, fields: list[Field]
    ) -> Iterator[str]:
        assert column.path is not None  # noqa: S101  the parser wants one
        key = self._new_name(column.name) if column.name is not None else ""
        kind = self._plan.get(key) or self._plan.get("", "OUTER")
        rows = _Rows(self._make_id("r"), kind == "OUTER" or above.outer)
        call = self._inside(column, column.path, "json_table", above)
        path = call.path()
        items = path.evaluate(above.item)
        if not path.is_lax or path.reorders:
            raise not_supported("JSON_TABLE with such a nested path", column.path.at)
        yield self._generator(items, rows)
        yield from self._columns(column.columns, rows, fields)

    def _new_name(self, written: nodes.Identifier) -> str:
        name = _key_of(written)
        if name in self._names:
            message = "All column and path names in JSON_TABLE invocation must be unique"
            raise Refused("DUPLICATE_COLUMN_OR_PATH_NAME", message, written.at)
        self._names.add(name)
        return name

    def _column(self, column: nodes.JsonColumn, rows: _Rows) -> Field:
        assert column.name is not None  # noqa: S101  only NESTED has none
        name = self._new_name(column.name)
        if column.kind == "ORDINALITY":
            return Field(name, BIGINT, f"CAST({rows.name}.pos + 1 AS BIGINT)")
        path = column.path or nodes.StringLiteral(column.at, f'lax $."{name}"')
        make = query_of if column.kind == "QUERY" else value_of
        word = "json_query" if column.kind == "QUERY" else "json_value"
        typed = make(self._inside(column, path, word, rows))
        return Field(name, typed.type, rows.unless_absent(typed.sql))

    def _inside(
        self, column: nodes.JsonColumn, path: nodes.StringLiteral, word: str, rows: _Rows
    ) -> _ColumnCall:
        """A call like one of JSON_VALUE that looks into an item."""
        outer = self._call
        clauses = dict(column.clauses)
        if self._node.raises:
            clauses.setdefault("ON ERROR", "ERROR")
        arguments = (self._node.call.arguments[0], path)
        node = nodes.SpecialCall(column.at, word, arguments, tuple(clauses.items()))
        return _ColumnCall(outer, node, rows.item, self._text)


class _ColumnCall(JsonCall):
    def __init__(self, table: JsonCall, node: nodes.SpecialCall, item: str, text: str) -> None:
        super().__init__(table.analyzer, node, table.scope)
        self._item, self._text = item, text

    def evaluate(self, kind: TrinoType, answer: Callable[[str], str]) -> str:
        path = self.path()
        failed = self.on_error(PATH, kind)
        found = once(
            [path.evaluate(self._item)], lambda q: f"IF({q} IS NULL, {failed}, {answer(q)})"
        )
        if path.reorders or self.node.name == "json_query":
            found = once([found], lambda r: self._in_order(r, kind, always=path.reorders))
        return found

    def _in_order(self, answer: str, kind: TrinoType, *, always: bool) -> str:
        ordered = is_ordered(self._text, json_sql.variant(self._text))
        test = ordered if always else f"{has_one_order(answer)} OR {ordered}"
        return f"IF({test}, {answer}, {disorder(kind, self.at)})"


def _key_of(name: nodes.Identifier) -> str:
    return name.name if name.quoted else name.name.upper()
