"""OVER (…) and sort orders. Trino puts NULLs last in both directions; Spark's text says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.model.trino_types import DATE, DAY_SECOND, INTEGERS, YEAR_MONTH, TrinoType
from sqe.trino.dialect import nodes
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.scope import Scope

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer

FLOATS = ("real", "double")


def sort_text(sql: str, kind: TrinoType, item: nodes.SortItem) -> str:
    """An item of ORDER BY. With NULLS FIRST, NaN is less than all numbers; otherwise it is greater,
    as it always is to Spark."""
    nulls = "FIRST" if item.nulls_first else "LAST"
    text = f"{sql} {'ASC' if item.ascending else 'DESC'} NULLS {nulls}"
    if not item.nulls_first or kind.base not in FLOATS:
        return text
    nan, number = (1, 2) if item.ascending else (2, 1)
    place = f"CASE WHEN {sql} IS NULL THEN 0 WHEN isnan({sql}) THEN {nan} ELSE {number} END"
    return f"{place}, {text}"


def window_text(
    analyzer: Analyzer,
    window: nodes.WindowSpec | nodes.Identifier,
    scope: Scope,
    *,
    ranking: bool = False,
) -> str:
    """``ranking``: Spark wants an order for the function, where Trino takes all rows as equal."""
    spec = resolve_window(analyzer, window)
    parts = []
    if spec.partition_by:
        keys = [analyzer.expression(item, scope).sql for item in spec.partition_by]
        parts.append(f"PARTITION BY {', '.join(keys)}")
    if spec.frame is not None and counts_groups(spec.frame):
        return f"{' '.join(parts)} {_groups_frame(analyzer, spec, scope)}".lstrip()
    if spec.order_by:
        parts.append(f"ORDER BY {', '.join(analyzer.sort(item, scope) for item in spec.order_by)}")
    elif ranking:
        parts.append("ORDER BY NULL")
    if spec.frame is not None:
        parts.append(_frame(analyzer, spec, scope))
    return " ".join(parts)


def resolve_window(
    analyzer: Analyzer, window: nodes.WindowSpec | nodes.Identifier
) -> nodes.WindowSpec:
    """With what it takes from a window of the WINDOW clause."""
    name = window if isinstance(window, nodes.Identifier) else window.existing
    if name is None:
        assert isinstance(window, nodes.WindowSpec)  # noqa: S101  it has no name
        return window
    spec = analyzer.queries.windows.get(name.name.lower())
    if spec is None:
        message = f"Cannot resolve WINDOW name {name.name}"
        raise Refused("INVALID_WINDOW_REFERENCE", message, name.at)
    base = resolve_window(analyzer, spec)
    if isinstance(window, nodes.Identifier):
        return base
    if window.partition_by:
        message = "WINDOW specification with named WINDOW reference cannot specify PARTITION BY"
        raise Refused("INVALID_PARTITION_BY", message, window.partition_by[0].at)
    if window.order_by and base.order_by:
        message = "Cannot specify ORDER BY if referenced named WINDOW specifies ORDER BY"
        raise Refused("INVALID_ORDER_BY", message, window.order_at)
    if base.frame is not None:
        message = "Cannot reference named WINDOW containing frame specification"
        raise Refused("INVALID_WINDOW_REFERENCE", message, name.at)
    ordered = window if window.order_by else base
    return nodes.WindowSpec(
        window.at, None, base.partition_by, ordered.order_by, window.frame, ordered.order_at
    )


def _frame(analyzer: Analyzer, spec: nodes.WindowSpec, scope: Scope) -> str:
    frame = spec.frame
    assert frame is not None  # noqa: S101  the caller has looked
    _check_frame(frame)
    of_days = _of_days(analyzer, spec, scope)
    start = _write_bound(analyzer, frame.start, scope, of_days)
    unit = "RANGE" if frame.unit == "GROUPS" else frame.unit  # the same, where none are counted
    if frame.end is None:
        return f"{unit} BETWEEN {start} AND CURRENT ROW"
    return f"{unit} BETWEEN {start} AND {_write_bound(analyzer, frame.end, scope, of_days)}"


FrameOrder = tuple[tuple[nodes.Expression, ...], tuple[nodes.SortItem, ...]]


def counts_groups(frame: nodes.Frame) -> bool:
    """Whether a bound is a number of groups."""
    bounds = (frame.start, frame.end)
    return frame.unit == "GROUPS" and any(b is not None and b.value is not None for b in bounds)


def frame_order(spec: nodes.WindowSpec) -> FrameOrder:
    """By what the rows of a window are divided and sorted."""
    return spec.partition_by, spec.order_by


def _groups_frame(analyzer: Analyzer, spec: nodes.WindowSpec, scope: Scope) -> str:
    """ORDER BY and the frame, over the numbers that ``group_frames`` has made."""
    frame = spec.frame
    assert frame is not None  # noqa: S101  the caller has looked
    number = analyzer.queries.group_numbers.get(frame_order(spec))
    if number is None:
        raise not_supported("Window frame of type GROUPS at this place", frame.at)
    for which, bound in (("start", frame.start), ("end", frame.end)):
        if bound is not None and bound.value is not None:
            _check_number_of_groups(analyzer, bound.value, which, scope)
    ranged = nodes.Frame(frame.at, "ROWS", frame.start, frame.end)
    numbered = nodes.WindowSpec(spec.at, None, spec.partition_by, spec.order_by, ranged)
    return f"ORDER BY {number} RANGE{_frame(analyzer, numbered, scope).removeprefix('ROWS')}"


def _check_number_of_groups(
    analyzer: Analyzer, value: nodes.Expression, which: str, scope: Scope
) -> None:
    kind = analyzer.expression(value, scope).type
    if kind not in INTEGERS:
        message = f"Window frame GROUPS {which} value type must be exact numeric type with scale 0"
        raise mismatch(f"{message} (actual {kind})", value.at)


_ORDER = ("UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING")


def _check_frame(frame: nodes.Frame) -> None:
    start, end = frame.start.kind, frame.end.kind if frame.end is not None else "CURRENT ROW"
    if start == "UNBOUNDED FOLLOWING":
        message = "Window frame start cannot be UNBOUNDED FOLLOWING"
    elif end == "UNBOUNDED PRECEDING":
        message = "Window frame end cannot be UNBOUNDED PRECEDING"
    elif _ORDER.index(start) > _ORDER.index(end):
        message = f"Window frame starting from {start} cannot end with {end}"
    else:
        return
    raise Refused("INVALID_WINDOW_FRAME", message, frame.at)


def _of_days(analyzer: Analyzer, spec: nodes.WindowSpec, scope: Scope) -> bool:
    """Whether values of a RANGE are dates; its bounds are days then."""
    frame = spec.frame
    valued = (
        frame is not None
        and frame.unit == "RANGE"
        and (
            frame.start.value is not None or (frame.end is not None and frame.end.value is not None)
        )
    )
    if not valued:
        return False
    assert frame is not None  # noqa: S101
    if not spec.order_by:
        message = "Window frame of type RANGE PRECEDING or FOLLOWING requires ORDER BY"
        raise Refused("MISSING_ORDER_BY", message, frame.at)
    if len(spec.order_by) > 1:
        message = (
            "Window frame of type RANGE PRECEDING or FOLLOWING requires single sort item in "
            f"ORDER BY (actual: {len(spec.order_by)})"
        )
        raise Refused("INVALID_ORDER_BY", message, spec.order_at)
    kind = analyzer.expression(spec.order_by[0].expression, scope).type
    if kind.base in FLOATS and spec.order_by[0].nulls_first:  # two keys, for NaN
        raise not_supported(f"A RANGE of {kind} with NULLS FIRST", frame.at)
    return kind == DATE


def _write_bound(analyzer: Analyzer, bound: nodes.FrameBound, scope: Scope, of_days: bool) -> str:
    if bound.value is None:
        return bound.kind
    value = analyzer.expression(bound.value, scope)
    negative = isinstance(value.constant, int | str) and str(value.constant).startswith("-")
    if value.constant is None or negative:
        message = "Window frame offset value must not be negative or null"
        raise Refused("INVALID_WINDOW_FRAME", message, bound.at)
    if isinstance(value.constant, str) and value.type.base == "decimal":
        return f"{value.sql} {bound.kind}"
    if not isinstance(value.constant, int):
        raise not_supported("Window frame bound that is not a constant number", bound.at)
    if value.type == DAY_SECOND and of_days:
        days, rest = divmod(value.constant, 86_400_000)
        if rest:
            raise not_supported("Window frame of parts of days over dates", bound.at)
        return f"INTERVAL '{days}' DAY {bound.kind}"
    if value.type == DAY_SECOND:
        seconds, rest = divmod(value.constant, 1000)
        return f"INTERVAL '{seconds}.{rest:03d}' SECOND {bound.kind}"
    if value.type == YEAR_MONTH:
        return f"INTERVAL '{value.constant}' MONTH {bound.kind}"
    return f"{value.constant} {bound.kind}"
