"""Aggregates, as such and over windows, and the window's own functions."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sqe.engines.local.compile import proven
from sqe.engines.local.compile.compiling import Compiling, function_name
from sqe.engines.local.compile.literals import null
from sqe.engines.local.compile.value import (
    Value,
    any_nullable,
    format_list_name,
    format_name,
    key_of,
    make_value,
    need_equatable,
    sort_key_of,
)
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import BIGINT, DOUBLE, INT, TINYINT, common_type

# Ranks: what DuckDB writes, and the name and type that Spark gives.
RANKS: dict[Any, tuple[str, str]] = {
    exp.RowNumber: ("row_number", "row_number()"),
    exp.Rank: ("rank", "RANK()"),
    exp.DenseRank: ("dense_rank", "DENSE_RANK()"),
    exp.PercentRank: ("percent_rank", "PERCENT_RANK()"),
    exp.CumeDist: ("cume_dist", "cume_dist()"),
}
_ROWS_TO_HERE = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
_RANGE_TO_HERE = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
_ALL_ROWS = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


def aggregate(here: Compiling, node: Any) -> Value:
    return _aggregate(here, node, "")


def compile_filter(here: Compiling, node: exp.Filter) -> Value:
    condition = here.condition(node.expression.this)
    if condition.aggregate:
        raise NotLocal("an aggregate inside FILTER")
    value = _aggregate(here, node.this, f" FILTER (WHERE {condition.sql})")
    name = format_name("{} FILTER (WHERE {})", value, condition)
    return Value(value.sql, value.type, name, value.nullable, aggregate=True)


def _aggregate(here: Compiling, node: Any, after: str) -> Value:
    """``after`` is what stands behind the call in the SQL text."""
    over = " OVER (" in after
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Star):
        return Value(f"count(*){after}", BIGINT, "count(1)", False, aggregate=not over)
    name = function_name(here, node)
    entry = proven.AGGREGATES.get(name)
    if entry is None:
        raise NotLocal(f"{name} is not on the local engine's list")
    arguments, distinct = _arguments(node, name)
    values = [here.value(argument) for argument in arguments]
    if any(value.aggregate for value in values) and not over:
        raise NotLocal("an aggregate of an aggregate")
    value = values[0] if len(values) == 1 else _together(values, name)
    if distinct and value.type.is_float and name not in ("min", "max", "count"):
        raise NotLocal("distinct doubles are Spark's")
    if distinct:
        need_equatable(value.type, f"{name}(DISTINCT …) of")
    if distinct and over:
        raise NotLocal("DISTINCT over a window is Spark's")
    sql, kind, nullable = entry.write(value, distinct, after)
    shown = "collect_list" if name == "array_agg" else name
    title = format_list_name(f"{shown}({distinct}{{}})", values)
    inside = any(value.aggregate for value in values)
    return Value(sql, kind, title, nullable, aggregate=not over or inside)


def _arguments(node: Any, name: str) -> tuple[list[Any], str]:
    if isinstance(node, exp.Any):
        return [node.this.unnest()], ""
    if isinstance(node, exp.Anonymous):
        arguments = list(node.expressions)
    else:
        arguments = [node.this, *(node.args.get("expressions") or ())]
    distinct = ""
    if len(arguments) == 1 and isinstance(arguments[0], exp.Distinct):
        arguments, distinct = list(arguments[0].expressions), "DISTINCT "
    if len(arguments) != 1 and name != "count":
        raise NotLocal(f"{name} of several columns is Spark's")
    if not arguments or any(isinstance(argument, exp.Star | None) for argument in arguments):
        raise NotLocal(f"{name} of this is Spark's")
    return arguments, distinct


def _together(values: list[Value], name: str) -> Value:
    """Several columns as one, for count: NULL if one of them is."""
    if not all(value.type.is_plain and not value.type.is_float for value in values):
        raise NotLocal("counting such values together is Spark's")
    some = " OR ".join(f"{value.sql} IS NULL" for value in values)
    row = ", ".join(value.sql for value in values)
    return make_value(f"CASE WHEN {some} THEN NULL ELSE row({row}) END", INT, "", *values)


def any_of(here: Compiling, node: exp.Any) -> Value:
    if not isinstance(node.this, exp.Paren):
        raise NotLocal("ANY over a query is Spark's")
    return _aggregate(here, node, "")


def grouping(here: Compiling, node: Any) -> Value:
    arguments = node.expressions or [node.this]
    if len(arguments) != 1:
        raise NotLocal("grouping of several columns is Spark's")
    value = here.value(arguments[0])
    if value.literal is not None:
        raise NotLocal("grouping of a constant is Spark's")
    sql = f"CAST(GROUPING({key_of(value)}) AS TINYINT)"
    return Value(sql, TINYINT, format_name("grouping({})", value), False, aggregate=True)


def window(here: Compiling, node: exp.Window) -> Value:
    inner = node.this
    if type(inner) in RANKS:
        return _rank(here, node, *RANKS[type(inner)])
    if isinstance(inner, exp.Ntile):
        return _ntile(here, node)
    if isinstance(inner, exp.Lag | exp.Lead):
        return _neighbour(here, node)
    over, title = _over(here, node)
    bare = inner.this if isinstance(inner, exp.IgnoreNulls) else inner
    if isinstance(bare, exp.FirstValue | exp.LastValue):
        return _edge(here, bare, over, title, ignores=bare is not inner)
    if isinstance(inner, exp.NthValue):
        return _nth(here, inner, over)
    if isinstance(inner, exp.Filter):
        condition = here.condition(inner.expression.this)
        value = _aggregate(here, inner.this, f" FILTER (WHERE {condition.sql}){over}")
        name = format_name(f"{{}} FILTER (WHERE {{}}) {title}", value, condition) if title else ""
        return Value(value.sql, value.type, name, value.nullable, aggregate=value.aggregate)
    value = _aggregate(here, inner, over)
    name = format_name(f"{{}} {title}", value) if title else ""
    return Value(value.sql, value.type, name, value.nullable, aggregate=value.aggregate)


def _rank(here: Compiling, node: exp.Window, function: str, shown_as: str) -> Value:
    if node.args.get("order") is None or node.args.get("spec") is not None:
        raise NotLocal(f"{function} over such a window is Spark's")
    frame = _RANGE_TO_HERE if function == "cume_dist" else _ROWS_TO_HERE
    over, title = _over(here, node, frame)
    kind = DOUBLE if function in ("percent_rank", "cume_dist") else INT
    name = f"{shown_as} {title}" if title else ""
    return Value(f"CAST({function}(){over} AS {kind.duckdb})", kind, name, False)


def _ntile(here: Compiling, node: exp.Window) -> Value:
    buckets = here.value(node.this.this)
    if not isinstance(buckets.literal, int) or buckets.literal < 1 or not node.args.get("order"):
        raise NotLocal("ntile of a computed number is Spark's")
    over, title = _over(here, node, _ROWS_TO_HERE)
    name = format_name(f"ntile({{}}) {title}", buckets) if title else ""
    return Value(f"CAST(ntile({buckets.literal}){over} AS INTEGER)", INT, name, False)


def _neighbour(here: Compiling, node: exp.Window) -> Value:
    """lag and lead by a literal number of rows."""
    inner = node.this
    function = "lag" if isinstance(inner, exp.Lag) else "lead"
    value = here.value(inner.this)
    offset = inner.args.get("offset")
    by = here.value(offset).literal if offset is not None else 1
    default = inner.args.get("default")
    other = here.value(default) if default is not None else null()
    if not isinstance(by, int) or by < 0 or node.args.get("order") is None:
        raise NotLocal(f"{function} by a computed number is Spark's")
    if node.args.get("spec") is not None or common_type(value.type, other.type) != value.type:
        raise NotLocal(f"this {function} is Spark's")
    away = -by if function == "lag" else by
    over, title = _over(here, node, f"ROWS BETWEEN {away} FOLLOWING AND {away} FOLLOWING")
    name = format_name(f"{function}({{}}, {by}, {{}}) {title}", value, other) if title else ""
    sql = f"{function}({value.sql}, {by}, {other.cast(value.type)}){over}"
    nullable = any_nullable(value, other)
    return Value(sql, value.type, name, nullable, aggregate=value.aggregate)


def _nth(here: Compiling, inner: exp.NthValue, over: str) -> Value:
    value, place = here.value(inner.this), here.value(inner.args["offset"]).literal
    if not isinstance(place, int) or isinstance(place, bool) or place < 1:
        raise NotLocal("nth_value by a computed number is Spark's")
    sql = f"nth_value({value.sql}, {place}){over}"
    return Value(sql, value.type, "", aggregate=value.aggregate)


def _edge(here: Compiling, inner: Any, over: str, title: str, *, ignores: bool) -> Value:
    function = "first_value" if isinstance(inner, exp.FirstValue) else "last_value"
    if function_name(here, inner) != function:
        raise NotLocal(f"{function_name(here, inner)} is not on the local engine's list")
    value = here.value(inner.this)
    name = format_name(f"{function}({{}}) {title}", value) if title and not ignores else ""
    words = " IGNORE NULLS" if ignores else ""
    sql = f"{function}({value.sql}{words}){over}"
    return Value(sql, value.type, name, aggregate=value.aggregate)


def _over(here: Compiling, node: exp.Window, frame: str = "") -> tuple[str, str]:
    """OVER (…) for DuckDB, and as Spark shows it in names. ``frame``: shown, but not written."""
    if node.args.get("alias") or node.args.get("first") is False:
        raise NotLocal("a named window is Spark's")
    parts: list[str] = []
    names: list[str] = []
    keys = [here.value(key) for key in node.args.get("partition_by") or ()]
    if keys:
        parts.append("PARTITION BY " + ", ".join(key_of(key) for key in keys))
        names.append(format_list_name("PARTITION BY {}", keys))
    order = node.args.get("order")
    if order is not None:
        items = [_sort_key(here, item) for item in order.expressions]
        parts.append("ORDER BY " + ", ".join(sql for sql, _ in items))
        certain = all(name for _, name in items)
        names.append("ORDER BY " + ", ".join(name for _, name in items) if certain else "")
    spec = node.args.get("spec")
    if spec is not None:
        parts.append(_frame(spec))
        names.append(parts[-1])
    else:
        names.append(frame or (_RANGE_TO_HERE if order is not None else _ALL_ROWS))
    title = f"OVER ({' '.join(names)})" if all(names) else ""
    return f" OVER ({' '.join(parts)})", title


def _sort_key(here: Compiling, node: Any) -> tuple[str, str]:
    value = here.value(node.this if isinstance(node, exp.Ordered) else node)
    return order_key(sort_key_of(value), node), order_key(value.name, node) if value.name else ""


def order_key(sql: str, node: Any) -> str:
    """A sort key with Spark's default place of NULLs: first ascending, last descending."""
    descending = isinstance(node, exp.Ordered) and bool(node.args.get("desc"))
    first = not descending
    if isinstance(node, exp.Ordered) and node.args.get("nulls_first") is not None:
        first = bool(node.args["nulls_first"])
    direction = "DESC" if descending else "ASC"
    return f"{sql} {direction} NULLS {'FIRST' if first else 'LAST'}"


def _frame(spec: exp.WindowSpec) -> str:
    kind = str(spec.args.get("kind") or "").upper()
    sides = []
    for side in ("start", "end"):
        bound, direction = spec.args.get(side), spec.args.get(f"{side}_side") or ""
        if isinstance(bound, exp.Expr):
            if not isinstance(bound, exp.Literal) or bound.is_string or kind != "ROWS":
                raise NotLocal("this window frame is Spark's")
            bound = bound.this
        elif bound is None:
            bound = "CURRENT ROW"  # the end of a frame that only says where it starts
        sides.append(f"{bound} {direction}".strip().upper())
    if kind not in ("ROWS", "RANGE") or spec.args.get("exclude"):
        raise NotLocal("this window frame is Spark's")
    return f"{kind} BETWEEN {sides[0]} AND {sides[1]}"
