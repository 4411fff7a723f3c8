"""Rows of a batch as lines of CSV (RFC 4180) or as JSON objects, some thousands at a time: a batch
of Python strings takes many times the memory of the batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from sqe.results.months import columns_of
from sqe.results.texts.cells import Spelling, texts
from sqe.results.texts.json_cells import json_texts, objects

_SLICE = 10_000


def csv_lines(columns: Sequence[Sequence[str | None]], delimiter: str = ",") -> str:
    """NULL is an empty field, an empty text two quotes."""
    special = frozenset('"\r\n' + delimiter)
    fields = [[_field(cell, special) for cell in column] for column in columns]
    return "".join(f"{delimiter.join(row)}\r\n" for row in zip(*fields, strict=True))


def csv_of_batch(
    batch: pa.RecordBatch, spark_types: Sequence[str], delimiter: str = ","
) -> Iterator[str]:
    for part in _parts(batch):
        arrays = zip(columns_of(part), spark_types, strict=True)
        cells = [texts(array, kind, Spelling.PORTABLE) for array, kind in arrays]
        yield csv_lines(cells, delimiter)


def json_of_batch(
    batch: pa.RecordBatch, names: list[str], spark_types: Sequence[str]
) -> Iterator[list[str]]:
    for part in _parts(batch):
        arrays = zip(columns_of(part), spark_types, strict=True)
        yield objects(names, [json_texts(array, kind) for array, kind in arrays])


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for start in range(0, batch.num_rows, _SLICE):
        yield batch.slice(start, _SLICE)


def _field(text: str | None, special: frozenset[str]) -> str:
    if text is None:
        return ""
    if not text or not special.isdisjoint(text):
        return '"' + text.replace('"', '""') + '"'
    return text
