"""Queries that depend on the one around them: in which forms both engines mean the same."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.expressions import Expressions
from sqe.engines.local.compile.levels import has_aggregate, has_window, parts
from sqe.engines.local.compile.scope import Scope
from sqe.engines.local.plan import NotLocal

_VALUE, _EXISTS, _IN, _DERIVED, _LATERAL = "value", "exists", "in", "derived", "lateral"


def check_dependent(
    node: exp.Select,
    scope: Scope,
    expressions: Expressions,
    *,
    grouped: bool,
    lent_behind_where: bool,
) -> None:
    """Spark takes columns of the outer query in some places only; so does this engine."""
    if lent_behind_where and (grouped or node.args.get("distinct")):
        raise NotLocal("a subquery that depends on a grouped query is Spark's")
    if not (scope.borrowed or scope.passed):
        return
    role = _role(node)
    cut = _has(node, "limit", "offset")
    if _has(node, "having", "distinct") or (role != _LATERAL and (cut or _has(node, "order"))):
        raise NotLocal("a dependent subquery with LIMIT, HAVING, ORDER BY or DISTINCT is Spark's")
    if any(_is_outer_or_semi(join) for join in node.args.get("joins") or ()):
        raise NotLocal("this join in a dependent subquery is Spark's")
    if has_window(*node.expressions):
        _check_windows(node, scope)
    if cut:
        _check_cut(node, scope, expressions)
    aggregates = has_aggregate(*node.expressions)
    if role == _VALUE and not scope.passed and not (aggregates and not node.args.get("group")):
        raise NotLocal("a dependent subquery that may give several rows is Spark's")
    if role not in (_VALUE, _LATERAL) and grouped:
        raise NotLocal("a dependent subquery with aggregates in IN or EXISTS is Spark's")
    if node.args.get("group") is not None:
        raise NotLocal("a dependent subquery with GROUP BY is Spark's")


def _is_outer_or_semi(join: exp.Join) -> bool:
    """DuckDB takes only inner and left joins apart that depend on the query around."""
    return join.kind in ("SEMI", "ANTI") or join.side in ("RIGHT", "FULL")


def _has(node: exp.Select, *clauses: str) -> bool:
    return any(node.args.get(clause) for clause in clauses)


def _role(node: exp.Select) -> str:
    """What the query is to the one around it."""
    parent = node.parent
    while isinstance(parent, exp.Subquery) and isinstance(parent.parent, exp.Subquery):
        parent = parent.parent
    if isinstance(parent, exp.Exists):
        return _EXISTS
    above = parent.parent if isinstance(parent, exp.Subquery) else None
    if isinstance(above, exp.In):
        return _IN
    if isinstance(above, exp.Lateral):
        return _LATERAL
    return _DERIVED if isinstance(above, exp.From | exp.Join) else _VALUE


def _check_windows(node: exp.Select, scope: Scope) -> None:
    """The numbers of rows, over a derived table that has been filtered: a LIMIT for each row of
    the query around. Both engines count by the outer columns."""
    windows = [w for item in node.expressions for w in parts(item) if isinstance(w, exp.Window)]
    numbers = all(isinstance(window.this, exp.RowNumber) for window in windows)
    if not numbers or scope.borrowed:
        raise NotLocal("window functions in a dependent subquery are Spark's")


def _check_cut(node: exp.Select, scope: Scope, expressions: Expressions) -> None:
    """LIMIT in a lateral join. Where an equality has more than columns of one type, Spark takes the
    LIMIT before the join."""
    where = node.args.get("where")
    if scope.passed or where is None:
        raise NotLocal("LIMIT in a query that depends on another is Spark's")
    for term in _terms(where.this):
        if isinstance(term, exp.EQ | exp.NullSafeEQ | exp.In):
            _check_equality(term, scope, expressions)


def _check_equality(term: Any, scope: Scope, expressions: Expressions) -> None:
    sides = [term.this, term.args.get("expression")]
    scope.sees_outer = True
    plain = all(isinstance(side, exp.Column) for side in sides)
    if not plain or len({expressions.value(side).type for side in sides}) > 1:
        raise NotLocal("LIMIT in a query that depends on another is Spark's")
    scope.sees_outer = False


def _terms(node: Any) -> list[Any]:
    if isinstance(node, exp.Paren):
        return _terms(node.this)
    if isinstance(node, exp.And):
        return _terms(node.this) + _terms(node.expression)
    return [node]
