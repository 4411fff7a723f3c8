"""DELETE and REPLACE WHERE remove rows that hold NULL (decision 0014).

Defect: Spark hands these statements to Iceberg where whole files can go. Iceberg has no third truth
value: to it ``NULL <> 1`` and ``NULL < 1`` are true, so rows that hold NULL go with the others.

Repair: the condition also says ``IS NOT NULL`` of its columns, which changes nothing else. Where
that cannot be said, DELETE looks at rows one by one and REPLACE WHERE is refused.

Upstream: apache/iceberg#1710 (closed as stale) and apache/iceberg#3578 (closed, not merged) are
about NOT IN; the answer there is that Iceberg's expressions do not have SQL's logic on purpose.

It can go when Spark keeps conditions from Iceberg that differ for NULL, or Iceberg judges them as
SQL does: ``tests/embedded/writes/test_repairs.py`` fails then, and says so. ``rewrite/writes.py``
evaluates a restricted user's DELETE row by row for the same reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlglot import TokenType, exp

from sqe.binding.bound import BoundReference
from sqe.errors import ErrorCode, UserError
from sqe.rewrite.writes_text import change_parts, find_target, outermost, piece, tokens_behind
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, Statement, position_at

# Of a column on the left: true of NULL to Iceberg only where it is in SQL.
_SAFE = (exp.EQ, exp.NullSafeEQ, exp.Is, exp.In, exp.Between, exp.GT, exp.GTE)
_STRICT = (
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between, exp.Like,
)  # fmt: skip
# Not handed to Iceberg, and not taken apart by Spark.
_BY_ROW = ("array_contains(array((", "\n)), TRUE)")


def keep_nulls(statement: Statement, written: BoundReference, others: Sequence[Edit]) -> list[Edit]:
    """A write that is held to filters is evaluated row by row: nothing is left to repair."""
    return null_edits(statement, others) if written.check is None else []


def null_edits(statement: Statement, others: Sequence[Edit]) -> list[Edit]:
    """Of a DELETE, or an INSERT with REPLACE WHERE. ``others`` are all other edits."""
    condition = _condition(statement.tree)
    if condition is None or condition.find(exp.Column) is None or condition.find(exp.Query):
        return []
    risky = [term for term in _terms(condition) if not _is_safe(term)]
    if not risky:
        return []
    columns = [_column(risky_place) for risky_place in risky]
    places = [_place(column) for column in columns if column is not None]
    if len(places) == len(risky) and None not in places:
        pieces = dict.fromkeys(piece(statement.text, place, others) for place in places if place)
        start = _start(statement)
        text = "".join(f"{name} IS NOT NULL AND " for name in pieces)
        return [Edit(Span(start, start), text)]
    return _by_row(statement, others)


def _condition(tree: Any) -> Any:
    if isinstance(tree, exp.Delete):
        where = tree.args.get("where")
        return where.this if where is not None else None
    return tree.args.get("where") if isinstance(tree, exp.Insert) else None


def _terms(condition: Any) -> Iterator[Any]:
    """What AND puts together at the top, without brackets around all of it."""
    return condition.flatten(unnest=False) if isinstance(condition, exp.And) else iter([condition])


def _is_safe(node: Any) -> bool:
    if isinstance(node, exp.Paren):
        return _is_safe(node.this)
    if isinstance(node, exp.And | exp.Or):
        return _is_safe(node.this) and _is_safe(node.expression)
    if isinstance(node, exp.Not) and isinstance(node.this, exp.Is):
        return _is_safe(node.this)
    columns = list(node.find_all(exp.Column))
    return not columns or (isinstance(node, _SAFE) and columns == [node.this])


def _column(node: Any) -> Any:
    """The only column of a comparison that is NULL where the column is."""
    while isinstance(node, exp.Paren | exp.Not):
        node = node.this
    columns = list(node.find_all(exp.Column))
    if not isinstance(node, _STRICT) or len(columns) != 1:
        return None
    return columns[0] if columns[0].parent is node else None


def _place(column: exp.Column) -> Span | None:
    parts = column.parts
    if any("start" not in part.meta for part in parts):
        return None
    return Span(parts[0].meta["start"], parts[-1].meta["end"] + 1)


def _start(statement: Statement) -> int:
    tokens = tokens_behind(statement, find_target(statement))
    where = next(n for n, token in outermost(tokens) if token.token_type is TokenType.WHERE)
    return tokens[where + 1].start


def _by_row(statement: Statement, others: Sequence[Edit]) -> list[Edit]:
    parts = change_parts(statement) if isinstance(statement.tree, exp.Delete) else None
    if parts is None or parts.condition is None:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            "Rows that hold NULL would be replaced too, by a condition such as this.",
            hint="Use =, >, >= and IN alone, or DELETE the rows and INSERT the new ones.",
            position=position_at(statement.text, _start(statement)),
        )
    start, end = parts.condition.start, parts.condition.end
    again = piece(statement.text, parts.condition, others)
    behind = f"\n) AND {_BY_ROW[0]}{again}{_BY_ROW[1]}"
    return [Edit(Span(start, start), "("), Edit(Span(end, end), behind)]
