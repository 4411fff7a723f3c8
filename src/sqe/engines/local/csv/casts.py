"""Text to a column's type, exactly or not at all: DuckDB's own casts round and accept too much.

Most values are spelled as DuckDB itself would spell them, which is quick to find out; the others
have to match the grammar of ``sqe.files.forms`` first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqe.errors import ErrorCode, UserError
from sqe.files.forms import FALSE, ISO_DATE, LONG_YEAR_DATE, TIME, TRUE, ZONE, Forms
from sqe.model.names import quote_text

_DECIMAL = re.compile(r"decimal\((\d+), ?(\d+)\)")
_NESTED = ("struct<", "array<", "map<")
_INTEGERS = {"tinyint": "TINYINT", "smallint": "SMALLINT", "int": "INTEGER", "bigint": "BIGINT"}


@dataclass(frozen=True)
class Cast:
    """``attempt`` is worked out first and called ``v`` in the others; ``x`` is the text. ``value``
    is NULL where the text is no value; ``instant`` is for timestamps that say their zone:
    microseconds since 1970, and then ``value`` is NULL."""

    value: str
    attempt: str = "NULL"
    instant: str = ""

    def bad(self, x: str, value: str, instant: str) -> str:
        """Whether there is a text that is no value."""
        also = f" AND {instant} IS NULL" if self.instant else ""
        return f"({value} IS NULL{also} AND {x} IS NOT NULL)"


def is_nested(kind: str) -> bool:
    return kind.startswith(_NESTED)


def cast_of(kind: str, forms: Forms, binary: str, x: str, v: str) -> Cast:
    """``kind`` is Spark's spelling of the type."""
    y = f"trim({x})"
    if kind == "string":
        return Cast(x)
    if kind in _INTEGERS:
        return _integer(_INTEGERS[kind], forms, x, v, y)
    if _DECIMAL.fullmatch(kind):
        return _decimal(kind, forms, x, v, y)
    if kind in ("float", "double"):
        return Cast(_float(kind.upper(), forms, y))
    if kind == "boolean":
        true, false = (", ".join(map(quote_text, words)) for words in (TRUE, FALSE))
        low = f"lower({y})"
        return Cast(f"CASE WHEN {low} IN ({true}) THEN true WHEN {low} IN ({false}) THEN false END")
    if kind == "date":
        return _date(forms, x, v, y)
    if kind in ("timestamp", "timestamp_ntz"):
        return _timestamp(forms, x, v, y, zoned=kind == "timestamp")
    if kind == "binary":
        return Cast(_binary(binary, x))
    if is_nested(kind):
        return Cast(f"CASE WHEN json_valid({x}) THEN {x} END")
    raise UserError(
        ErrorCode.NOT_SUPPORTED,
        f"A column of type {kind} cannot be loaded from CSV.",
        hint="Load it from Parquet or JSON.",
    )


def _matches(y: str, regex: str) -> str:
    return f"regexp_full_match({y}, {quote_text(f'(?:{regex})')})"


def _plain_number(forms: Forms, y: str) -> str:
    if forms.thousands:
        y = f"replace({y}, {quote_text(forms.thousands)}, '')"
    return y if forms.decimal == "." else f"replace({y}, {quote_text(forms.decimal)}, '.')"


def _integer(kind: str, forms: Forms, x: str, v: str, y: str) -> Cast:
    number = f"TRY_CAST({_plain_number(forms, y)} AS {kind})"
    whole = _matches(y, forms.integer)
    return Cast(
        f"CASE WHEN {v}::VARCHAR = {x} THEN {v} WHEN {whole} THEN {number} END",
        f"TRY_CAST({x} AS {kind})",
    )


def _decimal(kind: str, forms: Forms, x: str, v: str, y: str) -> Cast:
    scale = int(_DECIMAL.sub(r"\2", kind))
    number = f"TRY_CAST({_plain_number(forms, y)} AS {kind})"
    regex = forms.decimal_number(scale)
    if forms.decimal != ".":  # "1.234" is another number than DuckDB thinks
        return Cast(f"CASE WHEN {_matches(y, regex)} THEN {number} END")
    return Cast(
        f"CASE WHEN {v}::VARCHAR = {x} THEN {v} WHEN {_matches(y, regex)} THEN {number} END",
        f"TRY_CAST({x} AS {kind})",
    )


def _float(kind: str, forms: Forms, y: str) -> str:
    """A number too large is none: it would be infinite."""
    number = f"TRY_CAST({_plain_number(forms, y)} AS {kind})"
    return (
        f"CASE WHEN {_matches(y, forms.float_number)} THEN"
        f" CASE WHEN isfinite({number}) THEN {number} END"
        f" WHEN {_matches(y, '(?i:NaN|[+-]?Inf(?:inity)?)')} THEN TRY_CAST({y} AS {kind}) END"
    )


def _date(forms: Forms, x: str, v: str, y: str) -> Cast:
    cases = [
        f" WHEN {_matches(y, pattern.regex)}"
        f" THEN TRY_CAST(try_strptime({y}, {quote_text(pattern.strptime)}) AS DATE)"
        for pattern in forms.date_patterns
    ]
    if forms.only_dates:
        return Cast(f"CASE{''.join(cases)} END")
    iso = (
        f" WHEN {_matches(y, ISO_DATE)} THEN TRY_CAST({y} AS DATE)"
        f" WHEN {_matches(y, LONG_YEAR_DATE)} THEN {_long_year_date(y)}"
    )
    # Ten characters: neither "infinity" nor a year of DuckDB's own spelling.
    quick = f"CASE WHEN length({x}) = 10 AND {v}::VARCHAR = {x} THEN {v}"
    return Cast(f"{quick}{iso}{''.join(cases)} END", f"TRY_CAST({x} AS DATE)")


def _long_year_date(y: str) -> str:
    year, month, day = (
        f"TRY_CAST(regexp_extract({y}, '^([+-][0-9]+)-([0-9]+)-([0-9]+)', {at}) AS INTEGER)"
        for at in (1, 2, 3)
    )
    return f"TRY(make_date({year}, {month}, {day}))"


def _timestamp(forms: Forms, x: str, v: str, y: str, *, zoned: bool) -> Cast:
    pattern = forms.timestamp_pattern
    if pattern is not None:
        return Cast(
            f"CASE WHEN {_matches(y, pattern.regex)}"
            f" THEN try_strptime({y}, {quote_text(pattern.strptime)}) END"
        )
    day, rest = (f"split_part(replace({y}, 'T', ' '), ' ', {at})" for at in (1, 2))
    time = f"CASE WHEN {rest} = '' THEN INTERVAL 0 SECOND ELSE TRY_CAST({rest} AS INTERVAL) END"
    cases = "".join(
        f" WHEN {_matches(y, f'{form.regex}(?:[ T]{TIME})?')}"
        f" THEN try_strptime({day}, {quote_text(form.strptime)}) + {time}"
        for form in forms.date_patterns
    )
    if forms.only_dates:
        return Cast(f"CASE{cases} END")
    quick = f"CASE WHEN length({x}) = 19 AND {v}::VARCHAR = {x} THEN"
    long_year = f"TRY({_long_year_date(y)}::TIMESTAMP + {time})"
    local = (
        f"{quick} {v} WHEN {_matches(y, f'{ISO_DATE}(?:[ T]{TIME})?')}"
        f" THEN TRY_CAST({y} AS TIMESTAMP)"
        f" WHEN {_matches(y, f'{LONG_YEAR_DATE}(?:[ T]{TIME})?')} THEN {long_year}{cases} END"
    )
    if not zoned:
        return Cast(local, f"TRY_CAST({x} AS TIMESTAMP)")
    in_utc = long_year.replace(y, f"rtrim({y}, 'Zz ')")
    instant = (
        f"{quick} NULL WHEN {_matches(y, f'{ISO_DATE}[ T]{TIME}{ZONE}')}"
        f" THEN epoch_us(TRY_CAST({y} AS TIMESTAMPTZ))"
        f" WHEN {_matches(y, f'{LONG_YEAR_DATE}[ T]{TIME} ?[Zz]')} THEN epoch_us({in_utc}) END"
    )
    return Cast(local, f"TRY_CAST({x} AS TIMESTAMP)", instant)


def _binary(form: str, x: str) -> str:
    if form == "text":
        return f"encode({x})"
    if form == "hex":
        return f"CASE WHEN {_matches(x, '(?:[0-9A-Fa-f]{2})*')} THEN unhex({x}) END"
    regex = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
    return f"CASE WHEN {_matches(x, regex)} THEN TRY(from_base64({x})) END"
