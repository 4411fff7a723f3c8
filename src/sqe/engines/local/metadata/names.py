"""The names Spark gives to columns without an alias: ``count(1)``, ``upper(table_name)``."""

from __future__ import annotations

import re

from sqlglot import exp

from sqe.engines.local.plan import NotLocal

# Spark prints a function under the name the user called it by; the tree knows only one of them.
_OTHER_SPELLINGS = re.compile(
    r"\b(ucase|lcase|char_length|character_length|len|nvl|ifnull|substr|mean|iff)\b", re.IGNORECASE
)
_SIGNS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=", exp.NullSafeEQ: "<=>",
    exp.And: "AND", exp.Or: "OR", exp.Add: "+", exp.Sub: "-", exp.Mul: "*",
}  # fmt: skip
_FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.Count: "count", exp.Sum: "sum", exp.Min: "min", exp.Max: "max", exp.Avg: "avg",
    exp.Upper: "upper", exp.Lower: "lower", exp.Length: "length",
}  # fmt: skip


def name_projections(tree: exp.Expr, text: str) -> None:
    """Gives every unnamed column of a visible select list the name Spark would give it."""
    for select in list(tree.find_all(exp.Select)):
        if not _is_visible(select):
            continue
        named = []
        for projection in select.expressions:
            if isinstance(projection, exp.Alias) or projection.is_star:
                named.append(projection)
                continue
            if not isinstance(projection, exp.Column) and _OTHER_SPELLINGS.search(text):
                raise NotLocal("a function whose spelling is not known")
            name = projection.name if isinstance(projection, exp.Column) else pretty(projection)
            named.append(exp.alias_(projection, name, quoted=True, copy=False))
        select.set("expressions", named)


def _is_visible(select: exp.Select) -> bool:
    """Whether anyone can see the names: not so in EXISTS, IN and scalar subqueries."""
    node: exp.Expr = select
    while isinstance(node.parent, exp.SetOperation | exp.Subquery):
        node = node.parent
    return node.parent is None or isinstance(node.parent, exp.From | exp.Join | exp.CTE)


def pretty(node: exp.Expr) -> str:
    """An expression as Spark prints it in a column's name."""
    kind = type(node)
    if kind in _SIGNS:
        return f"({pretty(node.this)} {_SIGNS[kind]} {pretty(node.expression)})"
    if kind in _FUNCTIONS:
        return f"{_FUNCTIONS[kind]}({_argument(node.this)})"
    if isinstance(node, exp.Paren):
        return pretty(node.this)
    if isinstance(node, exp.NEQ):
        return f"(NOT ({pretty(node.this)} = {pretty(node.expression)}))"
    if isinstance(node, exp.Column | exp.Literal):
        return node.name
    if isinstance(node, exp.Boolean):
        return "true" if node.this else "false"
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return f"-{node.this.name}"
    return _pretty_call(node) or _pretty_predicate(node)


def _pretty_call(node: exp.Expr) -> str | None:
    if isinstance(node, exp.DPipe):
        return f"concat({pretty(node.this)}, {pretty(node.expression)})"
    if isinstance(node, exp.Concat):
        return f"concat({', '.join(map(pretty, node.expressions))})"
    if isinstance(node, exp.Coalesce):
        return f"coalesce({', '.join(map(pretty, [node.this, *node.expressions]))})"
    return None


def _argument(node: exp.Expr) -> str:
    if isinstance(node, exp.Star):
        return "1"
    if isinstance(node, exp.Distinct):
        return f"DISTINCT {pretty(node.expressions[0])}"
    return pretty(node)


def _pretty_predicate(node: exp.Expr) -> str:
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return f"({pretty(node.this)} IS NULL)"
    if isinstance(node, exp.Not):
        inner = node.this
        if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
            return f"({pretty(inner.this)} IS NOT NULL)"
        return f"(NOT {pretty(inner)})"
    if isinstance(node, exp.Like):
        text = f"{pretty(node.this)} LIKE {pretty(node.expression)}"
        return f"(NOT {text})" if node.args.get("negate") else text
    if isinstance(node, exp.In) and not node.args.get("query"):
        return f"({pretty(node.this)} IN ({', '.join(map(pretty, node.expressions))}))"
    if isinstance(node, exp.Between):
        return f"between({', '.join(pretty(node.args[k]) for k in ('this', 'low', 'high'))})"
    if isinstance(node, exp.Case) and not node.this:
        branches = [
            f"WHEN {pretty(b.this)} THEN {pretty(b.args['true'])}" for b in node.args["ifs"]
        ]
        default = node.args.get("default")
        otherwise = [f"ELSE {pretty(default)}"] if default else []
        return " ".join(["CASE", *branches, *otherwise, "END"])
    raise NotLocal(f"Spark's name for {node.key} is not known")
