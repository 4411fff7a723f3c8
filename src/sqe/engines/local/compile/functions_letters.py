"""Functions that take texts to their letters, as DuckDB writes them."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engines.local.compile.arithmetic import give_up
from sqe.engines.local.compile.built import Built, need
from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.value import Value, any_nullable
from sqe.engines.local.types import BIGINT, BINARY, INT, STRING


def reverse(here: Compiling, values: Sequence[Value]) -> Built:
    """Of a text by code points: DuckDB's own keeps together what is one letter to a reader."""
    need(len(values) == 1, "reverse takes one argument")
    sql, kind = values[0].sql, values[0].type
    if kind.name == "array":
        return f"list_reverse({sql})", kind, values[0].nullable
    need(kind == STRING, f"reverse of {kind} is Spark's")
    letters = f"list_transform(range(length({sql}), 0, -1), lambda i: substring({sql}, i, 1))"
    joined = f"coalesce(array_to_string({letters}, ''), '')"
    plain = f"strlen({sql}) = length({sql})"
    short = f"CASE WHEN {plain} THEN reverse({sql}) WHEN {sql} IS NOT NULL THEN {joined} END"
    return short, STRING, values[0].nullable


def translate(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 3 and all(v.type == STRING for v in values), "translate takes strings")
    return f"translate({', '.join(v.sql for v in values)})", STRING, any_nullable(*values)


def levenshtein(here: Compiling, values: Sequence[Value]) -> Built:
    """DuckDB counts bytes."""
    need(len(values) == 2 and all(v.type == STRING for v in values), "levenshtein takes strings")
    one, other = (value.sql for value in values)
    plain = f"strlen({one}) = length({one}) AND strlen({other}) = length({other})"
    wide = give_up("levenshtein of letters beyond ASCII", INT)
    sql = (
        f"CASE WHEN {one} IS NULL OR {other} IS NULL THEN NULL "
        f"WHEN {plain} THEN CAST(levenshtein({one}, {other}) AS INTEGER) ELSE {wide} END"
    )
    return sql, INT, any_nullable(*values)


def to_hex(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 1, "hex takes one argument")
    (value,) = values
    plain = value.type in (STRING, BINARY)
    need(plain or value.type.is_integral, f"hex of {value.type} is Spark's")
    text = value.sql if plain else value.cast(BIGINT)
    return f"hex({text})", STRING, value.nullable


def from_hex(here: Compiling, values: Sequence[Value]) -> Built:
    """Of whole bytes. What is none Spark makes NULL, or fills up."""
    need(len(values) == 1 and values[0].type == STRING, "unhex takes a string")
    sql = values[0].sql
    other = give_up("unhex of other than whole bytes", BINARY)
    whole = f"regexp_full_match({sql}, '([0-9A-Fa-f]{{2}})*')"
    made = f"WHEN {whole} THEN unhex({sql}) ELSE {other}"
    return f"CASE WHEN {sql} IS NULL THEN NULL {made} END", BINARY, True


def md5(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 1 and values[0].type in (STRING, BINARY), "md5 takes bytes")
    return f"md5({values[0].sql})", STRING, values[0].nullable
