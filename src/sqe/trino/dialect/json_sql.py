"""JSON in Spark's SQL: a text becomes a VARIANT to look into, and a VARIANT the text Trino prints.

Spark's VARIANT keeps ``1.0`` as a decimal and prints ``1``, where Trino has doubles. So every
number with a point gets an exponent before it is parsed: then it is a double for Spark, too.
"""

from __future__ import annotations

from sqe.trino.dialect.once import once
from sqe.trino.dialect.typed import fail, string

# Strings, numbers with a point and no exponent, other numbers, and what is between them.
_TOKENS = string(r'"(?:[^"\\]++|\\.)*+"|-?\d+\.\d+(?![\deE.])|\d+|[^"\d-]++|.')
_POINTED = string(r"^-?\d+\.\d+$")
_LONG = string(r"^\d{39,}$")
_TO_LOOK_AT = string(r"\.|\d{39}")
_ASTRAL = string("[\\x{10000}-\\x{10FFFF}]")


def _normal(text: str) -> str:
    """Numbers as VARIANT shall read them."""
    long = fail("NOT_SUPPORTED", string("A JSON number of more than 38 digits is not supported"))
    tokens = (
        f"transform(regexp_extract_all({text}, {_TOKENS}, 0), t -> CASE "
        f"WHEN t RLIKE {_POINTED} THEN concat(t, 'e0') WHEN t RLIKE {_LONG} THEN {long} ELSE t END)"
    )
    return f"IF({text} RLIKE {_TO_LOOK_AT}, array_join({tokens}, ''), {text})"


def variant(text: str) -> str:
    """The VARIANT of a text; NULL if it is not JSON or has a key twice. What stands behind the
    first value is not looked at."""
    return once([text], lambda s: f"try_parse_json({_normal(s)})")


def whole_variant(text: str) -> str:
    """The same, but NULL if anything stands behind the value: only one value can stand both in an
    array and in an object."""

    def parse(s: str) -> str:
        return (
            f"IF(try_parse_json(concat('{{\"a\":', {s}, '}}')) IS NULL, NULL, "
            f"try_variant_get(try_parse_json(concat('[', {s}, ']')), '$[0]', 'variant'))"
        )

    return once([once([text], _normal)], parse)


def is_json(text: str) -> str:
    """Whether a text is one value, also with a key twice."""
    options = "map('allowSingleQuotes', 'false', 'allowNonNumericNumbers', 'false')"

    def test(s: str) -> str:
        return (
            f"(from_json(concat('[', {s}, ']'), 'array<string>', {options}) IS NOT NULL AND "
            f"from_json(concat('{{\"a\":', {s}, '}}'), 'map<string,string>', {options}) "
            "IS NOT NULL)"
        )

    return once([text], test)


def astral(text: str) -> str:
    """Characters beyond the first plane as two escapes, as Trino writes them."""
    pair = "hex(encode(c, 'UTF-16BE'))"
    escaped = rf"concat('\\u', substring({pair}, 1, 4), '\\u', substring({pair}, 5, 4))"

    def body(s: str) -> str:
        escapes = f"array_distinct(regexp_extract_all({s}, {_ASTRAL}, 0))"
        replaced = f"aggregate({escapes}, {s}, (s, c) -> replace(s, c, {escaped}))"
        return f"IF({s} RLIKE {_ASTRAL}, {replaced}, {s})"

    return once([text], body)


def print_variant(value: str) -> str:
    """The text of a VARIANT; keys in order."""
    return astral(f"to_json({value})")


def quote_string(text: str) -> str:
    """A string as JSON writes it; NULL for NULL."""
    return print_variant(f"CAST({text} AS VARIANT)")


def kind(value: str) -> str:
    """OBJECT…, ARRAY…, BIGINT, DECIMAL(n,0), DOUBLE, STRING, BOOLEAN or VOID."""
    return f"schema_of_variant({value})"


def is_container(name: str) -> str:
    """Of a ``kind``."""
    return f"({name} LIKE 'ARRAY%' OR {name} LIKE 'OBJECT%')"
