"""Strings as numbers, dates and moments: plain ones here, everything else is left to Spark.

Spark takes many forms and raises for the rest. A row with a form that is not beyond doubt makes
the query Spark's.
"""

from __future__ import annotations

from sqe.engines.local.compile.arithmetic import give_up
from sqe.engines.local.compile.value import Value
from sqe.engines.local.types import SparkType

_DIGITS = {"tinyint": 2, "smallint": 4, "int": 9, "bigint": 18}  # no number of so many is too large
_WORDS = {"true": ("t", "true", "y", "yes", "1"), "false": ("f", "false", "n", "no", "0")}


def _cast_matching(value: Value, pattern: str, wanted: SparkType, sql: str) -> str:
    other = give_up(f"a string as {wanted.name} that is not a plain one", wanted)
    return (
        f"CASE WHEN {value.sql} IS NULL THEN NULL "
        f"WHEN regexp_full_match({value.sql}, '{pattern}') THEN {sql} ELSE {other} END"
    )


def _cast_trimmed(value: Value, wanted: SparkType) -> str:
    return f"CAST(trim({value.sql}, ' ') AS {wanted.duckdb})"


def cast_to_integer(value: Value, wanted: SparkType) -> str:
    pattern = rf" *[+-]?[0-9]{{1,{_DIGITS[wanted.name]}}} *"
    return _cast_matching(value, pattern, wanted, _cast_trimmed(value, wanted))


def null_without_digits(value: Value, sql: str) -> str:
    """For try_cast: plain letters and signs are no number, whatever forms there are."""
    return f"CASE WHEN regexp_full_match({value.sql}, '[ -/:-~]*') THEN NULL ELSE {sql} END"


def fraction(value: Value, wanted: SparkType) -> str:
    """No more digits than the type has places for: then nothing is rounded."""
    before, behind = wanted.precision - wanted.scale, wanted.scale
    digits = (
        rf"0*[0-9]{{0,{before}}}(\.[0-9]{{0,{behind}}})?" if behind else rf"[0-9]{{1,{before}}}"
    )
    pattern = rf" *[+-]?(?:{digits}) *"
    number = r" *[+-]?[0-9]+(\.[0-9]+)? *"
    checked = f"regexp_full_match({value.sql}, '{number}')"
    other = give_up("a string as decimal that is not a plain one", wanted)
    sql = f"CASE WHEN {checked} THEN {_cast_trimmed(value, wanted)} ELSE {other} END"
    return _cast_matching(value, pattern, wanted, sql)


def double(value: Value, wanted: SparkType) -> str:
    """Both engines take the nearest number."""
    pattern = r" *[+-]?[0-9]{1,20}(\.[0-9]{1,20})? *"
    return _cast_matching(value, pattern, wanted, _cast_trimmed(value, wanted))


def boolean(value: Value, wanted: SparkType) -> str:
    word = f"lower(trim({value.sql}, ' '))"
    branches = " ".join(
        f"WHEN {word} IN ({', '.join(repr(known) for known in words)}) THEN {name}"
        for name, words in _WORDS.items()
    )
    other = give_up("a string as boolean that is not a plain one", wanted)
    return f"CASE WHEN {value.sql} IS NULL THEN NULL {branches} ELSE {other} END"


def date(value: Value, wanted: SparkType) -> str:
    return _valid(value, r" *[0-9]{4}-[0-9]{2}-[0-9]{2} *", wanted)


def moment(value: Value, wanted: SparkType) -> str:
    day, clock = "[0-9]{4}-[0-9]{2}-[0-9]{2}", "[0-9]{2}:[0-9]{2}:[0-9]{2}"
    return _valid(value, rf"{day} {clock}(\.[0-9]{{1,6}})?", wanted)


def _valid(value: Value, pattern: str, wanted: SparkType) -> str:
    """There are no 30th of February and no year 0 in it."""
    plain = "DATE" if wanted.name == "date" else "TIMESTAMP"
    tried = f"TRY_CAST(trim({value.sql}, ' ') AS {plain})"
    other = give_up(f"a string as {wanted.name} that is none", wanted)
    years = f"left(trim({value.sql}, ' '), 4) <> '0000'"
    sql = f"CAST({tried} AS {wanted.duckdb})" if wanted.name == "timestamp" else tried
    checked = f"CASE WHEN {tried} IS NOT NULL AND {years} THEN {sql} ELSE {other} END"
    return _cast_matching(value, pattern, wanted, checked)
