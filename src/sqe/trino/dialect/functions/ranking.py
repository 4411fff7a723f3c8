"""Window functions that are no aggregates."""

from __future__ import annotations

from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.functions.registry import WINDOW, Bound, Emit, declare
from sqe.trino.dialect.functions.strings import INVALID
from sqe.trino.dialect.typed import fail, string
from sqe.trino.dialect.windows import resolve_window


def _rank(name: str) -> Emit:
    return lambda call: f"CAST({call.aggregate(name)} AS BIGINT)"


for _name in ("rank", "dense_rank", "row_number"):
    declare(_name, "() -> bigint", _rank(_name), kind=WINDOW)
for _name in ("percent_rank", "cume_dist"):
    declare(_name, "() -> double", _name, kind=WINDOW)


def _ntile(call: Bound) -> str:
    buckets = call.arguments[0].constant
    if not isinstance(buckets, int):
        raise call.refuse("the number of buckets must be constant")
    if buckets <= 0:
        raise Refused("INVALID_FUNCTION_ARGUMENT", "Buckets must be greater than 0", None)
    return f"CAST({call.aggregate('ntile', str(buckets))} AS BIGINT)"


declare("ntile", "(bigint) -> bigint", _ntile, kind=WINDOW)


def _shift(name: str) -> Emit:
    def write(call: Bound) -> str:
        offset = call.arguments[1].constant if len(call.arguments) > 1 else 1
        if not isinstance(offset, int):
            return _shift_by_column(call, name)
        if offset < 0:
            raise Refused("INVALID_FUNCTION_ARGUMENT", "Offset must be at least 0", None)
        _check_window(call, name)
        values = [call.sql(0), str(offset)]
        if len(call.arguments) > 2:
            values.append(call.sql(2))
        return call.aggregate(name, *values)

    return write


def _shift_by_column(call: Bound, name: str) -> str:
    """Out of the list of all rows on that side, as Spark takes no offset from a row."""
    if call.site.node.null_treatment is not None:
        raise call.refuse("the offset must be constant")
    _check_window(call, name)
    window = call.site.node.window
    assert window is not None  # noqa: S101  it is a window function
    over = call.site.analyzer.window(window, call.site.scope)
    lags = name == "lag"
    frame = "UNBOUNDED PRECEDING AND CURRENT ROW" if lags else "CURRENT ROW AND UNBOUNDED FOLLOWING"
    rows = f"collect_list(named_struct('v', {call.sql(0)})) OVER ({over} ROWS BETWEEN {frame})"
    negative = fail(INVALID, string("Offset must be at least 0"), call.returns, call.at)
    null = fail(INVALID, string("Offset must not be null"), call.returns, call.at)
    default = call.sql(2) if len(call.arguments) > 2 else "NULL"

    def pick(listed: str, offset: str) -> str:
        index = f"size({listed}) - 1 - {offset}" if lags else offset
        there = f"get({listed}, CAST({index} AS INT)).v"
        return (
            f"CASE WHEN {offset} IS NULL THEN {null} WHEN {offset} < 0 THEN {negative} "
            f"WHEN {offset} >= size({listed}) THEN {default} ELSE {there} END"
        )

    return f"({pick(f'({rows})', call.sql(1))})"


def _check_window(call: Bound, name: str) -> None:
    window = call.site.node.window
    assert window is not None  # noqa: S101  it is a window function
    spec = resolve_window(call.site.analyzer, window)
    if not spec.order_by:
        message = f"{name} function requires an ORDER BY window clause"
        raise Refused("MISSING_ORDER_BY", message, window.at)
    if spec.frame is not None:
        message = f"Cannot specify window frame for {name} function"
        raise Refused("INVALID_WINDOW_FRAME", message, spec.frame.at)


for _name in ("lag", "lead"):
    declare(_name, ["(T) -> T", "(T, bigint) -> T", "(T, bigint, T) -> T"],
            _shift(_name), kind=WINDOW)  # fmt: skip
for _name in ("first_value", "last_value"):
    declare(_name, "(T) -> T", _name, kind=WINDOW)


def _nth(call: Bound) -> str:
    place = call.arguments[1].constant
    if not isinstance(place, int):
        return _nth_by_column(call)
    if place < 1:
        raise Refused("INVALID_FUNCTION_ARGUMENT", "Offset must be at least 1", None)
    return call.aggregate("nth_value", call.sql(0), str(place))


def _nth_by_column(call: Bound) -> str:
    """Out of the list of the frame's rows, as Spark takes no place from a row."""
    if call.site.node.null_treatment is not None:
        raise call.refuse("the place must be constant")
    rows = call.aggregate("collect_list", f"named_struct('v', {call.sql(0)})")
    wrong = fail(INVALID, string("Offset must be at least 1"), call.returns, call.at)
    place = call.sql(1)
    return (
        f"(CASE WHEN {place} < 1 THEN {wrong} WHEN {place} <= size({rows}) "
        f"THEN get({rows}, CAST({place} - 1 AS INT)).v END)"
    )


declare("nth_value", "(T, bigint) -> T", _nth, kind=WINDOW)
