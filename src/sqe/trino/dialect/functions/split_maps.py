"""Maps read from texts: split_to_map and split_to_multimap."""

from __future__ import annotations

from sqe.trino.dialect.functions.arrays import INVALID, argument_error
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.once import once
from sqe.trino.dialect.typed import fail, spark_type, string


def _delimiter(call: Bound, index: int) -> str | None:
    value = call.arguments[index]
    if not value.is_constant:
        raise call.refuse("a delimiter that is not constant")
    if isinstance(value.constant, str) and "\\E" in value.constant:
        raise call.refuse("a delimiter with \\E")
    return value.constant if isinstance(value.constant, str) else None


def _split(text: str, delimiter: str) -> str:
    quoted = string(f"\\Q{delimiter}\\E")
    return f"split({text}, {quoted}, -1)"


def _map(call: Bound) -> str:
    """Each entry has the delimiter of key and value once; nothing may stand behind the last."""
    entry, pair = _delimiter(call, 1), _delimiter(call, 2)
    if entry is None or pair is None:
        return f"CAST(NULL AS {spark_type(call.returns, call.at)})"
    for name, delimiter in (("entryDelimiter", entry), ("keyValueDelimiter", pair)):
        if not delimiter:
            return argument_error(call, f"{name} is empty")
    if entry == pair:
        return argument_error(call, "entryDelimiter and keyValueDelimiter must not be the same")
    word = "Key-value delimiter must appear exactly once in each entry. Bad input: "
    made = _multimap_of if call.function.name == "split_to_multimap" else _map_of

    def check(e: str) -> str:
        wrong = f"get(filter({e}, p -> size({_split('p', pair)}) <> 2), 0)"
        message = f"concat({string(word)}, '\\'', {wrong}, '\\'')"
        error = fail(INVALID, message, call.returns, call.at)
        answer = once([f"transform({e}, p -> {_split('p', pair)})"], lambda p: made(call, p))
        return f"IF({wrong} IS NULL, {answer}, {error})"

    def body(entries: str) -> str:
        first = f"slice({entries}, 1, size({entries}) - 1)"
        rest = f"IF(element_at({entries}, -1) = '', {first}, {entries})"
        return f"IF({entries} IS NULL, NULL, {once([rest], check)})"

    return once([_split(call.sql(0), entry)], body)


def _map_of(call: Bound, pairs: str) -> str:
    keys = f"transform({pairs}, p -> p[0])"
    again = f"get(filter({pairs}, (p, i) -> exists(slice({pairs}, 1, i), q -> q[0] = p[0])), 0)[0]"
    message = f"concat('Duplicate keys (', {again}, ') are not allowed')"
    twice = fail(INVALID, message, call.returns, call.at)
    return (
        f"IF(size(array_distinct({keys})) < size({pairs}), {twice}, "
        f"map_from_entries(transform({pairs}, p -> struct(p[0], p[1]))))"
    )


def _multimap_of(call: Bound, pairs: str) -> str:
    values = f"transform(filter({pairs}, p -> p[0] = k), p -> p[1])"
    keys = f"array_distinct(transform({pairs}, p -> p[0]))"
    return f"map_from_entries(transform({keys}, k -> struct(k, {values})))"


declare("split_to_map", "(varchar, varchar, varchar) -> map(varchar, varchar)", _map,
        description="Creates a map using entryDelimiter and keyValueDelimiter")  # fmt: skip
declare("split_to_multimap", "(varchar, varchar, varchar) -> map(varchar, array(varchar))", _map,
        description="Creates a multimap by splitting a string into key/value pairs")  # fmt: skip
