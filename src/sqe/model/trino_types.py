"""Trino's types: how they print, and what carries their values through the engines.

A carrier is the Spark type whose values stand for the Trino type's between the translation and the
wire. What Spark has no type for travels as a number or a string:

    varchar(n), char(n)      string (char without its trailing blanks)
    timestamp(p)             timestamp_ntz, p up to 6
    timestamp(p) with time zone   timestamp; the zone is known when the query is translated
    time(p)                  bigint, microseconds of the day
    interval day to second   bigint, milliseconds
    interval year to month   int, months
    row(…)                   struct; fields without a name are f0, f1, …
    json                     string, as Trino prints it
    uuid, ipaddress          string
    unknown                  void
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from sqe.model.trino_words import quote_name


@dataclass(frozen=True, slots=True)
class RowField:
    name: str | None
    type: TrinoType


@dataclass(frozen=True, slots=True)
class TrinoType:
    """``base`` is lower case, without parameters: ``timestamp with time zone``. ``numbers`` are
    length, precision and scale; ``types`` the element, or key and value; ``fields`` a row's."""

    base: str
    numbers: tuple[int, ...] = ()
    types: tuple[TrinoType, ...] = ()
    fields: tuple[RowField, ...] = ()
    # The zone that all values of a ``… with time zone`` print in. Not part of the type.
    zone: str = field(default="", compare=False)

    def __str__(self) -> str:
        """Text that ``parse_type`` reads: as ``display``, with every row's field in quotes."""
        return self._text(quote_name)

    @property
    def display(self) -> str:
        """As typeof(), information_schema and messages print it: names as they are, ambiguous or
        not. (Columns of results have a third form, which the protocol makes.)"""
        return self._text(str)

    def _text(self, name: Callable[[str], str]) -> str:
        inside = [str(number) for number in self.numbers]
        if inside:
            head, _, tail = self.base.partition(" ")
            return f"{head}({','.join(inside)}) {tail}".rstrip()
        inside = [inner._text(name) for inner in self.types]
        inside += [
            field.type._text(name)
            if field.name is None
            else f"{name(field.name)} {field.type._text(name)}"
            for field in self.fields
        ]
        return f"{self.base}({', '.join(inside)})" if inside else self.base

    @property
    def element(self) -> TrinoType:
        return self.types[0]

    @property
    def precision(self) -> int:
        return self.numbers[0]

    @property
    def scale(self) -> int:
        return self.numbers[1]

    @property
    def length(self) -> int | None:
        """Of a varchar or char; None is unbounded."""
        return self.numbers[0] if self.numbers else None


BOOLEAN = TrinoType("boolean")
TINYINT, SMALLINT = TrinoType("tinyint"), TrinoType("smallint")
INTEGER, BIGINT = TrinoType("integer"), TrinoType("bigint")
REAL, DOUBLE = TrinoType("real"), TrinoType("double")
VARCHAR, VARBINARY = TrinoType("varchar"), TrinoType("varbinary")
DATE, JSON, UUID = TrinoType("date"), TrinoType("json"), TrinoType("uuid")
IPADDRESS = TrinoType("ipaddress")
UNKNOWN = TrinoType("unknown")
DAY_SECOND = TrinoType("interval day to second")
YEAR_MONTH = TrinoType("interval year to month")
TIMESTAMP, TIMESTAMP_TZ = "timestamp", "timestamp with time zone"
TIME, TIME_TZ = "time", "time with time zone"
INTEGERS = (TINYINT, SMALLINT, INTEGER, BIGINT)
MAX_PRECISION = 38


def varchar(length: int | None = None) -> TrinoType:
    return VARCHAR if length is None else TrinoType("varchar", (length,))


def char(length: int) -> TrinoType:
    return TrinoType("char", (length,))


def decimal(precision: int, scale: int = 0) -> TrinoType:
    return TrinoType("decimal", (precision, scale))


def timestamp(precision: int) -> TrinoType:
    return TrinoType(TIMESTAMP, (precision,))


def timestamp_tz(precision: int, zone: str = "UTC") -> TrinoType:
    return TrinoType(TIMESTAMP_TZ, (precision,), zone=zone)


def time(precision: int) -> TrinoType:
    return TrinoType(TIME, (precision,))


def array(element: TrinoType) -> TrinoType:
    return TrinoType("array", types=(element,))


def map_of(key: TrinoType, value: TrinoType) -> TrinoType:
    return TrinoType("map", types=(key, value))


def row(*fields: tuple[str | None, TrinoType]) -> TrinoType:
    return TrinoType("row", fields=tuple(RowField(name, kind) for name, kind in fields))


_CARRIERS = {
    "boolean": "boolean", "tinyint": "tinyint", "smallint": "smallint", "integer": "int",
    "bigint": "bigint", "real": "float", "double": "double", "varchar": "string",
    "char": "string", "varbinary": "binary", "date": "date", TIMESTAMP: "timestamp_ntz",
    TIMESTAMP_TZ: "timestamp", TIME: "bigint", "interval day to second": "bigint",
    "interval year to month": "int", "json": "string", "uuid": "string", "ipaddress": "string",
    "unknown": "void",
}  # fmt: skip


def carrier(kind: TrinoType) -> str:
    """The Spark type of its values. KeyError for a type that nothing carries."""
    if kind.base == "decimal":
        return f"decimal({kind.precision},{kind.scale})"
    if kind.base == "array":
        return f"array<{carrier(kind.element)}>"
    if kind.base == "map":
        return f"map<{carrier(kind.types[0])},{carrier(kind.types[1])}>"
    if kind.base == "row":
        inside = ",".join(
            f"{field_of_row(kind, i)}:{carrier(field.type)}" for i, field in enumerate(kind.fields)
        )
        return f"struct<{inside}>"
    return _CARRIERS[kind.base]


def field_of_row(kind: TrinoType, index: int) -> str:
    """What the carrier of a row calls a field, as Spark's SQL writes it."""
    name = kind.fields[index].name
    name = f"f{index}" if name is None else name
    return "`" + name.replace("`", "``") + "`"


_WORDS = re.compile(r'\s*("(?:[^"]|"")*"|[A-Za-z_][\w$]*|\d+|[(),])')
_ALIASES = {"int": "integer", "dec": "decimal", "numeric": "decimal", "string": "varchar"}
# What a type without numbers has.
_DEFAULTS = {
    "decimal": (38,),
    "char": (1,),
    TIMESTAMP: (3,),
    TIMESTAMP_TZ: (3,),
    TIME: (3,),
    TIME_TZ: (3,),
}


def parse_type(text: str) -> TrinoType:
    """A type as Trino prints it. ValueError for anything else."""
    words = _WORDS.findall(text)
    if re.sub(r"\s+", "", "".join(words)) != re.sub(r"\s+", "", text):
        raise ValueError(f"not a type: {text}")
    try:
        parsed, rest = _parse(words)
    except IndexError:
        raise ValueError(f"not a type: {text}") from None
    if rest:
        raise ValueError(f"not a type: {text}")
    return parsed


def _parse(words: list[str]) -> tuple[TrinoType, list[str]]:
    base, words = words[0].lower(), words[1:]
    base = _ALIASES.get(base, base)
    if base == "interval":
        return TrinoType(" ".join(["interval", *[word.lower() for word in words[:3]]])), words[3:]
    if base == "double" and words[:1] and words[0].lower() == "precision":
        words = words[1:]
    inside: list[int | TrinoType | RowField] = []
    if words[:1] == ["("]:
        inside, words = _parse_arguments(words[1:], base == "row")
    if [word.lower() for word in words[:3]] == ["with", "time", "zone"]:
        base, words = f"{base} with time zone", words[3:]
    elif [word.lower() for word in words[:3]] == ["without", "time", "zone"]:
        words = words[3:]
    numbers = [item for item in inside if isinstance(item, int)]
    if not numbers:
        numbers = list(_DEFAULTS.get(base, ()))
    if base == "decimal":
        numbers = [*numbers, 0][:2]
    types = tuple(item for item in inside if isinstance(item, TrinoType))
    fields = tuple(item for item in inside if isinstance(item, RowField))
    # What tables hold is shown in UTC; other zones are known from expressions only.
    zone = "UTC" if base == TIMESTAMP_TZ else ""
    return TrinoType(base, tuple(numbers), types, fields, zone), words


def _parse_arguments(
    words: list[str], fields: bool
) -> tuple[list[int | TrinoType | RowField], list[str]]:
    """What is in the brackets, up to the closing one."""
    arguments: list[int | TrinoType | RowField] = []
    while words[0] != ")":
        if words[0] == ",":
            words = words[1:]
        elif words[0].isdigit():
            arguments.append(int(words[0]))
            words = words[1:]
        else:
            argument, words = _parse_field(words) if fields else _parse(words)
            arguments.append(argument)
    return arguments, words[1:]


def _parse_field(words: list[str]) -> tuple[RowField, list[str]]:
    """``name type`` or a type alone."""
    named = words[0].startswith('"') or (
        words[1] not in ("(", ",", ")")
        and (words[0].lower(), words[1].lower())
        not in {("double", "precision"), ("timestamp", "with"), ("time", "with")}
        and not (words[0].lower() == "interval" and words[2].lower() == "to")
    )
    if not named:
        kind, rest = _parse(words)
        return RowField(None, kind), rest
    kind, rest = _parse(words[1:])
    name = words[0][1:-1].replace('""', '"') if words[0].startswith('"') else words[0]
    return RowField(name, kind), rest
