"""Conditions by which Iceberg may remove whole files, said so that no row goes that they are not
true of.

DELETE and REPLACE WHERE are handed to Iceberg where it can carry them out by files alone. It knows
no third truth value: to it ``NULL <> 1`` and ``NULL < 1`` are true, and rows that hold NULL would
go with the others. Where a condition is of such a kind, it is said of its columns that they are not
NULL, which changes nothing else; where that cannot be said, the rows are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlglot import TokenType, exp

from sqe.errors import ErrorCode, UserError
from sqe.rewrite.writes_text import change_parts, outermost, piece, tokens_behind, written
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, Statement, position_at

# Of a column on the left: true of NULL to Iceberg only where it is in SQL.
_SAFE = (exp.EQ, exp.NullSafeEQ, exp.Is, exp.In, exp.Between, exp.GT, exp.GTE)
_STRICT = (
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between, exp.Like,
)  # fmt: skip
# Not handed to Iceberg, and not taken apart by Spark.
_BY_ROW = ("array_contains(array((", "\n)), TRUE)")


def null_edits(statement: Statement, others: Sequence[Edit]) -> list[Edit]:
    """Of a DELETE, or an INSERT with REPLACE WHERE. ``others`` are all other edits."""
    condition = _condition(statement.tree)
    if condition is None or condition.find(exp.Column) is None or condition.find(exp.Query):
        return []
    risky = [one for one in _terms(condition) if not _is_safe(one)]
    if not risky:
        return []
    columns = [_column(one) for one in risky]
    places = [_place(one) for one in columns if one is not None]
    if len(places) == len(risky) and None not in places:
        said = dict.fromkeys(piece(statement.text, one, others) for one in places if one)
        start = _start(statement)
        text = "".join(f"{name} IS NOT NULL AND " for name in said)
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
    tokens = tokens_behind(statement, written(statement))
    where = next(n for n, one in outermost(tokens) if one.token_type is TokenType.WHERE)
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
