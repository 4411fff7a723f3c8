"""Time travel: which snapshot is read, and which columns the table had then."""

from __future__ import annotations

import datetime
import re
from typing import Any
from zoneinfo import ZoneInfo

from sqlglot import exp

from sqe.binding.bound import BoundTable
from sqe.catalog.protocol import Json
from sqe.catalog.schemas import columns_of_schema
from sqe.engines.local.plan import NotLocal
from sqe.model.query import Column

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z?\Z")


def read_at(
    table: BoundTable, version: Any, time_zone: str
) -> tuple[int | None, tuple[Column, ...]]:
    """The snapshot and the columns. A branch has the table's columns as they are now, a snapshot
    and a tag have those of their time."""
    if version is None and not table.suffix:
        return None, table.columns
    if table.loaded is None or (version is not None and table.suffix):
        raise NotLocal("this kind of time travel is Spark's")
    metadata = table.loaded.metadata
    if version is None:
        return _suffix(table, metadata)
    wanted = version.expression
    if str(version.this).upper() == "TIMESTAMP":
        snapshot_id = _as_of(metadata, _moment(wanted, time_zone))
        return snapshot_id, _columns_then(metadata, snapshot_id)
    if not isinstance(wanted, exp.Literal):
        raise NotLocal("a computed version is Spark's")
    text = str(wanted.this)
    if text.isdigit():
        return int(text), _columns_then(metadata, int(text))
    if not wanted.is_string:
        raise NotLocal("a computed version is Spark's")
    return _reference(table, metadata, text)


def _suffix(table: BoundTable, metadata: Json) -> tuple[int, tuple[Column, ...]]:
    (part,) = table.suffix
    for prefix, kind in (("branch_", "branch"), ("tag_", "tag")):
        if part.startswith(prefix):
            reference = (metadata.get("refs") or {}).get(part[len(prefix) :])
            if reference is not None and reference.get("type") == kind:
                return _reference(table, metadata, part[len(prefix) :])
    raise NotLocal("metadata tables are Spark's")


def _reference(table: BoundTable, metadata: Json, name: str) -> tuple[int, tuple[Column, ...]]:
    reference = (metadata.get("refs") or {}).get(name)
    if reference is None:
        raise NotLocal(f"{name} is not a branch or tag of the table")
    snapshot_id = int(reference["snapshot-id"])
    if reference.get("type") == "branch":
        return snapshot_id, table.columns
    return snapshot_id, _columns_then(metadata, snapshot_id)


def _columns_then(metadata: Json, snapshot_id: int) -> tuple[Column, ...]:
    for snapshot in metadata.get("snapshots") or ():
        if snapshot["snapshot-id"] == snapshot_id:
            for schema in metadata.get("schemas") or ():
                if schema.get("schema-id") == snapshot.get("schema-id"):
                    return columns_of_schema(schema)
            raise NotLocal("a snapshot that does not say its schema is Spark's")
    raise NotLocal("the snapshot is not in the table's metadata")


def _as_of(metadata: Json, moment: datetime.datetime) -> int:
    """What the table's log says was current then."""
    millis = (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)) // (
        datetime.timedelta(milliseconds=1)
    )
    entries = [e for e in metadata.get("snapshot-log") or () if e["timestamp-ms"] <= millis]
    if not entries:
        raise NotLocal("the table has no snapshot that old")
    return int(entries[-1]["snapshot-id"])


def _moment(node: Any, time_zone: str) -> datetime.datetime:
    """A date or a moment as written, in the session's zone."""
    if isinstance(node, exp.Cast) and node.args["to"].this in (
        exp.DataType.Type.TIMESTAMPTZ,
        exp.DataType.Type.TIMESTAMPLTZ,
        exp.DataType.Type.TIMESTAMP,
    ):
        node = node.this
    if not isinstance(node, exp.Literal) or not node.is_string:
        raise NotLocal("time travel to a computed moment is Spark's")
    text = str(node.this)
    if not (_DATE.match(text) or _MOMENT.match(text)):
        raise NotLocal("time travel to a moment in this form is Spark's")
    if text.endswith("Z"):
        return local_moment(text.removesuffix("Z"), "UTC")
    return local_moment(text, time_zone)


def local_moment(text: str, time_zone: str) -> datetime.datetime:
    """NotLocal for a moment that the zone's clocks show twice or never."""
    try:
        plain = datetime.datetime.fromisoformat(text)
        zone = ZoneInfo(time_zone)
    except (ValueError, KeyError) as error:
        raise NotLocal("a moment that is not certain is Spark's") from error
    first, second = (plain.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
    if first != second:
        raise NotLocal("a moment that is not certain is Spark's")
    return plain.replace(tzinfo=zone)
