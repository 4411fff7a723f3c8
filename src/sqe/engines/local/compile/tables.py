"""Relations that are written out in the query: VALUES and range()."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.context import Context
from sqe.engines.local.compile.levels import forbid, has_subquery
from sqe.engines.local.compile.scope import Output, Relation, Scope
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
        cells = [f"CAST({v.sql} AS {o.type.duckdb})" for v, o in zip(row, outputs, strict=True)]
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


def explodes_array(node: Any) -> bool:
    return type(node) in (exp.Explode, exp.Posexplode) and isinstance(node.this, exp.Array)


def explode_array(node: Any, scope: Scope, context: Context) -> Relation:
    """explode(array(…)) and posexplode(array(…)): a row for each element that is written out.
    ``scope`` has the columns that the elements may name."""
    values = _cell_values(node.this.expressions, scope, context)
    kind = VOID
    for value in values:
        kind = common_type(kind, value.type)
    if not values or kind == VOID:
        raise NotLocal("an array without elements of a type is Spark's")
    nullable = any(value.nullable for value in values)
    output = Output("col", kind, nullable)
    cells = [f"CAST({value.cast(kind)} AS {kind.duckdb})" for value in values]
    if type(node) is exp.Explode:
        rows = [f"({cell})" for cell in cells]
        outputs: tuple[Output, ...] = (output,)
    else:
        numbered = enumerate(cells)
        rows = [f"(CAST({place} AS INTEGER), {cell})" for place, cell in numbered]
        outputs = (Output("pos", INT, False), output)
    names = ", ".join(f"c{i}" for i in range(1, len(outputs) + 1))
    sql = f"SELECT * FROM (VALUES {', '.join(rows)}) AS v({names})"  # noqa: S608  generated
    return Relation(sql, outputs)


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
