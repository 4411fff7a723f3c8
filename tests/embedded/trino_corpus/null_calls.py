"""Calls of every scalar function of Trino's dialect in which one argument is NULL.

The other arguments take what values there are, also wrong ones: a function of NULL is NULL without
being looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqe.trino.dialect.functions.load import load
from sqe.trino.dialect.functions.registry import SCALAR, Function, all_functions
from sqe.trino.dialect.functions.signatures import Pattern

# By type, as many values of each as there are rows.
_VALUES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("tinyint", "smallint", "integer", "bigint"), ("0", "1", "-1", "2", "99")),
    **dict.fromkeys(("real", "double"), ("0", "nan()", "-1", "infinity()", "2.5")),
    "decimal(4,2)": ("0", "1", "-1", "0.25", "99.99"),
    "boolean": ("true", "false", "true", "false", "true"),
    "varchar": ("''", "'1'", "'a,b'", "'ß'", "'%'"),
    "varchar(1)": ("''", "'1'", "'a'", "'ß'", "'%'"),
    "varbinary": ("X''", "X'00'", "X'01020304'", "X'ff'", "X'41'"),
    "char(3)": ("''", "'1'", "'a'", "'ß'", "'%'"),
    "json": tuple(f"JSON '{text}'" for text in ("null", "[]", "[1]", '{"a": 1}', "1")),
    "date": tuple(f"DATE '{day}'" for day in
                  ("1970-01-01", "2024-02-29", "1969-12-31", "0001-01-01", "9999-12-31")),
    "time(3)": tuple(f"TIME '{time}'" for time in
                     ("00:00:00", "23:59:59.999", "01:02:03", "12:00:00", "00:00:00.001")),
    "ipaddress": tuple(f"IPADDRESS '10.0.0.{n}'" for n in range(5)),
    "interval day to second": tuple(f"INTERVAL '{n}' DAY" for n in (0, 1, -1, 2, 99)),
    "interval year to month": tuple(f"INTERVAL '{n}' MONTH" for n in (0, 1, -1, 2, 99)),
}  # fmt: skip
for _name in ("timestamp(3)", "timestamp(3) with time zone"):
    _VALUES[_name] = _VALUES["date"]
_ROWS = 5
_VARIABLES = ("integer", "varchar")  # what a type variable stands for
_NUMBERS = {"decimal": "(4,2)", "char": "(3)", "time": "(3)", "timestamp": "(3)"}


def values(kind: str) -> tuple[str, ...]:
    """Of a type, as many as there are rows."""
    if kind in _VALUES:
        found = _VALUES[kind]
    elif kind.startswith("array("):
        a, b, *_ = values(kind[6:-1])[1:]
        found = ("ARRAY[]", f"ARRAY[{a}]", "ARRAY[NULL]", f"ARRAY[{a}, {b}]", f"ARRAY[{b}, NULL]")
    elif kind.startswith("map("):
        key, value = _split(kind[4:-1])
        k, v = values(key), values(value)
        empty = "MAP(ARRAY[], ARRAY[])"
        found = (empty, *(f"MAP(ARRAY[{k[i]}], ARRAY[{v[i]}])" for i in (1, 2, 3)),
                 f"MAP(ARRAY[{k[4]}], ARRAY[NULL])")  # fmt: skip
    else:
        parts = [values(one) for one in _split(kind[4:-1])]
        found = tuple(f"ROW({', '.join(row)})" for row in zip(*parts, strict=True))
    return tuple(f"CAST({one} AS {kind})" for one in found)


def _split(inside: str) -> list[str]:
    """The types between the commas outside of all brackets."""
    found, depth = [""], 0
    for character in inside:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return [one.strip() for one in found]


def written_type(pattern: Pattern, variable: str) -> str:
    if pattern.is_variable:
        return variable
    if pattern.base in ("array", "map", "row"):
        inside = ", ".join(written_type(one, variable) for one in pattern.inside)
        return f"{pattern.base}({inside})"
    if pattern.numbers and all(isinstance(one, int) for one in pattern.numbers):
        return f"{pattern.base}({','.join(map(str, pattern.numbers))})"
    base, _, rest = pattern.base.partition(" ")
    if base == "interval":
        return pattern.base
    return f"{base}{_NUMBERS.get(base, '')}{' ' if rest else ''}{rest}"


# Arguments that must be constant, by function; those of lambdas always are.
CONSTANTS: dict[str, dict[int, str]] = {
    "at_timezone": {1: "'Europe/Paris'"},
    "at_timezone(timestamp(p) with time zone, interval day to second)": {1: "INTERVAL '1' HOUR"},
    "with_timezone": {1: "'Europe/Paris'"},
    "from_unixtime": {1: "'Europe/Paris'"},
    "from_unixtime(double, bigint, bigint)": {1: "1", 2: "0"},
    "chr": {0: "65"},
    "contains(varchar, ipaddress)": {0: "'10.0.0.0/8'"},
    "from_utf8": {1: "'?'"},
    "from_utf8(varbinary, bigint)": {1: "63"},
    "normalize": {1: "NFC"},
    "combinations": {1: "2"},
    "date_format": {1: "'%Y'"},
    "date_parse": {1: "'%Y'"},
    "format_datetime": {1: "'yyyy'"},
    "parse_datetime": {1: "'yyyy'"},
    "format": {0: "'%s %s'"},
    "from_base": {1: "10"},
    "to_base": {1: "10"},
    **{name: {1: "'$[0]'"} for name in ("json_extract", "json_extract_scalar", "json_size")},
    **{name: {1: "'a'"} for name in ("trim", "ltrim", "rtrim")},
    **{name: {1: "'(.)'", 2: "1"} for name in ("regexp_extract", "regexp_extract_all")},
    "regexp_position": {1: "'a'"},
    "regexp_split": {1: "'a'"},
    "regexp_replace": {2: "'a'"},
    "round": {1: "1"},
    "round(double, integer)": {},
    "round(real, integer)": {},
    "truncate": {1: "1"},
    "split": {1: "','", 2: "2"},
    "split_part": {1: "','"},
    **{name: {1: "','", 2: "'='"} for name in ("split_to_map", "split_to_multimap")},
    "strpos": {2: "2"},
}
LAMBDAS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("all_match", "any_match", "none_match", "filter"), ("x -> x IS NULL",)),
    "transform": ("x -> 1",),
    "reduce": ("(s, x) -> s", "s -> s"),
    "regexp_replace": ("g -> g[1]",),
    "array_sort": ("(x, y) -> 1",),
    "map_filter": ("(k, v) -> v IS NULL",),
    "transform_keys": ("(k, v) -> k",),
    "transform_values": ("(k, v) -> 1",),
    "map_zip_with": ("(k, v, w) -> 1",),
    "zip_with": ("(x, y) -> 1",),
}


@dataclass
class Columns:
    """The relation that a batch of calls reads."""

    names: dict[str, str] = field(default_factory=dict)  # SQL of an array -> the column

    def of(self, kind: str) -> str:
        return self._named(f"ARRAY[{', '.join(values(kind))}]")

    def null(self, kind: str) -> str:
        return self._named(f"ARRAY[{', '.join([f'CAST(NULL AS {kind})'] * _ROWS)}]")

    def _named(self, array: str) -> str:
        return self.names.setdefault(array, f"c{len(self.names)}")

    def query(self, items: list[str]) -> str:
        arrays, names = ", ".join(self.names), ", ".join(self.names.values())
        return f"SELECT {', '.join(items)} FROM UNNEST({arrays}) t({names})"


@dataclass(frozen=True)
class Call:
    """A form of a function with the argument ``index`` to be NULL."""

    function: Function
    index: int
    variable: str

    def __str__(self) -> str:
        return f"{self.function} of {self.variable}, argument {self.index} NULL"

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        signature = self.function.signature
        return signature.patterns(len(signature.arguments) + signature.variadic) or ()

    def written(self, columns: Columns) -> str:
        name = self.function.name
        lambdas = iter(LAMBDAS.get(name, ()))
        constants = CONSTANTS.get(str(self.function), CONSTANTS.get(name, {}))
        arguments = []
        for i, pattern in enumerate(self.patterns):
            kind = "" if pattern.is_lambda else written_type(pattern, self.variable)
            if pattern.is_lambda:
                arguments.append(next(lambdas))
            elif kind == "unknown":
                arguments.append("NULL")
            elif i == self.index:
                arguments.append(columns.null(kind))
            else:
                arguments.append(constants.get(i) or columns.of(kind))
        return f"{name}({', '.join(arguments)})"

    @property
    def is_constant(self) -> bool:
        constants = CONSTANTS.get(str(self.function), CONSTANTS.get(self.function.name, {}))
        return self.index in constants


def calls() -> Iterator[Call]:
    load()
    for function in all_functions():
        if function.kind == SCALAR:
            patterns = Call(function, 0, "").patterns
            generic = any(_is_generic(one) for one in patterns)
            for variable in _VARIABLES if generic else ("",):
                for i, one in enumerate(patterns):
                    if not one.is_lambda:
                        yield Call(function, i, variable)


def _is_generic(pattern: Pattern) -> bool:
    return pattern.is_variable or any(map(_is_generic, pattern.inside))
