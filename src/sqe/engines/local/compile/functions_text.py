"""Functions of strings, as DuckDB writes them. Both engines count characters by code points."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engines.local.compile import functions_array as arrays
from sqe.engines.local.compile.arithmetic import give_up
from sqe.engines.local.compile.built import Build, Built, need
from sqe.engines.local.compile.casts import cast_sql
from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.value import Value, any_nullable
from sqe.engines.local.types import BIGINT, BINARY, BOOLEAN, INT, STRING, VOID

_INTS = ("tinyint", "smallint", "int")
_OFTEN = 1_000
# Letters for which upper() and lower() give something else in DuckDB: Spark writes one letter as
# several, knows newer ones, and looks at the neighbours of a sigma. All code points were compared.
# And letters that do not come back: Spark makes lower(x) of lower(upper(x)), wherever they stand.
_ODD_UPPER = (
    r"[\x{b5}\x{df}\x{131}\x{149}\x{17f}\x{19b}\x{1f0}\x{264}\x{345}\x{390}\x{3b0}\x{3c2}"
    r"\x{3d0}\x{3d1}\x{3d5}\x{3d6}\x{3f0}\x{3f1}\x{3f5}\x{587}\x{1c80}-\x{1c88}\x{1c8a}"
    r"\x{1e96}-\x{1e9b}\x{1f50}-\x{1fff}\x{a7cd}\x{a7db}\x{fb00}-\x{fb17}\x{10d70}-\x{10d85}]"
)
_ODD_LOWER = (
    r"[\x{130}\x{3a3}\x{3f4}\x{1c89}\x{1e9e}\x{2126}\x{212a}\x{212b}"
    r"\x{a7cb}\x{a7cc}\x{a7da}\x{a7dc}\x{10d50}-\x{10d65}]"
)


def _strings(values: Sequence[Value], what: str, *counts: int) -> None:
    need(len(values) in counts, f"{what} with {len(values)} arguments is Spark's")
    need(all(value.type in (STRING, VOID) for value in values), f"{what} takes strings")


def _text(values: Sequence[Value]) -> list[str]:
    return [value.cast(STRING) for value in values]


def to_upper(sql: str) -> str:
    odd = give_up("upper() of letters that need Spark", STRING)
    return (
        f"CASE WHEN strlen({sql}) = length({sql}) THEN upper({sql}) "
        f"WHEN regexp_matches({sql}, '{_ODD_UPPER}') THEN {odd} ELSE upper({sql}) END"
    )


def to_lower(sql: str) -> str:
    odd = give_up("lower() of letters that need Spark", STRING)
    return (
        f"CASE WHEN strlen({sql}) = length({sql}) THEN lower({sql}) "
        f"WHEN regexp_matches({sql}, '{_ODD_LOWER}') THEN {odd} ELSE lower({sql}) END"
    )


def upper(here: Compiling, values: Sequence[Value]) -> Built:
    _strings(values, "upper", 1)
    return to_upper(values[0].cast(STRING)), STRING, values[0].nullable


def lower(here: Compiling, values: Sequence[Value]) -> Built:
    _strings(values, "lower", 1)
    return to_lower(values[0].cast(STRING)), STRING, values[0].nullable


def trim_text(function: str) -> Build:
    """Without a list of characters only the plain space goes; DuckDB would take others too."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        _strings(values, function, 1, 2)
        value, *rest = _text(values)
        characters = rest[0] if rest else "' '"
        need(not rest or isinstance(values[1].literal, str), "trim with computed characters")
        return f"{function}({value}, {characters})", STRING, any_nullable(*values)

    return build


def replace(here: Compiling, values: Sequence[Value]) -> Built:
    _strings(values, "replace", 2, 3)
    texts = [*_text(values), "''"][:3]
    return f"replace({', '.join(texts)})", STRING, any_nullable(*values)


def split_part(here: Compiling, values: Sequence[Value]) -> Built:
    _strings(values[:2], "split_part", 2, 2)
    need(len(values) == 3, "split_part takes three arguments")
    text, delimiter, place = values
    need(bool(delimiter.literal), "split_part by a computed text is Spark's")
    number = place.literal
    whole = isinstance(number, int) and not isinstance(number, bool)
    need(whole and number != 0, "split_part with a computed number is Spark's")
    sql = f"split_part({', '.join(_text([text, delimiter]))}, {number})"
    return sql, STRING, any_nullable(text)


def _count(value: Value, what: str) -> int:
    number = value.literal
    ok = isinstance(number, int) and not isinstance(number, bool) and number <= 10_000
    need(ok, f"{what} with a computed number is Spark's")
    assert isinstance(number, int)  # noqa: S101  tested on the line above
    return max(0, number)


def side(function: str) -> Build:
    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(len(values) == 2, f"{function} takes two arguments")
        _strings(values[:1], function, 1)
        count = _count(values[1], function)
        return f'"{function}"({values[0].cast(STRING)}, {count})', STRING, values[0].nullable

    return build


def pad_text(function: str) -> Build:
    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(len(values) in (2, 3), f"{function} takes two or three arguments")
        _strings([values[0], *values[2:]], function, 1, 2)
        fill = values[2].literal if len(values) == 3 else " "
        need(isinstance(fill, str) and fill != "", f"{function} with a computed or no filling")
        count = _count(values[1], function)
        text = values[2].sql if len(values) == 3 else "' '"
        return f"{function}({values[0].cast(STRING)}, {count}, {text})", STRING, values[0].nullable

    return build


def repeat(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 2, "repeat takes two arguments")
    _strings(values[:1], "repeat", 1)
    if values[1].literal is None and str(values[1].type) in _INTS:
        text, often = values[0].cast(STRING), values[1].sql
        more = f"WHEN {often} > {_OFTEN} THEN {give_up('repeat so often', STRING)}"
        return f"CASE {more} ELSE repeat({text}, {often}) END", STRING, any_nullable(*values)
    count = _count(values[1], "repeat")
    need(count <= 100, "repeat so often is Spark's")
    return f"repeat({values[0].cast(STRING)}, {count})", STRING, values[0].nullable


def test_text(function: str) -> Build:
    """startswith, endswith, contains."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        _strings(values, function, 2)
        return f"{function}({', '.join(_text(values))})", BOOLEAN, any_nullable(*values)

    return build


def find_text(first: int, second: int) -> Build:
    """The place of a text in another, from one, or zero; the empty text is at one."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        _strings(values, "a search", 2)
        texts = _text(values)
        whole, part = texts[first], texts[second]
        sql = (
            f"CASE WHEN {part} = '' AND {whole} IS NOT NULL THEN 1 ELSE instr({whole}, {part}) END"
        )
        return f"CAST({sql} AS INTEGER)", INT, any_nullable(*values)

    return build


def length(here: Compiling, values: Sequence[Value]) -> Built:
    if values[0].type == BINARY and len(values) == 1:
        return _bytes(values[0]), INT, values[0].nullable
    _strings(values, "length", 1)
    return f"CAST(length({values[0].cast(STRING)}) AS INTEGER)", INT, values[0].nullable


def octet_length(here: Compiling, values: Sequence[Value]) -> Built:
    if values[0].type == BINARY and len(values) == 1:
        return _bytes(values[0]), INT, values[0].nullable
    _strings(values, "octet_length", 1)
    return f"CAST(strlen({values[0].cast(STRING)}) AS INTEGER)", INT, values[0].nullable


def _bytes(value: Value) -> str:
    return f"CAST(octet_length({value.sql}) AS INTEGER)"


def substring(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) in (2, 3) and values[0].type == STRING, "substring takes a string")
    need(all(value.type.name in _INTS for value in values[1:]), "substring takes ints")
    text, (start, *rest) = values[0].sql, [value.literal for value in values[1:]]
    plain = isinstance(start, int) and start >= 0
    if plain and not rest:
        return f"substring({text}, {max(1, int(str(start)))})", STRING, values[0].nullable
    if plain and isinstance(rest[0], int) and rest[0] >= 0:
        sql = f"substring({text}, {max(1, int(str(start)))}, {rest[0]})"
        return sql, STRING, values[0].nullable
    return _from_the_end(text, values), STRING, any_nullable(*values)


def _from_the_end(text: str, values: Sequence[Value]) -> str:
    """A negative place counts from the end. One before the first character is cut off, and so is
    as much of the length."""
    place = values[1].cast(BIGINT)
    length = values[2].cast(BIGINT) if len(values) == 3 else "2147483647"
    start = (
        f"CASE WHEN {place} > 0 THEN {place} - 1 "
        f"WHEN {place} < 0 THEN length({text}) + {place} ELSE 0 END"
    )
    first, end = f"greatest({start}, 0)", f"({start}) + {length}"
    missing = f"{place} IS NULL OR {length} IS NULL"
    return (
        f"CASE WHEN {missing} THEN NULL WHEN {end} <= {first} THEN left({text}, 0) "
        f"ELSE substring({text}, {first} + 1, {end} - {first}) END"
    )


def concat(here: Compiling, values: Sequence[Value]) -> Built:
    need(bool(values), "concat of nothing is Spark's")
    if any(value.type.parts for value in values):
        return arrays.concat(values)
    need(any(value.type == STRING for value in values), "concat takes strings")
    texts = [v.sql if v.type == STRING else cast_sql(here, v, STRING) for v in values]
    return f"({' || '.join(texts)})", STRING, any_nullable(*values)


def concat_ws(here: Compiling, values: Sequence[Value]) -> Built:
    _strings(values, "concat_ws", *range(2, 50))
    need(isinstance(values[0].literal, str), "concat_ws with a computed separator is Spark's")
    return f"concat_ws({', '.join(_text(values))})", STRING, False


def raise_error(here: Compiling, values: Sequence[Value]) -> Built:
    """Fails as on Spark, with the user's words. Typed as a string, so that no place takes it for a
    NULL that can be left out."""
    _strings(values, "raise_error", 1)
    message = f"coalesce({values[0].cast(STRING)}, 'null')"
    return f"CAST(error(concat('SQE:USER_ERROR:', {message})) AS VARCHAR)", STRING, True
