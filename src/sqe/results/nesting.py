"""Lists and maps taken apart: their children, and which of them belong to which row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import pyarrow as pa
import pyarrow.types as kinds

_T = TypeVar("_T")


class Spans:
    """Where each row's children are. Only the children of this (maybe sliced) array are touched."""

    def __init__(self, array: pa.Array) -> None:
        if not len(array):
            offsets = [0]  # Spark sends no buffer of them, and pyarrow would read what is not there
        elif kinds.is_fixed_size_list(array.type):
            size = array.type.list_size
            offsets = [(array.offset + row) * size for row in range(len(array) + 1)]
        else:
            offsets = array.offsets.to_pylist()
        self._first = offsets[0]
        self._offsets = [offset - self._first for offset in offsets]

    def children(self, values: pa.Array) -> pa.Array:
        return values.slice(self._first, self._offsets[-1])

    def join(self, parts: list[str], brackets: str) -> list[str]:
        """The texts of the children as one text per row."""
        return [brackets[0] + ", ".join(row) + brackets[1] for row in self.rows(parts)]

    def rows(self, parts: list[_T]) -> Iterator[list[_T]]:
        """The children of each row."""
        for begin, end in zip(self._offsets[:-1], self._offsets[1:], strict=True):
            yield parts[begin:end]


def validity(array: pa.Array) -> list[bool]:
    valid: list[bool] = array.is_valid().to_pylist()
    return valid
