"""Which queries mean the same to DuckDB as to Spark. Everything else is NotLocal.

The list is short on purpose: strings, integers and booleans, joins, sets, groups, and the few
functions people use on metadata. Decimals, dates, regular expressions and windows are not on it.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqe.engines.local.plan import NotLocal

_NODES: frozenset[type[exp.Expr]] = frozenset(
    {
        exp.Select, exp.From, exp.Join, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered,
        exp.Limit, exp.Offset, exp.Distinct, exp.Subquery, exp.With, exp.CTE, exp.TableAlias,
        exp.Table, exp.Union, exp.Intersect, exp.Except, exp.Alias, exp.Column, exp.Identifier,
        exp.Star, exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.And, exp.Or, exp.Not, exp.EQ,
        exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.Is, exp.In, exp.Between,
        exp.Like, exp.ILike, exp.Exists, exp.Count, exp.Sum, exp.Min, exp.Max, exp.Avg, exp.Upper,
        exp.Lower, exp.Length, exp.Concat, exp.DPipe, exp.Coalesce, exp.Case, exp.If, exp.TryCast,
        exp.Cast, exp.DataType, exp.Substring, exp.Add, exp.Sub, exp.Mul, exp.Neg,
    }
)  # fmt: skip

# Arguments that may be set. Others (samples, pivots, hints, time travel, …) change the meaning.
_ARGUMENTS: dict[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset(
        {
            "expressions", "from_", "joins", "where", "group", "having", "order", "limit",
            "offset", "distinct", "with_",
        }
    ),
    exp.Table: frozenset({"this", "db", "catalog", "alias"}),
    exp.Join: frozenset({"this", "on", "using", "side", "kind"}),
    exp.Group: frozenset({"expressions"}),
    exp.With: frozenset({"expressions"}),
    exp.CTE: frozenset({"this", "alias"}),
    exp.Subquery: frozenset({"this", "alias", "with_", "order", "limit", "offset"}),
    exp.Star: frozenset(),
    exp.Distinct: frozenset({"expressions"}),
    exp.Count: frozenset({"this", "big_int"}),
    exp.Ordered: frozenset({"this", "desc", "nulls_first"}),
    exp.Limit: frozenset({"expression"}),
    exp.Like: frozenset({"this", "expression", "negate"}),
    exp.ILike: frozenset({"this", "expression", "negate"}),
    exp.In: frozenset({"this", "expressions", "query"}),
    exp.Min: frozenset({"this"}),
    exp.Max: frozenset({"this"}),
}  # fmt: skip


def check_shape(tree: exp.Expr) -> None:
    """Every node and every argument must be on the list."""
    for node in tree.walk():
        kind = type(node)
        if kind not in _NODES:
            raise NotLocal(f"{node.key} is not on the list")
        allowed = _ARGUMENTS.get(kind)
        if allowed is not None:
            odd = [key for key, value in node.args.items() if value and key not in allowed]
            if odd:
                raise NotLocal(f"{odd[0]} of {node.key} is not on the list")
        check = _CHECKS.get(kind)
        if check is not None:
            check(node)
    if tree.find(exp.Star) and any(join.args.get("using") for join in tree.find_all(exp.Join)):
        raise NotLocal("the two engines order the columns of a join with USING differently")


def like_pieces(pattern: str) -> list[tuple[str, bool]]:
    """The characters of a LIKE pattern, each with True where it is a wildcard."""
    pieces: list[tuple[str, bool]] = []
    chars = iter(pattern)
    for char in chars:
        if char == "\\":
            char = next(chars, "")
            if char not in ("%", "_", "\\") or not char:
                raise NotLocal("an escape that Spark refuses")
            pieces.append((char, False))
        else:
            pieces.append((char, char in "%_"))
    return pieces


def _literal(node: exp.Expr) -> None:
    if not node.is_string and not node.name.isdigit():
        raise NotLocal("only whole numbers are on the list")


def _null(node: exp.Expr) -> None:
    if isinstance(node.parent, exp.Select | exp.Alias):
        raise NotLocal("a column of nothing but NULL has no type here")


def _concat(node: exp.Expr) -> None:
    # sqlglot reads 'it''s', which is one literal to Spark, as two.
    if all(isinstance(part, exp.Literal) for part in node.expressions):
        raise NotLocal("neighbouring string literals")


def _like(node: exp.Expr) -> None:
    if not isinstance(node.expression, exp.Literal):
        raise NotLocal("the pattern of LIKE must be a literal")
    like_pieces(node.expression.name)


def _join(node: exp.Expr) -> None:
    if node.args.get("using") and node.args.get("side") in ("RIGHT", "FULL"):
        raise NotLocal("an outer join with USING")


def _limit(node: exp.Expr) -> None:
    if not isinstance(node.expression, exp.Literal):
        raise NotLocal("LIMIT and OFFSET must be numbers")


def _substring(node: exp.Expr) -> None:
    """Positions below 1 mean different things."""
    for key in ("start", "length"):
        part = node.args.get(key)
        if part is not None and not (isinstance(part, exp.Literal) and part.name.strip("0")):
            raise NotLocal("substring with a computed position")


def _distinct(node: exp.Expr) -> None:
    if len(node.expressions) > 1:
        raise NotLocal("an aggregate of several distinct columns")


def _average(node: exp.Expr) -> None:
    """Its double must not meet anything else: the engines print doubles differently."""
    select = node.parent_select
    outermost = select is not None and select.parent is None
    if not outermost or not isinstance(node.parent, exp.Select | exp.Alias):
        raise NotLocal("avg anywhere but in the outermost select list")


_CHECKS: dict[type[exp.Expr], Callable[[exp.Expr], None]] = {
    exp.Literal: _literal,
    exp.Null: _null,
    exp.Concat: _concat,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Join: _join,
    exp.Limit: _limit,
    exp.Offset: _limit,
    exp.Substring: _substring,
    exp.Distinct: _distinct,
    exp.Avg: _average,
}
