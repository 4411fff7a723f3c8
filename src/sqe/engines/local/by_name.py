"""Whether a scan's files can be read by the names they have inside, instead of by field ids.

The rows are the same, but DuckDB knows the columns' statistics only then, and a good order of
joins depends on them. So this is for files that all have one schema, which is the scan's own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sqe.catalog.protocol import Json
from sqe.engines.local.footers import Footer, Row

_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,")
_DUCKDBS_OWN = {"filename", "file_row_number", "file_index"}
# Where Iceberg may have widened a type, the file must have the wide one.
_PHYSICAL = {"int": "INT32", "long": "INT64", "float": "FLOAT", "double": "DOUBLE"}


def names_in_files(footers: Collection[Footer], fields: Sequence[Json]) -> tuple[str, ...] | None:
    """The fields' names inside the files; None where only their ids will do. The footers have
    passed ``check_footer`` for these fields."""
    if len(footers) != 1:
        return None
    (footer,) = footers
    columns = list(_top_level(footer))
    names = {_name(column).lower() for column in columns}
    if len(names) < len(columns) or names & _DUCKDBS_OWN:
        return None  # DuckDB's names would not be the file's
    by_id = {column[3]: column for column in columns}
    names_by_place = [by_id.get(field["id"]) for field in fields]
    if all(
        column is not None and _same_type(column, field["type"])
        for column, field in zip(names_by_place, fields, strict=True)
    ):
        return tuple(_name(column) for column in names_by_place if column is not None)
    return None


def _same_type(column: Row, iceberg_type: Any) -> bool:
    """Whether DuckDB takes the column for the very type, without a cast."""
    if not isinstance(iceberg_type, str) or column[2]:
        return False
    if iceberg_type in _PHYSICAL:
        return bool(column[1] == _PHYSICAL[iceberg_type])
    decimal = _DECIMAL.match(iceberg_type)
    if decimal:
        return bool(column[6] == int(decimal[1]))
    if iceberg_type.startswith("timestamp"):
        return str(column[4] or "").startswith("TimestampType")
    return True


def _name(column: Row) -> str:
    return str(column[0])


def _top_level(footer: Footer) -> Iterator[Row]:
    rows = iter(footer)
    for _ in range(next(rows)[2] or 0):
        column = next(rows)
        yield column
        _skip(rows, column)


def _skip(rows: Iterator[Row], parent: Row) -> None:
    for _ in range(parent[2] or 0):
        _skip(rows, next(rows))
