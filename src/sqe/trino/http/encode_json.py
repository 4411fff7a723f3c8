"""Columns as arrays of JSON fragments, nested types included.

Trino's rules: rows are arrays, maps are objects, and a map's key is what Java's toString makes of
it, whatever its type (``{"[1, 2]": …}``). Keys keep their precision for every client.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from sqe.model.trino_types import TrinoType
from sqe.trino.http.encode_carriers import NotCarried, conform
from sqe.trino.http.encode_strings import escape, java_number
from sqe.trino.http.encode_text import BARE, FLOATS, FROM_USERS, text
from sqe.trino.http.encode_times import round_to_millis, with_nulls_of

NULL = "null"
_NESTED = ("array", "map", "row")
_Inner = Callable[[TrinoType, pa.Array], pa.StringArray]


@dataclass(frozen=True, slots=True)
class Fragments:
    """``array`` has no NULLs; what stands around each of its values is put there when they are
    joined, which spares a copy of every string."""

    array: pa.StringArray
    around: str = ""


def fragments(kind: TrinoType, array: pa.Array, parametric: bool) -> Fragments:
    """The JSON of each value. NotCarried or an Arrow error if the array is not of the type."""
    array = conform(kind, array)
    if len(array) and array.null_count == len(array):
        return Fragments(pa.repeat(NULL, len(array)))
    if kind.base == "unknown" or pa.types.is_null(array.type):
        return _encode_nulls(array)
    if kind.base in _NESTED:

        def inner(kind: TrinoType, array: pa.Array) -> pa.StringArray:
            return _with_quotes(fragments(kind, array, parametric))

        return Fragments(_fill_nulls(_JSON[kind.base](kind, array, inner)))
    if not parametric:
        kind, array = round_to_millis(kind, array)
    printed = text(kind, array)
    if kind.base in FLOATS:
        printed = _quote_where(pc.invert(pc.is_finite(array)), printed)
    if kind.base in BARE:
        return Fragments(_fill_nulls(printed))
    if kind.base in FROM_USERS:
        printed = escape(printed)
    if not printed.null_count:
        return Fragments(printed, '"')
    return Fragments(_fill_nulls(pc.binary_join_element_wise('"', printed, '"', "")))


def in_row(pieces: Sequence[Fragments], end: str = "]") -> pa.StringArray:
    """``[a,b,c]``, one for each place of the columns."""
    parts: list[object] = []
    before = "["
    for piece in pieces:
        parts += [before + piece.around, piece.array]
        before = piece.around + ","
    return pc.binary_join_element_wise(*parts, before[:-1] + end, "")


def _java(kind: TrinoType, array: pa.Array) -> pa.StringArray:
    """What toString gives; ``null`` for NULL."""
    array = conform(kind, array)
    if len(array) and array.null_count == len(array):
        return pa.repeat(NULL, len(array))
    if kind.base == "unknown" or pa.types.is_null(array.type):
        return _encode_nulls(array).array
    if kind.base in _NESTED:
        return _fill_nulls(_JAVA[kind.base](kind, array, _java))
    printed = text(kind, array)
    if kind.base in FLOATS:
        values = array.fill_null(0).to_numpy(zero_copy_only=False)
        texts = printed.fill_null("0").to_pylist()
        made = [java_number(value, piece) for value, piece in zip(values, texts, strict=True)]
        printed = with_nulls_of(array, pa.array(made, pa.string()))
    return _fill_nulls(printed)


def _encode_nulls(array: pa.Array) -> Fragments:
    if len(array):
        raise NotCarried("a value where only NULL can be")
    return Fragments(pa.array([], pa.string()))


def _fill_nulls(array: pa.StringArray) -> pa.StringArray:
    return array.fill_null(NULL) if array.null_count else array


def _with_quotes(piece: Fragments) -> pa.StringArray:
    if not piece.around:
        return piece.array
    return pc.binary_join_element_wise(piece.around, piece.array, piece.around, "")


def _quote_where(mask: pa.BooleanArray, printed: pa.StringArray) -> pa.StringArray:
    if not pc.any(mask).as_py():
        return printed
    return pc.if_else(mask, pc.binary_join_element_wise('"', printed, '"', ""), printed)


def _json_array(kind: TrinoType, array: pa.Array, inner: _Inner) -> pa.StringArray:
    return _between("[", _lists(array, inner(kind.element, _inside(array, array.values)), ","), "]")


def _java_array(kind: TrinoType, array: pa.Array, inner: _Inner) -> pa.StringArray:
    values = inner(kind.element, _inside(array, array.values))
    return _between("[", _lists(array, values, ", "), "]")


def _json_map(kind: TrinoType, array: pa.Array, inner: _Inner) -> pa.StringArray:
    keys = escape(_java(kind.types[0], _inside(array, array.keys)))
    values = inner(kind.types[1], _inside(array, array.items))
    entries = pc.binary_join_element_wise('"', keys, '":', values, "")
    return _between("{", _lists(array, entries, ","), "}")


def _java_map(kind: TrinoType, array: pa.Array, inner: _Inner) -> pa.StringArray:
    keys = inner(kind.types[0], _inside(array, array.keys))
    values = inner(kind.types[1], _inside(array, array.items))
    entries = pc.binary_join_element_wise(keys, values, "=")
    return _between("{", _lists(array, entries, ", "), "}")


def _json_row(kind: TrinoType, array: pa.Array, inner: _Inner) -> pa.StringArray:
    fields = zip(kind.fields, array.flatten(), strict=True)
    pieces = [Fragments(inner(field_name.type, values)) for field_name, values in fields]
    return with_nulls_of(array, in_row(pieces))


def _java_row(kind: TrinoType, array: pa.Array, inner: _Inner) -> pa.StringArray:
    fields = zip(kind.fields, array.flatten(), strict=True)
    texts = [inner(field_name.type, values) for field_name, values in fields]
    return with_nulls_of(array, _between("[", pc.binary_join_element_wise(*texts, ", "), "]"))


_JSON = {"array": _json_array, "map": _json_map, "row": _json_row}
_JAVA = {"array": _java_array, "map": _java_map, "row": _java_row}


def _inside(array: pa.Array, child: pa.Array) -> pa.Array:
    """The part of a list's or map's child that a slice of it is about."""
    if not len(array):
        return child.slice(0, 0)
    start, end = array.offsets[0].as_py(), array.offsets[-1].as_py()
    return child.slice(start, end - start)


def _lists(array: pa.Array, values: pa.StringArray, separator: str) -> pa.StringArray:
    """Values joined as ``array`` groups them; NULL where it is NULL."""
    offsets = array.offsets.to_numpy()
    lists = pa.ListArray.from_arrays(pa.array(offsets - offsets[0], pa.int32()), values)
    return with_nulls_of(array, pc.binary_join(lists, separator))


def _between(opening: str, joined: pa.StringArray, closing: str) -> pa.StringArray:
    return pc.binary_join_element_wise(opening, joined, closing, "")
