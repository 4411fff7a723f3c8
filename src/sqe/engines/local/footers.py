"""What is really in a data file: its Parquet schema must be one DuckDB reads as Iceberg means it.

DuckDB gives NULL for a field id that a file does not have, also where the file has no ids at all
and its columns are to be found by name, and casts what has another type. So before a file is read
for the first time, its footer is looked at.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqe.catalog.protocol import Json
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.scan_types import stored_as
from sqe.model.names import quote_text

# One row of parquet_schema: name, physical type, children, field id, logical type, converted type,
# precision, scale. A file is the tuple of its rows, so files of one writer share one object.
Row = tuple[Any, ...]
Footer = tuple[Row, ...]
FOOTER_SQL = (
    "SELECT file_name, name, type, num_children, field_id, logical_type, converted_type,"
    " precision, scale, repetition_type FROM parquet_schema([{files}])"
)
_REMEMBERED = 200_000
_TIMESTAMP = re.compile(r"isAdjustedToUTC=(\w+).*\b(MILLIS|MICROS|NANOS)=(?!null|<null>)", re.I)


class Footers:
    """Remembers footers by path and stamp: a data file never changes, but a table that is dropped
    and made again may give another file the same name."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, Hashable], Footer] = OrderedDict()
        self._shared: dict[Footer, Footer] = {}

    def of(
        self, files: Mapping[str, Hashable], execute: Callable[[str], Any]
    ) -> Mapping[str, Footer]:
        """Path -> footer. ``files``: path -> stamp; what is not known is read by ``execute``."""
        with self._lock:
            footers = {
                path: self._known[path, stamp]
                for path, stamp in files.items()
                if (path, stamp) in self._known
            }
        unknown = [path for path in files if path not in footers]
        if unknown:
            paths = ", ".join(quote_text(path) for path in unknown)
            read = _by_file(execute(FOOTER_SQL.format(files=paths)).fetchall())
            if len(read) != len(unknown):
                raise NotLocal("a data file's footer could not be read")
            footers |= self._remember(read, files)
        return footers

    def _remember(
        self, read: Mapping[str, Footer], stamps: Mapping[str, Hashable]
    ) -> dict[str, Footer]:
        with self._lock:
            kept = {path: self._shared.setdefault(footer, footer) for path, footer in read.items()}
            self._known |= {(path, stamps[path]): footer for path, footer in kept.items()}
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
            if len(self._shared) > 10_000:
                self._shared = {footer: footer for footer in set(self._known.values())}
        return kept


def _by_file(rows: Iterable[Row]) -> dict[str, Footer]:
    files: dict[str, list[Row]] = {}
    for path, *rest in rows:
        files.setdefault(path, []).append(tuple(rest))
    return {path: tuple(file) for path, file in files.items()}


@dataclass(frozen=True)
class _Node:
    name: str
    physical: str
    logical: str
    field_id: int | None
    repeated: bool
    children: tuple[_Node, ...]


def check_footer(footer: Footer, fields: Sequence[Json], partition_sources: set[int]) -> None:
    """NotLocal unless every field is in the file in a form that DuckDB reads right, or is missing
    and has its default. ``partition_sources`` have their values in the manifest if missing."""
    root = _tree(footer)
    by_id = {node.field_id: node for node in root.children if node.field_id is not None}
    if not by_id:
        raise NotLocal("a data file has no field ids")
    for field in fields:
        node = by_id.get(field["id"])
        if node is None:
            if field["id"] in partition_sources:
                raise NotLocal(f"a data file leaves out its partition's column {field['name']}")
            if field.get("required") and field.get("initial-default") is None:
                raise NotLocal(f"a data file lacks the required column {field['name']}")
            if _anywhere(root, field["id"]):
                raise NotLocal(f"a data file has column {field['name']} in another place")
        else:
            _check(node, field["type"], field["name"])


def _check(node: _Node, iceberg_type: Any, name: str) -> None:
    if isinstance(iceberg_type, str):
        if (
            node.children
            or node.repeated
            or not stored_as(iceberg_type, node.physical, node.logical)
        ):
            raise NotLocal(f"a data file stores column {name} in a form that is not read locally")
        return
    kind = iceberg_type["type"]
    if kind == "struct":
        # Inside a column DuckDB goes by name, so the file must have the very same fields.
        children = [(child.field_id, child.name) for child in node.children]
        if children != [(field["id"], field["name"]) for field in iceberg_type["fields"]]:
            raise NotLocal(f"the fields inside column {name} have changed")
        for child, field in zip(node.children, iceberg_type["fields"], strict=True):
            _check(child, field["type"], name)
        return
    entries = _entries(node, 1 if kind == "list" else 2, name)
    if kind == "list":
        parts = [(iceberg_type["element-id"], iceberg_type["element"])]
    else:
        parts = [(iceberg_type[f"{side}-id"], iceberg_type[side]) for side in ("key", "value")]
    for child, (field_id, inner) in zip(entries, parts, strict=True):
        if child.field_id != field_id:
            raise NotLocal(f"the fields inside column {name} have changed")
        _check(child, inner, name)


def _entries(node: _Node, wanted: int, name: str) -> tuple[_Node, ...]:
    """The element, or key and value, in Parquet's three-level form."""
    logical = "list" if wanted == 1 else "map"
    if node.logical != logical or len(node.children) != 1 or not node.children[0].repeated:
        raise NotLocal(f"a data file stores column {name} in a form that is not read locally")
    entries = node.children[0].children
    if len(entries) != wanted:
        raise NotLocal(f"a data file stores column {name} in a form that is not read locally")
    return entries


def _anywhere(node: _Node, field_id: int) -> bool:
    return any(child.field_id == field_id or _anywhere(child, field_id) for child in node.children)


def _tree(footer: Footer) -> _Node:
    rows = iter(footer)
    return _node(next(rows), rows)


def _node(row: Row, rest: Iterator[Row]) -> _Node:
    name, physical, count, field_id, logical, converted, precision, scale, repetition = row
    children = tuple(_node(next(rest), rest) for _ in range(count or 0))
    return _Node(
        name,
        physical if not children and physical else "",
        _logical(logical or "", converted or "", precision, scale),
        field_id,
        repetition == "REPEATED",
        children,
    )


def _logical(logical: str, converted: str, precision: int | None, scale: int | None) -> str:
    """One word for the annotations of a Parquet column; unknown ones stay as they are."""
    if converted == "DECIMAL" or logical.startswith("DecimalType"):
        return f"decimal({precision}, {scale})"
    if logical.startswith("TimestampType"):
        match = _TIMESTAMP.search(logical)
        if match is None or match[2].upper() != "MICROS":
            return logical
        return "timestamptz" if match[1].lower() in ("1", "true") else "timestamp"
    if not logical and converted == "TIMESTAMP_MICROS":
        return "timestamptz"
    simple = {"UTF8": "string", "DATE": "date", "INT_32": "int32", "INT_64": "int64"}
    simple |= {"LIST": "list", "MAP": "map", "MAP_KEY_VALUE": "map"}
    return simple.get(converted, logical or converted)
