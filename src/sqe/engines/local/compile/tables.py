"""Relations that are written out in the query: VALUES and range()."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.context import Context
from sqe.engines.local.compile.levels import forbid, has_subquery
from sqe.engines.local.compile.scope import Output, Relation, Scope, Source, SourceColumn
from sqe.engines.local.compile.value import Value
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import BIGINT, INT, VOID, common_type

_BIGINT_LIMIT = 2**63


def inline_table(node: exp.Values, context: Context) -> Relation:
    """VALUES: each column has the type that its values have in common."""
    rows = [_cells(row) for row in node.expressions]
    if not rows or len({len(row) for row in rows}) != 1 or not rows[0]:
        raise NotLocal("these VALUES are Spark's")
    values = [_cell_values(row, Scope(closed=True), context) for row in rows]
    outputs = []
    for index in range(len(values[0])):
        kind = VOID
        for row in values:
            kind = common_type(kind, row[index].type)
        if kind == VOID:
            raise NotLocal("a column of NULLs without a type is Spark's")
        nullable = any(row[index].nullable for row in values)
        outputs.append(Output(f"col{index + 1}", kind, nullable))
    lines = []
    for row in values:
        cells = [
            f"CAST({value.cast(output.type)} AS {output.type.duckdb})"
            for value, output in zip(row, outputs, strict=True)
        ]
        lines.append(f"({', '.join(cells)})")
    names = ", ".join(f"c{i}" for i in range(1, len(outputs) + 1))
    sql = f"SELECT * FROM (VALUES {', '.join(lines)}) AS v({names})"  # noqa: S608  generated
    return Relation(sql, tuple(outputs))


def _cell_values(cells: list[Any], scope: Scope, context: Context) -> list[Value]:
    expressions = context.expressions(scope)
    for cell in cells:
        forbid("VALUES", cell)
        if has_subquery(cell):
            raise NotLocal("a subquery in VALUES is Spark's")
    return [expressions.value(cell) for cell in cells]


def explodes(node: Any) -> bool:
    return isinstance(node, exp.Explode | exp.ExplodeOuter)


def explode(node: Any, scope: Scope, context: Context, *, outer: bool = False) -> Relation:
    """A row for each element of an array; with ``outer``, or as explode_outer, one of NULLs for
    none. ``scope`` has the columns that the array may name."""
    lent = LentColumns(scope)
    (value,) = _cell_values([node.this], lent.scope, context)
    kind, numbered = value.type, isinstance(node, exp.Posexplode)
    if not kind.is_list or kind.element == VOID or (numbered and kind.name == "bag"):
        raise NotLocal(f"{node.key} of {kind} is Spark's")
    outer = outer or isinstance(node, exp.ExplodeOuter | exp.PosexplodeOuter)
    items, places = "items", "range(len(items))"
    if outer:
        none = "coalesce(len(items), 0) = 0"
        items = f"CASE WHEN {none} THEN CAST([NULL] AS {kind.duckdb}) ELSE items END"
        places = f"CASE WHEN {none} THEN [NULL] ELSE {places} END"
    columns = [f"unnest({items})"]
    outputs = [Output("col", kind.element, True)]
    if numbered:
        columns.insert(0, f"CAST(unnest({places}) AS INTEGER)")
        outputs.insert(0, Output("pos", INT, outer))
    listed = ", ".join(f"{sql} AS c{i}" for i, sql in enumerate(columns, 1))
    array = f"SELECT CAST({value.sql} AS {kind.duckdb}) AS items{lent.from_clause}"
    return Relation(f"SELECT {listed} FROM ({array}) AS exploded", tuple(outputs))  # noqa: S608


class LentColumns:
    """The columns of a scope under names of their own: DuckDB does not find a column of a query
    around inside of a lambda, but one of a query below."""

    def __init__(self, scope: Scope) -> None:
        self._used: list[str] = []
        named = {id(column): _LentColumn(column, self._used) for column in scope.columns()}
        sources = [
            Source(source.alias, [named[id(column)] for column in source.columns], source.path)
            for source in scope.sources
        ]
        visible: list[SourceColumn] = [named[id(column)] for column in scope.visible]
        self.scope = Scope(sources, visible, closed=True)

    @property
    def from_clause(self) -> str:
        listed = ", ".join(f"{sql} AS c{i}" for i, sql in enumerate(self._used, 1))
        return f" FROM (SELECT {listed}) AS lent" if listed else ""


class _LentColumn(SourceColumn):
    def __init__(self, column: SourceColumn, used: list[str]) -> None:
        super().__init__(column.name, column.sql, column.type, column.nullable)
        self._column, self._used_columns = column, used

    def value(self) -> Value:
        value = self._column.value()
        if value.sql not in self._used_columns:
            self._used_columns.append(value.sql)
        place = self._used_columns.index(value.sql) + 1
        return replace(value, sql=f"lent.c{place}")


def _cells(row: Any) -> list[Any]:
    if isinstance(row, exp.Tuple):
        return list(row.expressions)
    return [row.this if isinstance(row, exp.Paren) else row]


def number_range(node: exp.Anonymous) -> Relation:
    """range(end), range(start, end), range(start, end, step), with whole numbers as written."""
    if node.name.lower() != "range" or not 1 <= len(node.expressions) <= 3:
        raise NotLocal(f"{node.name} in FROM is Spark's")
    numbers = [_number(argument) for argument in node.expressions]
    if len(numbers) == 1:
        numbers = [0, *numbers]
    if any(abs(number) >= _BIGINT_LIMIT for number in numbers) or 0 in numbers[2:]:
        raise NotLocal("this range is Spark's")
    arguments = ", ".join(f"CAST({number} AS BIGINT)" for number in numbers)
    sql = f"SELECT range AS c1 FROM range({arguments})"  # noqa: S608  numbers only
    return Relation(sql, (Output("id", BIGINT, False),))


def _number(node: Any) -> int:
    sign = 1
    if isinstance(node, exp.Neg):
        sign, node = -1, node.this
    if not isinstance(node, exp.Literal) or node.is_string or not str(node.this).isdigit():
        raise NotLocal("a computed range is Spark's")
    return sign * int(node.this)
