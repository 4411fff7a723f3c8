"""CAST, TRY_CAST and the changes of type that happen by themselves.

``CASTS`` has an entry for each pair of base types that can be translated exactly; of the others,
those that Trino has are refused, the rest are type errors as they are there. A writer gets the
value, the target and whether failing means NULL.
"""

from __future__ import annotations

from collections.abc import Callable

from sqe.model.trino_types import (
    DOUBLE,
    INTEGERS,
    UNKNOWN,
    VARCHAR,
    TrinoType,
    parse_type,
    varchar,
)
from sqe.trino.dialect import literals
from sqe.trino.dialect.coercion import LONGEST_CHAR
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.temporal_literals import with_zones
from sqe.trino.dialect.trying import in_try
from sqe.trino.dialect.typed import OpenParameter, Typed, fail, null_of, spark_type

# (value, target, safe, at) -> SQL of the target's carrier
Writer = Callable[[Typed, TrinoType, bool, int], str]
CASTS: dict[tuple[str, str], Writer] = {}


def casts(sources: str, targets: str) -> Callable[[Writer], Writer]:
    """Registers a writer for every pair of these blank-separated base types (``_`` for blanks
    inside a name)."""

    def register(writer: Writer) -> Writer:
        for source in sources.split():
            for target in targets.split():
                CASTS[source.replace("_", " "), target.replace("_", " ")] = writer
        return writer

    return register


def coerce(value: Typed, target: TrinoType, at: int) -> Typed:
    """A change of type that happens by itself; the caller knows that it does."""
    if value.type == target:
        return value
    if isinstance(value.constant, OpenParameter):
        value.constant.types.append(target)
    if value.type.base == target.base == "varchar":
        return value.as_type(target)
    return cast(value, target, at)


def cast(value: Typed, target: TrinoType, at: int, *, safe: bool = False) -> Typed:
    source = value.type
    target = with_zones(value, target, at)
    safe = safe or in_try()
    if source == UNKNOWN:
        return null_of(target, at)
    if not castable(source, target):
        raise mismatch(f"Cannot cast {source.display} to {target.display}", at)
    if source == target and source.base != "row":
        return value
    known = _constant(value, target, at)
    if known is not None:
        return known
    writer = CASTS.get((source.base, target.base))
    if writer is None:
        raise not_supported(f"CAST of {source} to {target}", at)
    spark_type(target, at)
    sql = writer(value, target, safe, at)
    return Typed(target, sql) if sql != "NULL" else null_of(target, at)


def _constant(value: Typed, target: TrinoType, at: int) -> Typed | None:
    """A literal as a literal of the other type, so that functions still see its value."""
    if not value.is_constant:
        return None
    constant = value.constant
    if constant is None:
        return null_of(target, at)
    if isinstance(constant, int) and value.type in INTEGERS:
        if target in INTEGERS:
            return literals.integer(constant, target)  # None: out of its range
        if target == DOUBLE:
            return literals.double(str(constant))
    if isinstance(constant, str) and value.type.base == "decimal" and target == DOUBLE:
        return literals.double(constant) if value.type.precision <= EXACT_DIGITS else None
    if value.type.base == target.base == "varchar":
        longest = target.length
        if isinstance(constant, str) and (longest is None or len(constant) <= longest):
            return value.as_type(target)
    return None


# A decimal of so many digits becomes the nearest double, whichever way it is computed.
EXACT_DIGITS = 15
_NUMBERS = "tinyint smallint integer bigint real double decimal"
_MOMENTS = ["date", "time", "time with time zone", "timestamp", "timestamp with time zone"]
_CLOCKS = _MOMENTS[1:]
_PLAIN = (*_NUMBERS.split(), *_MOMENTS, "boolean", "varchar", "char", "varbinary", "json")
_UNBOUNDED = 2_147_483_647  # as a length
_SIMPLE = (*_NUMBERS.split(), "boolean", "varchar", "json")
# What Trino itself can cast, by base types; containers are looked into.
_POSSIBLE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*_NUMBERS.split(), "boolean", "json"), _SIMPLE),
    "varchar": (*_SIMPLE, "char", "varbinary", *_MOMENTS, "uuid", "ipaddress"),
    "char": ("char", "varchar"),
    "varbinary": ("uuid", "ipaddress"),
    "uuid": ("varchar", "varbinary"),
    "ipaddress": ("varchar", "varbinary"),
    "date": ("varchar", "timestamp", "timestamp with time zone", "json"),
    "time": ("varchar", *_CLOCKS),
    "time with time zone": ("varchar", *_CLOCKS),
    "timestamp": ("varchar", *_MOMENTS, "json"),
    "timestamp with time zone": ("varchar", *_MOMENTS),
    "interval day to second": ("varchar",),
    "interval year to month": ("varchar",),
}


def castable(source: TrinoType, target: TrinoType) -> bool:
    """Whether Trino has a cast from the one to the other."""
    if source in (UNKNOWN, target):
        return True
    if source.base in ("array", "map", "row"):
        if target.base == "json":
            return all(castable(part, target) for part in _parts(source)[source.base == "map" :])
        mine, theirs = _parts(source), _parts(target)
        return (
            source.base == target.base
            and len(mine) == len(theirs)
            and all(map(castable, mine, theirs))
        )
    if source.base == "json" and target.base in ("array", "map", "row"):
        return all(castable(source, part) for part in _parts(target))
    return target.base in _POSSIBLE.get(source.base, ())


def _parts(kind: TrinoType) -> tuple[TrinoType, ...]:
    return kind.types or tuple(field.type for field in kind.fields)


def parse_cast_type(text: str, at: int) -> TrinoType:
    """The type that a statement names."""
    try:
        kind = parse_type(text)
    except (ValueError, IndexError):
        raise mismatch(f"Unknown type: {text}", at) from None
    if kind == UNKNOWN:
        raise mismatch("UNKNOWN is not a valid type", at)
    if kind.base in _PLAIN and kind.types:  # as varchar(a)
        raise mismatch(f"Unknown type: {text}", at)
    check_type(kind, at)
    return VARCHAR if kind == varchar(_UNBOUNDED) else kind


def check_type(kind: TrinoType, at: int) -> None:
    """Whether its numbers are in range."""
    if kind.base == "decimal":
        precision, scale = kind.precision, kind.scale
        if not 1 <= precision <= 38:
            message = f"DECIMAL precision must be in range [1, 38]: {precision}"
            raise Refused("INVALID_FUNCTION_ARGUMENT", message)
        if scale > precision:
            message = f"DECIMAL scale must be in range [0, precision ({precision})]: {scale}"
            raise Refused("INVALID_FUNCTION_ARGUMENT", message)
    if kind.base == "char" and (kind.length or 0) > LONGEST_CHAR:
        raise mismatch(f"Unknown type: {kind}", at)
    for part in _parts(kind):
        check_type(part, at)


def cast_failure(message: str, target: TrinoType, at: int, *, safe: bool) -> str:
    """What a value that cannot be cast becomes. ``message`` is SQL of a string."""
    return "NULL" if safe else fail("INVALID_CAST_ARGUMENT", message, target, at)


def fit_text(text: str, target: TrinoType, at: int, *, safe: bool) -> str:
    """A number or a date in ``text``, which must not be cut to fit in a varchar(n)."""

    def write(sql: str) -> str:
        message = f"concat('Value ', {sql}, ' cannot be represented as {target}')"
        error = cast_failure(message, target, at, safe=safe)
        return f"IF(length({sql}) > {target.length}, {error}, {sql})"

    return with_variable(text, write)


def spark_cast(value: str, target: TrinoType, at: int, *, safe: bool) -> str:
    return f"{'try_cast' if safe else 'CAST'}({value} AS {spark_type(target, at)})"
