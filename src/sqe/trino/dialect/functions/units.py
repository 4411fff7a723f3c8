"""Numbers with units: format_number, human_readable_seconds, parse_data_size, parse_duration."""

from __future__ import annotations

from sqe.model.trino_types import DAY_SECOND, VARCHAR, decimal
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import fail, string

INVALID = "INVALID_FUNCTION_ARGUMENT"
_SIZE = decimal(38, 0)
_INFINITY = "CAST('Infinity' AS DOUBLE)"


# ------------------------------------------------------------------ format_number


def _format(sql: str) -> str:
    """Three digits, and a letter; of negative numbers two digits behind the point."""

    def write(number: str) -> str:
        cases = []
        for power, letter in ((15, "Q"), (12, "T"), (9, "B"), (6, "M"), (3, "K")):
            part = f"{number} / 1E{power}D"
            for below, pattern in (("10", "#.##"), ("100", "#.#"), ("", "#")):
                test = f"abs({number}) >= 1E{power}D" + (f" AND {part} < {below}" if below else "")
                shown = f"concat(format_number({part}, '{pattern}'), '{letter}')"
                cases.append(f"WHEN {test} THEN {shown}")
        return f"CASE {' '.join(cases)} ELSE CAST(CAST({number} AS BIGINT) AS STRING) END"

    return with_variable(f"CAST({sql} AS DOUBLE)", write)


def _format_double(call: Bound) -> str:
    """Only the whole part counts."""

    def write(x: str) -> str:
        whole = (
            f"CASE WHEN isnan({x}) THEN 0L WHEN {x} >= 9.2E18D THEN 9223372036854775807L "
            f"WHEN {x} <= -9.2E18D THEN -9223372036854775807L ELSE CAST({x} AS BIGINT) END"
        )
        return f"IF({x} IS NULL, NULL, {_format(whole)})"

    return with_variable(call.sql(0), write)


_LARGE = "Formats large number using a unit symbol"
declare("format_number", "(bigint) -> varchar", lambda call: _format(call.sql(0)),
        description=_LARGE)  # fmt: skip
declare("format_number", "(double) -> varchar", _format_double, description=_LARGE)


# --------------------------------------------------------- human_readable_seconds


def _human(call: Bound) -> str:
    def write(x: str) -> str:
        message = f"concat('Invalid argument found: ', CAST({x} AS STRING))"
        error = fail(INVALID, message, VARCHAR, call.at)
        words = with_variable(f"CAST(round(abs({x})) AS BIGINT)", _in_words)
        infinite = f"WHEN abs({x}) >= {_INFINITY} THEN {error}"
        return f"CASE {infinite} WHEN {x} IS NOT NULL THEN {words} END"

    return with_variable(call.sql(0), write)


def _in_words(seconds: str) -> str:
    parts = []
    for name, size, modulus in (
        ("week", 604_800, 0), ("day", 86_400, 7), ("hour", 3_600, 24), ("minute", 60, 60),
        ("second", 1, 60),
    ):  # fmt: skip
        count = f"({seconds} div {size})" + (f" % {modulus}" if modulus else "")
        words = f"concat({count}, IF({count} = 1, ' {name}', ' {name}s'))"
        parts.append(f"IF({count} > 0, {words}, NULL)")
    return f"IF({seconds} = 0, '0 seconds', concat_ws(', ', {', '.join(parts)}))"


declare("human_readable_seconds", "(double) -> varchar", _human)


# ---------------------------------------------------------------- parse_data_size

_UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB")
_DIGITS = 12  # behind the point, with which the product is exact


def _data_size(call: Bound) -> str:
    accepted = r"^([0-9]*)\\.?([0-9]*)([kMGTPEZY]?B)$"

    def write(x: str) -> str:
        parts = [f"regexp_extract({x}, '{accepted}', {i})" for i in (1, 2, 3)]
        whole, behind, unit = parts
        sizes = " ".join(f"WHEN '{name}' THEN {1024**i}BD" for i, name in enumerate(_UNITS))
        size = f"CAST(CASE {unit} {sizes} END AS DECIMAL(25,0))"
        integral = f"CAST(concat('0', {whole}) AS DECIMAL(38,0)) * {size}"
        part = f"CAST(concat('0.', {behind}, '0') AS DECIMAL({_DIGITS},{_DIGITS}))"
        fraction = f"floor({part} * {size})"
        message = f"concat('Invalid data size: \\'', {x}, '\\'')"
        long = string(f"parse_data_size: more than {_DIGITS} digits behind the point")
        return (
            f"CASE WHEN {x} IS NULL THEN NULL "
            f"WHEN NOT {x} RLIKE '^([0-9]+\\\\.?[0-9]*|\\\\.[0-9]+)[kMGTPEZY]?B$' "
            f"THEN {fail(INVALID, message, _SIZE, call.at)} "
            f"WHEN length({behind}) > {_DIGITS} THEN {fail('NOT_SUPPORTED', long, _SIZE)} "
            f"ELSE CAST({integral} + {fraction} AS DECIMAL(38,0)) END"
        )

    return with_variable(call.sql(0), write)


declare("parse_data_size", "(varchar(x)) -> decimal(38, 0)", _data_size,
        description="Converts data size string to bytes")  # fmt: skip
declare("parse_presto_data_size", "(varchar(x)) -> decimal(38, 0)", _data_size,
        description="Converts data size string to bytes")  # fmt: skip


# ----------------------------------------------------------------- parse_duration

_MILLISECONDS = {
    "ns": "1E-6D", "us": "1E-3D", "ms": "1D", "s": "1E3D", "m": "6E4D", "h": "3.6E6D",
    "d": "8.64E7D",
}  # fmt: skip


def _duration(call: Bound) -> str:
    accepted = r"^\\s*([0-9]+(?:\\.[0-9]+)?)\\s*([a-zA-Z]+)\\s*$"

    def write(x: str) -> str:
        number, unit = (f"regexp_extract({x}, '{accepted}', {i})" for i in (1, 2))
        names = ", ".join(f"'{name}'" for name in _MILLISECONDS)
        factors = " ".join(f"WHEN '{name}' THEN {factor}" for name, factor in _MILLISECONDS.items())
        wrong = f"concat('duration is not a valid data duration string: ', {x})"
        unknown = f"concat('Unknown time unit: ', {unit})"
        value = f"CAST({number} AS DOUBLE) * CASE {unit} {factors} END"
        large = string("value is too large to be represented in requested unit MILLISECONDS")
        return (
            f"CASE WHEN {x} IS NULL THEN NULL "
            f"WHEN NOT {x} RLIKE '{accepted}' THEN {fail(INVALID, wrong, DAY_SECOND, call.at)} "
            f"WHEN {unit} NOT IN ({names}) THEN {fail(INVALID, unknown, DAY_SECOND, call.at)} "
            f"WHEN {value} >= 9.2E18D THEN {fail(INVALID, large, DAY_SECOND, call.at)} "
            f"ELSE CAST(floor({value} + 0.5D) AS BIGINT) END"
        )

    return with_variable(call.sql(0), write)


declare("parse_duration", "(varchar(x)) -> interval day to second", _duration,
        description="Convert duration string to an interval")  # fmt: skip
