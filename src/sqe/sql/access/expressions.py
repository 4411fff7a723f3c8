"""Which columns of its row, and which other tables, the expression of a policy asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from sqe.errors import ErrorCode, UserError
from sqe.sql.parse import parse
from sqe.sql.statement import Statement
from sqe.sql.text import TextLimits

_NEVER_TRUE = (exp.Literal, exp.Binary, exp.Concat, exp.Neg, exp.Array, exp.Struct)
_TRUTHS = (exp.Predicate, exp.Connector)


@dataclass(frozen=True, slots=True)
class PolicyExpression:
    """``columns``: each by its own name, or by the table's and its own, or by its own and a
    field's. ``tables`` are those that its subqueries ask."""

    columns: tuple[tuple[str, ...], ...]
    tables: tuple[tuple[str, ...], ...]
    never_true: bool  # certainly of another type than boolean
    only_column: str = ""  # it is a column, and nothing more


def read_policy(sql: str, limits: TextLimits) -> PolicyExpression:
    """``sql`` has nothing in it that only policies may ask (see ``rewrite.expressions``)."""
    statement = parse(f"SELECT (\n{sql}\n)", limits)  # looked at, never run
    tree = _expression(statement)
    plain = tree.unnest()
    return PolicyExpression(
        tuple(dict.fromkeys(_columns(tree))),
        tuple(reference.parts for reference in statement.references),
        isinstance(plain, _NEVER_TRUE) and not isinstance(plain, _TRUTHS),
        plain.name if isinstance(plain, exp.Column) and not plain.table else "",
    )


def _expression(statement: Statement) -> exp.Expr:
    tree = statement.tree
    expressions = tree.expressions if isinstance(tree, exp.Select) else []
    if len(expressions) != 1 or not isinstance(expressions[0], exp.Paren | exp.Subquery):
        raise UserError(ErrorCode.SYNTAX_ERROR, "It is not one expression.")
    expression: exp.Expr = expressions[0]
    return expression


def _columns(tree: exp.Expr) -> Iterator[tuple[str, ...]]:
    """But not those of subqueries: names there are of other rows."""
    for node in tree.walk(prune=lambda node: isinstance(node, exp.Query)):
        if isinstance(node, exp.Column):
            yield tuple(part.name for part in node.parts)
