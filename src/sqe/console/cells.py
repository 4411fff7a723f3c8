"""A page of rows as JSON: every cell a text or null, so that no number loses a digit on its way."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from sqe.results.months import columns_of
from sqe.results.texts.cells import Spelling, texts

LONGEST_CELL = 10_000  # characters; the page asks for the whole of a longer one


def page_of(batch: pa.RecordBatch, spark_types: list[str]) -> list[list[Any]]:
    """Row by row. A cell that is too long is ``[its beginning, its length]``."""
    columns = [
        [_cell(text) for text in texts(array, kind, spelling_of(kind))]
        for array, kind in zip(columns_of(batch), spark_types, strict=True)
    ]
    return [list(row) for row in zip(*columns, strict=True)] if columns else []


def whole_cell(batch: pa.RecordBatch, column: int, spark_type: str) -> str | None:
    """The one cell of a batch of one row."""
    return texts(columns_of(batch)[column], spark_type, spelling_of(spark_type))[0]


def _cell(text: str | None) -> str | list[Any] | None:
    if text is None or len(text) <= LONGEST_CELL:
        return text
    return [text[:LONGEST_CELL], len(text)]


def spelling_of(spark_type: str) -> Spelling:
    """JSON of nested values can be opened in the page; all else is as Spark shows it."""
    nested = spark_type.startswith(("array", "map", "struct", "variant"))
    instant = spark_type == "timestamp"
    return Spelling.PORTABLE if nested or instant else Spelling.SHOWN
