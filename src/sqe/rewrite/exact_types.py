"""The type that Spark gives to an expression, for certain, or none is said.

Whether a barrier is needed depends on it: what is compared with a value of another type is cast,
and casts can fail. So there is nothing here that is true as a rule only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from sqe.errors import SqeError
from sqe.model.types import Member, Plain, Struct, parse_type
from sqe.rewrite.exact import (
    WHOLE,
    TypeOf,
    decimal_type,
    is_date_literal,
    never_overflows,
)

DATE_PARTS = ("YEAR", "QUARTER", "MONTH", "DAY")
_REAL = ("float", "double")
_DataType = exp.DataType.Type
CASTS: dict[Any, str] = {
    _DataType.BOOLEAN: "boolean",
    _DataType.TINYINT: "tinyint",
    _DataType.SMALLINT: "smallint",
    _DataType.INT: "int",
    _DataType.BIGINT: "bigint",
    _DataType.FLOAT: "float",
    _DataType.DOUBLE: "double",
    _DataType.TEXT: "string",
    _DataType.BINARY: "binary",
    _DataType.DATE: "date",
    _DataType.TIMESTAMP: "timestamp",
    _DataType.TIMESTAMPTZ: "timestamp",
    _DataType.TIMESTAMPLTZ: "timestamp",
    _DataType.TIMESTAMPNTZ: "timestamp_ntz",
}
_SAME = (
    exp.Paren, exp.Alias, exp.Max, exp.Min, exp.First, exp.Last, exp.AnyValue, exp.FirstValue,
    exp.LastValue, exp.Window, exp.Filter, exp.Nullif,
)  # fmt: skip
_BOOLEAN = (exp.Predicate, exp.Connector, exp.Not, exp.Boolean, exp.StartsWith, exp.EndsWith)
_INT = (
    exp.RowNumber, exp.Rank, exp.DenseRank, exp.Length, exp.Year, exp.Month, exp.Day,
)  # fmt: skip


def exact_type(node: Any, of: TypeOf) -> str | None:
    """Of all but columns and queries. ``of`` says the types of what is inside it."""
    return next((find(node, of) for kinds, find in _RULES if isinstance(node, kinds)), None)


def literal_type(node: exp.Literal) -> str | None:
    text = str(node.this)
    if node.is_string:
        return "string"
    if text.isdecimal():
        small = "int" if int(text) < 2**31 else "bigint"
        return small if int(text) < 2**63 else f"decimal({len(str(int(text)))},0)"
    if "e" in text.lower():
        return "double"
    whole, _, rest = text.partition(".")
    return f"decimal({max(1, len(whole.lstrip('0')) + len(rest))},{len(rest)})"


def cast_type(node: exp.Cast) -> str | None:
    kind = node.args["to"]
    if kind.this == _DataType.DECIMAL:
        sizes = [int(str(size.this)) for size in kind.expressions] or [10]
        return f"decimal({sizes[0]},{sizes[1] if len(sizes) > 1 else 0})"
    return CASTS.get(kind.this) if kind.args.get("collate") is None else None


def try_parse_type(kind: str | None) -> Any:
    try:
        return parse_type(kind) if kind else None
    except SqeError:
        return None


def _number(node: Any, of: TypeOf) -> str | None:
    """Of a sum, difference or product. Decimals have a type only if every result fits it."""
    if is_date_literal(node.this):
        return "date" if never_overflows(node, of) else None
    kinds = of(node.this), of(node.expression)
    names = {str(kind).partition("(")[0] for kind in kinds}
    if names - {*WHOLE, *_REAL, "decimal"}:
        return None
    if names & set(_REAL):
        return "float" if names == {"float"} else "double"
    return decimal_type(node, of) if "decimal" in names else max(kinds, key=_width)


def _width(kind: str | None) -> int:
    return WHOLE[str(kind)]


def _remainder(node: exp.Mod, of: TypeOf) -> str | None:
    kinds = of(node.this), of(node.expression)
    return None if set(kinds) - WHOLE.keys() else max(kinds, key=_width)


def _sum(node: exp.Sum, of: TypeOf) -> str | None:
    kind = try_parse_type(of(node.this))
    if not isinstance(kind, Plain):
        return None
    if kind.name == "decimal":
        return f"decimal({min(38, kind.precision + 10)},{kind.scale})"
    return "double" if kind.name in _REAL else "bigint" if kind.name in WHOLE else None


def _average(node: exp.Avg, of: TypeOf) -> str | None:
    kind = try_parse_type(of(node.this))
    if not isinstance(kind, Plain):
        return None
    if kind.name == "decimal":
        fits = kind.precision + 4 <= 38
        return f"decimal({kind.precision + 4},{kind.scale + 4})" if fits else None
    return "double" if kind.name in (*_REAL, *WHOLE) else None


def _text(node: Any, of: TypeOf) -> str | None:
    """Of a part of a text, or several together: binary values have them as well."""
    operands = [node.this, *node.expressions]
    return (
        "string"
        if all(of(operand) == "string" for operand in operands if operand is not None)
        else None
    )


def _type_of_texts(node: exp.DPipe, of: TypeOf) -> str | None:
    sides = of(node.this), of(node.expression)
    return "string" if sides == ("string", "string") else None


def _struct(node: exp.Struct, of: TypeOf) -> str | None:
    members = []
    for part in node.expressions:
        kind = try_parse_type(of(part.expression)) if isinstance(part, exp.PropertyEQ) else None
        if kind is None:
            return None
        members.append(Member(part.this.name, kind))
    return str(Struct(tuple(members)))


def _choice(node: Any, of: TypeOf) -> str | None:
    """What all that may come out of it are, if they are the same."""
    branches = [choice for choice in choices(node) if not isinstance(choice, exp.Null)]
    kinds = {of(kind) for kind in branches}
    return kinds.pop() if len(kinds) == 1 else None


def choices(node: Any) -> list[Any]:
    """All that may come out of a CASE, an if, a coalesce, or a function like it."""
    if isinstance(node, exp.Case):
        branches = [branch.args.get("true") for branch in node.args["ifs"]]
        branches.append(node.args.get("default"))
    elif isinstance(node, exp.If):
        branches = [node.args.get("true"), node.args.get("false")]
    else:
        branches = [node.this, *node.expressions]
    return [choice for choice in branches if choice is not None]


def _type_of_extract(node: exp.Extract, of: TypeOf) -> str | None:
    return "int" if node.name.upper() in DATE_PARTS else None


_RULES: tuple[tuple[Any, Callable[[Any, TypeOf], str | None]], ...] = (
    (_SAME, lambda node, of: of(node.this)),
    (exp.Literal, lambda node, of: literal_type(node)),
    (exp.Cast, lambda node, of: cast_type(node)),
    (_BOOLEAN, lambda node, of: "boolean"),
    (_INT, lambda node, of: "int"),
    (exp.Count, lambda node, of: "bigint"),
    ((exp.Upper, exp.Lower, exp.Trim), lambda node, of: "string"),
    ((exp.Concat, exp.Substring, exp.Left, exp.Right), _text),
    (exp.DPipe, _type_of_texts),
    (exp.Struct, _struct),
    (exp.ArrayContains, lambda node, of: "boolean"),
    (exp.ArraySize, lambda node, of: "int"),
    (exp.TsOrDsToDate, lambda node, of: "date"),
    (exp.Extract, _type_of_extract),
    ((exp.Add, exp.Sub, exp.Mul), _number),
    (exp.Mod, _remainder),
    (exp.Sum, _sum),
    (exp.Avg, _average),
    ((exp.Case, exp.If, exp.Coalesce), _choice),
)
