"""No value of a proven query changes its type on the way.

Spark and DuckDB convert between strings, numbers and booleans differently, so neither may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

from sqe.engines.local.plan import NotLocal

_FAMILIES = {
    exp.DType.TEXT: "string",
    exp.DType.VARCHAR: "string",
    exp.DType.INT: "integer",
    exp.DType.BIGINT: "integer",
    exp.DType.BOOLEAN: "boolean",
    exp.DType.DOUBLE: "double",
    exp.DType.NULL: "null",
}


def check_types(tree: exp.Expr) -> None:
    """``tree`` is qualified and annotated."""
    for node in tree.walk():
        check = _CHECKS.get(type(node))
        if check is not None:
            check(node)


def _comparison(node: exp.Expr) -> None:
    _same(node.this, node.expression)


def _between(node: exp.Expr) -> None:
    _same(node.this, node.args["low"], node.args["high"])


def _in(node: exp.Expr) -> None:
    query = node.args.get("query")
    _same(node.this, *(query.this.selects[:1] if query else node.expressions))


def _coalesce(node: exp.Expr) -> None:
    _same(node.this, *node.expressions)


def _if(node: exp.Expr) -> None:
    if not isinstance(node.parent, exp.Case):
        _same(*(node.args[key] for key in ("true", "false") if node.args.get(key)))


def _arithmetic(node: exp.Expr) -> None:
    _of("integer", node.this, node.expression)


def _of_integer(node: exp.Expr) -> None:
    _of("integer", _argument(node))


def _of_string(node: exp.Expr) -> None:
    _of("string", node.this)


def _strings(node: exp.Expr) -> None:
    _of("string", node.this, node.expression)


def _concat(node: exp.Expr) -> None:
    _of("string", *node.expressions)


def _argument(node: exp.Expr) -> exp.Expr:
    this: exp.Expr = node.this
    return this.expressions[0] if isinstance(this, exp.Distinct) else this


def _case(node: exp.Expr) -> None:
    branches = node.args["ifs"]
    default = node.args.get("default")
    _same(*(branch.args["true"] for branch in branches), *([default] if default else []))
    if node.this:
        _same(node.this, *(branch.this for branch in branches))


def _set(node: exp.Expr) -> None:
    left, right = node.this.selects, node.expression.selects
    if len(left) != len(right):
        raise NotLocal("a set operation of unequal widths")
    for one, other in zip(left, right, strict=True):
        _same(one, other)


def _cast(node: exp.Expr) -> None:
    """Only casts that cannot fail."""
    source, target = family(node.this), node.args["to"].this
    if target in (exp.DType.TEXT, exp.DType.VARCHAR) and source != "double":
        return
    if target is exp.DType.BIGINT and source == "integer":
        return
    raise NotLocal("a cast that may fail")


def family(node: exp.Expr) -> str:
    kind = node.type.this if node.type is not None else None
    found = _FAMILIES.get(kind) if isinstance(kind, exp.DType) else None
    if found is None:
        raise NotLocal(f"the type of {node.key} is not known")
    return found


def _same(*nodes: exp.Expr) -> None:
    if len(_without_null(nodes)) > 1:
        raise NotLocal("values of different types meet")


def _of(wanted: str, *nodes: exp.Expr) -> None:
    if not _without_null(nodes) <= {wanted}:
        raise NotLocal(f"an argument is not a {wanted}")


def _without_null(nodes: Iterable[exp.Expr]) -> set[str]:
    return {family(node) for node in nodes} - {"null"}


_CHECKS: dict[type[exp.Expr], Callable[[exp.Expr], None]] = {
    **dict.fromkeys(
        (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ), _comparison
    ),
    **dict.fromkeys((exp.Union, exp.Intersect, exp.Except), _set),
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul), _arithmetic),
    **dict.fromkeys((exp.Neg, exp.Sum, exp.Avg), _of_integer),
    **dict.fromkeys((exp.Upper, exp.Lower, exp.Length, exp.Substring), _of_string),
    **dict.fromkeys((exp.Like, exp.ILike, exp.DPipe), _strings),
    **dict.fromkeys((exp.Cast, exp.TryCast), _cast),
    exp.Between: _between,
    exp.In: _in,
    exp.Coalesce: _coalesce,
    exp.Case: _case,
    exp.If: _if,
    exp.Concat: _concat,
}
