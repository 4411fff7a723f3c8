"""The types that fit a statement's markers, from what stands around them.

A client encodes its values by them, so they are the types of what a marker meets: the column it is
compared with, the column it is written to. A value of another type is accepted all the same, and
where nothing tells, text fits everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from sqe.rewrite.expression_types import Types, element_type
from sqe.rewrite.guarded import GuardedStatement

_TEXT = "string"
_COUNTS = (exp.Limit, exp.Offset, exp.Fetch)
_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_NUMBERS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod)
_TEXTS = (exp.Like, exp.ILike, exp.RegexpLike, exp.Escape, exp.DPipe, exp.Concat)
_LOGICAL = (exp.And, exp.Or, exp.Not, exp.Where, exp.Having, exp.Filter, exp.Qualify)
_ALIKE = (exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least, exp.Array, exp.Case)
# Arguments of functions for which Spark takes an int and nothing wider.
_INTS: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Substring: ("start", "length"),
    exp.TsOrDsAdd: ("expression",),
    exp.AddMonths: ("expression",),
    exp.TimestampAdd: ("expression",),
    exp.Left: ("expression",),
    exp.Right: ("expression",),
    exp.Repeat: ("times",),
    exp.Round: ("decimals",),
    exp.Pad: ("expression",),
    exp.Ntile: ("this",),
    exp.Lag: ("offset",),
    exp.Lead: ("offset",),
    exp.NthValue: ("offset",),
    exp.RegexpExtract: ("group",),
    exp.WindowSpec: ("start", "end"),
}


def takes_an_int(node: Any) -> bool:
    """Whether Spark takes no number but an int where the marker stands."""
    parent = node.parent
    if isinstance(parent, exp.Mul) and isinstance(parent.parent, exp.TsOrDsAdd):
        return True  # date_sub, as its tree has it
    return isinstance(parent, _COUNTS) or node.arg_key in _INTS.get(type(parent), ())


def marker_types(guarded: GuardedStatement, nodes: Sequence[Any]) -> list[str]:
    """One type for each marker, in Spark's spelling."""
    types = Types(guarded)
    return [_type_of_marker(types, node) or _TEXT for node in nodes]


def _type_of_marker(types: Types, node: Any) -> str | None:
    if takes_an_int(node):
        return "int"
    parent = node.parent
    while isinstance(parent, exp.Paren | exp.Neg):
        node, parent = parent, parent.parent
    for kinds, find in _CONTEXTS:
        if isinstance(parent, kinds):
            return find(types, parent, node)
    return None


def _beside(types: Types, parent: Any, node: Any) -> str | None:
    """Of the first of the others that has one."""
    for child in parent.iter_expressions():
        if child is not node:
            kind = types.of(child)
            if kind is not None:
                return kind
    return None


def _type_of_comparison(types: Types, parent: Any, node: Any) -> str | None:
    if isinstance(node, exp.Tuple):
        return None
    other = parent.expression if node is parent.this else parent.this
    return types.of(other.expressions[0] if isinstance(other, exp.Tuple) else other)


def _within(types: Types, parent: exp.In, node: Any) -> str | None:
    query = parent.args.get("query")
    if node is parent.this and query is not None:
        return types.of(query)
    return _beside(types, parent, node)


def _number(types: Types, parent: Any, node: Any) -> str | None:
    kind = _beside(types, parent, node)
    if kind == "date":
        return "int"
    if kind in ("timestamp", "timestamp_ntz"):
        return "interval day to second"
    return kind or _type_of_marker(types, parent)


def _type_of_sibling(types: Types, parent: Any, node: Any) -> str | None:
    return _beside(types, parent, node) or _type_of_marker(types, parent)


def _branch(types: Types, parent: exp.If, node: Any) -> str | None:
    """A branch of CASE or IF: like the other branches."""
    if node is parent.this:
        subject = parent.parent.this if isinstance(parent.parent, exp.Case) else None
        return types.of(subject) if subject is not None else "boolean"
    whole = parent.parent if isinstance(parent.parent, exp.Case) else parent
    return types.of(whole) or _type_of_marker(types, whole)


def _type_of_list_item(types: Types, parent: exp.Tuple, node: Any) -> str | None:
    """A row of VALUES, of an INSERT, or one compared with another row."""
    index, above = node.index, parent.parent
    if isinstance(above, exp.Values):
        return _row(types, above, index)
    if isinstance(above, exp.Insert):
        return types.type_of_insert_column(above, index)
    if isinstance(above, _COMPARED):
        other = above.this if above.expression is parent else above.expression
        return types.of(other.expressions[index]) if isinstance(other, exp.Tuple) else None
    if isinstance(above, exp.In) and isinstance(above.this, exp.Tuple):
        return types.of(above.this.expressions[index])
    return None


def _row(types: Types, values: exp.Values, index: int) -> str | None:
    statement = values.find_ancestor(exp.Insert)
    if statement is not None and types.is_source(statement, values):
        return types.type_of_insert_column(statement, index)
    return types.of_column(values, index)


def _item(types: Types, select: exp.Select, node: Any) -> str | None:
    """An item of a select list: the column it is written to, or what it is combined with."""
    index = node.index
    query: Any = select
    if node.arg_key != "expressions":
        return None
    while isinstance(query.parent, exp.SetOperation):
        query = query.parent
        kind = types.of_column(query, index)
        if kind is not None:
            return kind
    above = query.parent
    if isinstance(above, exp.Insert) and types.is_source(above, query):
        return types.type_of_insert_column(above, index)
    return _type_of_marker(types, above) if isinstance(above, exp.Subquery) else None


def _always(kind: str) -> Callable[[Types, Any, Any], str | None]:
    return lambda types, parent, node: kind


_CONTEXTS: tuple[tuple[Any, Callable[[Types, Any, Any], str | None]], ...] = (
    (_COMPARED, _type_of_comparison),
    (exp.Between, _beside),
    (exp.In, _within),
    (_TEXTS, _always(_TEXT)),
    (_NUMBERS, _number),
    (_LOGICAL, _always("boolean")),
    (exp.Cast, lambda types, parent, node: types.of(parent)),
    (exp.If, _branch),
    (_ALIKE, _type_of_sibling),
    (exp.Tuple, _type_of_list_item),
    (exp.Alias, lambda types, parent, node: _in_list(types, parent)),
    (exp.Select, _item),
    (exp.Values, lambda types, parent, node: _row(types, parent, 0)),
    (exp.ArrayContains, lambda types, parent, node: element_type(types.of(parent.this))),
    (exp.Bracket, lambda types, parent, node: "int"),
    (exp.Pow, _always("double")),
)


def _in_list(types: Types, alias: exp.Alias) -> str | None:
    return _item(types, alias.parent, alias) if isinstance(alias.parent, exp.Select) else None
