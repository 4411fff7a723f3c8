"""TRY(x): NULL where x fails.

Neither engine can catch a failure, so each operation inside is written such that it gives NULL
instead (see ``trying``). That means the same only where NULL goes all the way up: not in the
arguments of coalesce, for instance. What is not known to be so is refused.
"""

from __future__ import annotations

from sqe.trino.dialect import nodes
from sqe.trino.dialect.calls import CallSite, is_aggregate, special
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.tree import walk
from sqe.trino.dialect.trying import CAUGHT, inside_try
from sqe.trino.dialect.typed import Typed

_CONSTANTS = (
    nodes.NullLiteral, nodes.BooleanLiteral, nodes.StringLiteral, nodes.BinaryLiteral,
    nodes.LongLiteral, nodes.DecimalLiteral, nodes.DoubleLiteral, nodes.GenericLiteral,
    nodes.IntervalLiteral, nodes.Parameter, nodes.Column, nodes.Dereference,
)  # fmt: skip
# Whose result is NULL if an argument is, and which fail by ``fail`` alone.
_STRICT = (nodes.Arithmetic, nodes.Negative, nodes.Cast, nodes.Comparison, nodes.Subscript)
_STRICT_CALLS = frozenset(
    [
        "bit_count", "chr", "date", "date_parse", "element_at", "from_base", "from_base32",
        "from_base64",
        "from_base64url", "from_hex", "from_iso8601_date", "from_iso8601_timestamp",
        "inverse_normal_cdf", "json_extract", "json_extract_scalar", "json_parse", "mod",
        "normal_cdf", "parse_datetime", "split_part", "to_base", "url_decode", "width_bucket",
    ]
)  # fmt: skip
# What never fails, whatever the arguments are.
_TOTAL = (
    nodes.Logical, nodes.Not, nodes.IsNull, nodes.Between, nodes.InList, nodes.Comparison,
    nodes.Case, nodes.When, nodes.Concat, nodes.ArrayConstructor, nodes.RowConstructor,
    nodes.Identifier,
)  # fmt: skip
_TOTAL_CALLS = frozenset(
    [
        "cardinality", "cbrt", "ceil", "ceiling", "coalesce", "concat", "cos", "date_diff",
        "date_format", "day", "day_of_month", "day_of_week", "day_of_year", "degrees", "dow", "doy",
        "e", "exp", "floor", "greatest", "hour", "if", "infinity", "is_finite", "is_infinite",
        "is_nan", "json_format", "last_day_of_month", "least", "length", "ln", "log10", "log2",
        "lower", "ltrim", "millisecond", "minute", "month", "nan", "nullif", "pi", "power",
        "quarter", "radians", "regexp_count", "regexp_like", "regexp_replace", "replace", "reverse",
        "rtrim", "second", "sign", "sin", "sqrt", "starts_with", "strpos", "substr", "substring",
        "tan", "to_unixtime", "to_utf8", "trim", "upper", "week", "week_of_year", "year",
        "year_of_week",
    ]
)  # fmt: skip
# Whose result may be there although an argument is NULL: an array takes a NULL as an element.
_LENIENT = frozenset(["coalesce", "concat", "if", "nullif"])


@special("try")
def _try(site: CallSite) -> Typed:
    if len(site.node.arguments) != 1:
        message = "The 'try' function must have exactly one argument"
        raise Refused("SYNTAX_ERROR", message, site.node.at)
    (node,) = site.node.arguments
    if not (_passes_null_up(node) or _is_total(node)):
        raise not_supported("TRY of such an expression", node.at)
    with inside_try():
        try:
            return site.argument(0)
        except Refused as error:
            if error.name in CAUGHT:
                raise not_supported("TRY of a constant that is in error", node.at) from None
            raise


def _passes_null_up(node: nodes.Node) -> bool:
    """Whether a NULL in place of a failure makes the whole of it NULL."""
    if isinstance(node, nodes.Case):
        tests = [when.condition for when in node.whens]
        results = [when.result for when in node.whens]
        operands = [part for part in (node.operand, *tests) if part is not None]
        results += [node.default] if node.default is not None else []
        return all(map(_is_total, operands)) and all(map(_passes_or_total, results))
    if isinstance(node, nodes.Call):
        name = node.name[-1].name.lower()
        if name == "if":
            return _is_total(node.arguments[0]) and all(map(_passes_or_total, node.arguments[1:]))
        return (
            name in _STRICT_CALLS | _TOTAL_CALLS - _LENIENT
            and node.window is None
            and all(map(_passes_or_total, node.arguments))
        )
    if isinstance(node, _STRICT):
        return all(_passes_or_total(child) for child in _parts(node))
    return isinstance(node, _CONSTANTS)


def _passes_or_total(node: nodes.Node) -> bool:
    return _passes_null_up(node) or _is_total(node)


def _parts(node: nodes.Node) -> list[nodes.Node]:
    if isinstance(node, nodes.Arithmetic | nodes.Comparison):
        return [node.left, node.right]
    if isinstance(node, nodes.Subscript):
        return [node.value, node.index]
    return [node.value]  # type: ignore[attr-defined]


def _is_total(node: nodes.Node) -> bool:
    """Whether nothing inside can fail. (What an aggregate does happens before the TRY.)"""
    return all(
        isinstance(inner, _CONSTANTS + _TOTAL)
        or is_aggregate(inner)
        or (isinstance(inner, nodes.Call) and inner.name[-1].name.lower() in _TOTAL_CALLS)
        for inner in walk(node, into_queries=True)
    )
