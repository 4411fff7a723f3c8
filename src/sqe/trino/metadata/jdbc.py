"""What JDBC says of Trino's types: java.sql.Types' numbers, sizes and digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqe.model.trino_types import TIME, TIME_TZ, TIMESTAMP, TIMESTAMP_TZ, TrinoType
from sqe.trino.metadata.columns import TableColumn

_ARRAY, _JAVA_OBJECT = 2003, 2000
_NUMBERS: Mapping[str, int] = {
    "boolean": 16, "bigint": -5, "integer": 4, "smallint": 5, "tinyint": -6, "real": 7,
    "double": 8, "decimal": 3, "varchar": 12, "char": 1, "varbinary": -3, "date": 91, TIME: 92,
    TIME_TZ: 2013, TIMESTAMP: 93, TIMESTAMP_TZ: 2014, "array": _ARRAY,
}  # fmt: skip
_SIZES: Mapping[str, int] = {
    "bigint": 19, "integer": 10, "smallint": 5, "tinyint": 3, "real": 24, "double": 53,
    "date": 14, "varbinary": 2**31 - 1,
}  # fmt: skip
_RADIX: Mapping[str, int] = {
    **dict.fromkeys(("bigint", "integer", "smallint", "tinyint", "decimal"), 10),
    **dict.fromkeys(("real", "double"), 2),
}
_UNBOUNDED = 2**31 - 1
_ZONE = 50  # characters that the longest name of a time zone has
# The characters of a value, without the fraction of its seconds.
_MOMENTS: Mapping[str, int] = {
    TIME: len("HH:MM:SS"),
    TIME_TZ: len("HH:MM:SS+HH:MM"),
    TIMESTAMP: len("+YYYYY-MM-DD HH:MM:SS"),
    TIMESTAMP_TZ: len("+YYYYYY-MM-DD HH:MM:SS ") + _ZONE,
}
_NULLABLE, _NO_NULLS = 1, 0
_SEARCHABLE, _NOT_SEARCHED = 3, 0


def column_row(column: TableColumn, position: int) -> tuple[Any, ...]:
    """A row of ``system.jdbc.columns`` behind the table's name."""
    kind = column.type
    return (
        column.name,
        _NUMBERS.get(kind.base, _JAVA_OBJECT),
        kind.display,
        _size(kind),
        0,
        _digits(kind),
        _RADIX.get(kind.base),
        _NULLABLE if column.nullable else _NO_NULLS,
        column.comment,
        None,
        None,
        None,
        _octets(kind),
        position,
        "YES" if column.nullable else "NO",
        *([None] * 6),
    )


def _size(kind: TrinoType) -> int | None:
    if kind.base in _MOMENTS:
        return _MOMENTS[kind.base] + min(kind.precision, 1) + kind.precision
    if kind.base == "decimal":
        return kind.precision
    return _SIZES.get(kind.base, _octets(kind))


def _digits(kind: TrinoType) -> int | None:
    if kind.base == "decimal":
        return kind.scale
    return kind.precision if kind.base in _MOMENTS else None


def _octets(kind: TrinoType) -> int | None:
    if kind.base in ("varchar", "char"):
        return _UNBOUNDED if kind.length is None else kind.length
    return _UNBOUNDED if kind.base == "varbinary" else None


# Types without parameters, and whether their values can be compared.
_PLAIN: Mapping[str, bool] = {
    **dict.fromkeys(
        (
            "unknown", "boolean", "bigint", "integer", "smallint", "tinyint", "double", "real",
            "varbinary", "date", "interval year to month", "interval day to second", "json",
            "ipaddress", "uuid", "color",
        ),
        True,
    ),
    **dict.fromkeys(
        (
            "CodePoints", "HyperLogLog", "JoniRegExp", "JsonPath", "JsonPath2016", "LikePattern",
            "P4HyperLogLog", "Re2JRegExp", "SetDigest", "json2016", "tdigest",
        ),
        False,
    ),
}  # fmt: skip
_WITH_PARAMETERS = (
    "varchar", "char", "decimal", "row", "array", "map", "function", "qdigest", TIMESTAMP,
    TIMESTAMP_TZ, TIME, TIME_TZ,
)  # fmt: skip


def type_rows() -> Iterator[tuple[Any, ...]]:
    """``system.jdbc.types`` as Trino gives it: of a type with parameters it tells only whether it
    is an array."""
    for name, comparable in _PLAIN.items():
        kind = TrinoType(name)
        number, size = _NUMBERS.get(name, _JAVA_OBJECT), _size(kind)
        yield _type_row(name, number, size, comparable, _RADIX.get(name))
    for name in _WITH_PARAMETERS:
        number = _ARRAY if name == "array" else _JAVA_OBJECT
        yield _type_row(name, number, None, False, None)


def _type_row(
    name: str, number: int, size: int | None, comparable: bool, radix: int | None
) -> tuple[Any, ...]:
    searched = _SEARCHABLE if comparable else _NOT_SEARCHED
    literals = (None, None, None)
    return (
        *(name, number, size, *literals, _NULLABLE, False, searched),
        *(None, False, None, None, 0, 0, None, None, radix),
    )
