"""Conditions between a subquery and the query around it.

Spark makes a join of such a condition. Where it is an equation it takes it out of the subquery,
past its LIMIT, unless it is one of two plain columns: then the LIMIT takes its rows before the
join. In the ON of an inner join it cannot take it out at all. Any other condition stays inside,
with the values of the query around it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqe.trino.dialect import nodes
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.tree import walk

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer

_COLUMN = re.compile(r"r\d+\.`[^`]+`")
_ORDERS = ("<", "<=", ">", ">=", "<>")


def keep_inside(analyzer: Analyzer, node: nodes.Expression, scope: Scope, sql: str) -> str:
    """``sql`` of the condition ``node``, written so that Spark tests it inside of the subquery."""
    terms = list(_terms(node))
    if not any(_leaves(analyzer, term, scope) for term in terms):
        return sql
    written = []
    for term in terms:
        text = analyzer.known[id(term)].sql
        written.append(f"coalesce({text}, false)" if _leaves(analyzer, term, scope) else text)
    return f"({' AND '.join(written)})"


def _terms(node: nodes.Expression) -> list[nodes.Expression]:
    if isinstance(node, nodes.Logical) and node.operator == "AND":
        return [one for term in node.terms for one in _terms(term)]
    return [node]


def _leaves(analyzer: Analyzer, node: nodes.Expression, scope: Scope) -> bool:
    """Whether Spark would take it for an equation with the query around, and not of two columns."""
    if isinstance(node, nodes.Comparison) and node.operator in _ORDERS:
        return False
    inner = {one.sql for one in scope.fields}
    names = [
        analyzer.known[id(one)].sql
        for one in walk(node)
        if isinstance(one, nodes.Column | nodes.Dereference) and id(one) in analyzer.known
    ]
    if all(_within(name, inner) for name in names):
        return False
    return not (isinstance(node, nodes.Comparison) and _of_columns(analyzer, node, inner))


def _within(name: str, inner: set[str]) -> bool:
    return name in inner or any(name.startswith(f"{one}.") for one in inner)


def _of_columns(analyzer: Analyzer, node: nodes.Comparison, inner: set[str]) -> bool:
    left, right = analyzer.known[id(node.left)], analyzer.known[id(node.right)]
    return (
        node.operator == "="
        and left.type == right.type
        and all(_COLUMN.fullmatch(one.sql) for one in (left, right))
        and (left.sql in inner) != (right.sql in inner)
    )
