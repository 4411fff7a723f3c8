"""Which types become which by themselves, as Trino's TypeCoercion says."""

from __future__ import annotations

from sqe.model.trino_types import (
    BIGINT,
    DOUBLE,
    INTEGER,
    INTEGERS,
    MAX_PRECISION,
    REAL,
    SMALLINT,
    TIMESTAMP,
    TIMESTAMP_TZ,
    TINYINT,
    UNKNOWN,
    VARCHAR,
    RowField,
    TrinoType,
    array,
    char,
    decimal,
    map_of,
    timestamp_tz,
    varchar,
)
from sqe.trino.dialect.zones import common_zone, with_common_zones, zone_of_session

LONGEST_CHAR = 65_536
_AS_DECIMAL = {TINYINT: (3, 0), SMALLINT: (5, 0), INTEGER: (10, 0), BIGINT: (19, 0)}
_NUMERIC_ORDER = [TINYINT, SMALLINT, INTEGER, BIGINT]


def is_numeric(kind: TrinoType) -> bool:
    return kind in INTEGERS or kind in (REAL, DOUBLE) or kind.base == "decimal"


def is_text(kind: TrinoType) -> bool:
    return kind.base in ("varchar", "char")


def as_decimal(kind: TrinoType) -> TrinoType:
    """The decimal that holds every value of an integer type; a decimal itself."""
    return kind if kind.base == "decimal" else decimal(*_AS_DECIMAL[kind])


def common_type(one: TrinoType, other: TrinoType) -> TrinoType | None:
    """The type both become by themselves; None if there is none."""
    if one == other:
        return with_common_zones(one, other)
    if one == UNKNOWN:
        return other
    if other == UNKNOWN:
        return one
    if one.base == other.base:
        return _common_of_one_base(one, other)
    for small, large in ((one, other), (other, one)):
        base = _coerce_base(small, large)
        if base is not None:
            return base
    return None


def _common_of_one_base(one: TrinoType, other: TrinoType) -> TrinoType | None:
    base = one.base
    if base == "decimal":
        scale = max(one.scale, other.scale)
        whole = max(one.precision - one.scale, other.precision - other.scale)
        return decimal(min(MAX_PRECISION, whole + scale), scale)
    if base == "varchar":
        if one.length is None or other.length is None:
            return VARCHAR
        return varchar(max(one.length, other.length))
    if base == "char":
        return char(max(one.numbers[0], other.numbers[0]))
    if base in (TIMESTAMP, TIMESTAMP_TZ, "time", "time with time zone"):
        zone = common_zone(one.zone, other.zone)
        return TrinoType(base, (max(one.precision, other.precision),), zone=zone)
    if base == "array":
        element = common_type(one.element, other.element)
        return array(element) if element is not None else None
    if base == "map":
        key = common_type(one.types[0], other.types[0])
        value = common_type(one.types[1], other.types[1])
        return map_of(key, value) if key is not None and value is not None else None
    if base == "row":
        return _common_row(one, other)
    return None


def _common_row(one: TrinoType, other: TrinoType) -> TrinoType | None:
    if len(one.fields) != len(other.fields):
        return None
    fields = []
    for left, right in zip(one.fields, other.fields, strict=True):
        kind = common_type(left.type, right.type)
        if kind is None:
            return None
        name = left.name if left.name == right.name else None
        fields.append(RowField(name, kind))
    return TrinoType("row", fields=tuple(fields))


def _coerce_base(small: TrinoType, large: TrinoType) -> TrinoType | None:
    """``small`` as a type of ``large``'s base, where values of the one base become the other's."""
    if small in INTEGERS:
        if large in INTEGERS:
            rank = max(_NUMERIC_ORDER.index(small), _NUMERIC_ORDER.index(large))
            return _NUMERIC_ORDER[rank]
        if large.base == "decimal":
            return _common_of_one_base(as_decimal(small), large)
        if large in (REAL, DOUBLE):
            return large
    if small.base == "decimal" and large in (REAL, DOUBLE):
        return large
    if small == REAL and large == DOUBLE:
        return DOUBLE
    if small.base == "varchar" and large.base == "char":
        # Trino: varchar(n) and char(m) meet in char of the longer length.
        return char(min(LONGEST_CHAR, max(small.length or LONGEST_CHAR, large.numbers[0])))
    return _coerce_moment(small, large)


def _coerce_moment(small: TrinoType, large: TrinoType) -> TrinoType | None:
    """What gets a zone gets the session's; beside another it is of no one zone."""
    if small.base == "date" and large.base == TIMESTAMP:
        return large
    if small.base in ("date", TIMESTAMP) and large.base == TIMESTAMP_TZ:
        digits = max(small.precision, large.precision) if small.numbers else large.precision
        return timestamp_tz(digits, common_zone(large.zone, zone_of_session()))
    if small.base == "time" and large.base == "time with time zone":
        return TrinoType(large.base, (max(small.precision, large.precision),), zone=large.zone)
    return None


def can_coerce(source: TrinoType, target: TrinoType) -> bool:
    """Whether a value of ``source`` becomes ``target`` by itself."""
    if source in (UNKNOWN, target):
        return True
    if source.base == "row" and target.base == "row":
        return len(source.fields) == len(target.fields) and all(
            can_coerce(field.type, other.type)
            for field, other in zip(source.fields, target.fields, strict=True)
        )
    if source.base == target.base and source.types:
        return all(can_coerce(a, b) for a, b in zip(source.types, target.types, strict=True))
    return common_type(source, target) == target
