"""The session properties: which there are, and what may be set to them.

Most of them tune Trino's own engine. They are taken, kept and shown so that clients which set them
go on working, and change nothing here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib import resources

from sqe.sql.zone_names import zone_in_any_case
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.statements.constants import Constant, display, type_name

_LISTED_CATALOG = "iceberg"  # whose properties every catalog has
_OWN_CATALOG = "system"
_DURATION = re.compile(r"\s*\d+(\.\d+)?\s*(ns|us|ms|s|m|h|d)\s*\Z")
_SIZE = re.compile(r"\s*\d+(\.\d+)?\s*(B|kB|MB|GB|TB|PB)\s*\Z")
_VALUES = re.compile(r"Possible values: \[(.*)\]\Z")
# Trino has these too and does not list them.
_HIDDEN = (
    ("query_max_memory", "varchar", "20GB", "Maximum amount of distributed memory"),
    ("query_max_memory_per_node", "varchar", "1GB", "Maximum amount of memory of a node"),
    ("query_max_total_memory", "varchar", "40GB", "Maximum amount of total memory"),
    ("retry_policy", "varchar", "NONE", "Retry policy. Possible values: [NONE, TASK, QUERY]"),
    ("resource_overcommit", "boolean", "false", "Use resources which are not guaranteed"),
    ("time_zone_id", "varchar", "", "Time zone id for the current session"),
)


@dataclass(frozen=True, slots=True)
class SessionProperty:
    name: str
    type: str
    default: str
    description: str
    hidden: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """The words it takes; empty for any."""
        match = _VALUES.search(self.description)
        return tuple(match[1].split(", ")) if match else ()


@cache
def _list_properties() -> tuple[SessionProperty, ...]:
    text = resources.files(__package__).joinpath("session_properties.tsv").read_text("utf-8")
    listed_properties = []
    for line in text.splitlines():
        if not line.startswith("#"):
            name, kind, default, description = line.split("\t")
            listed_properties.append(SessionProperty(name, kind, default, description))
    return (
        *listed_properties,
        *(SessionProperty(*hidden_row, hidden=True) for hidden_row in _HIDDEN),
    )


def properties(catalogs: Sequence[str]) -> list[SessionProperty]:
    """Those of the system, and those of each of these catalogs that has tables of its own."""
    all_properties = []
    prefixes = [item for item in catalogs if item != _OWN_CATALOG]
    for item in _list_properties():
        catalog, _, name = item.name.rpartition(".")
        for prefix in prefixes if catalog == _LISTED_CATALOG else (catalog,):
            full = f"{prefix}.{name}" if prefix else name
            all_properties.append(
                SessionProperty(full, item.type, item.default, item.description, item.hidden)
            )
    return all_properties


def property_named(name: str, catalogs: Sequence[str]) -> SessionProperty | None:
    return next((property_ for property_ in properties(catalogs) if property_.name == name), None)


def write_value(given: SessionProperty, value: Constant, at: int) -> str:
    """The value as the client keeps it. ``at`` is where it stands."""
    if value is None:
        raise _unusable(given, value, "Session property value must not be null")
    if not _fits(given.type, value):
        problem = f"Cannot cast type {type_name(value)} to {given.type}"
        raise _unusable(given, value, problem)
    problem = _problem(given, value)
    if problem:
        raise Refused("INVALID_SESSION_PROPERTY", problem, at)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return json.dumps(value)
    if given.type == "double":
        return str(float(str(value)))
    return str(value)


def _unusable(given: SessionProperty, value: Constant, problem: str) -> Refused:
    message = f"Unable to set session property '{given.name}' to '{display(value)}': {problem}"
    return Refused("INVALID_SESSION_PROPERTY", message)


def _fits(kind: str, value: Constant) -> bool:
    if kind == "boolean":
        return isinstance(value, bool)
    if kind in ("integer", "bigint"):
        bits = 31 if kind == "integer" else 63
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole and -(2**bits) <= int(str(value)) < 2**bits
    if kind == "double":
        return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    if kind == "varchar":
        return isinstance(value, str)
    return isinstance(value, list) and all(isinstance(element, str) for element in value)


def _problem(given: SessionProperty, value: Constant) -> str:
    """What is wrong with a value of the right type."""
    text = str(value)
    if given.values and text.upper() not in [allowed.upper() for allowed in given.values]:
        return f"Invalid value [{text}]. Valid values: [{', '.join(given.values)}]"
    if given.name == "time_zone_id" and zone_in_any_case(text) is None:
        return f"Time zone not supported: {text}"
    if given.type == "varchar" and _DURATION.match(given.default) and not _DURATION.match(text):
        return f"duration is not a valid data duration string: {text}"
    if given.type == "varchar" and _SIZE.match(given.default) and not _SIZE.match(text):
        return f"size is not a valid data size string: {text}"
    if given.name == "task_concurrency" and isinstance(value, int) and value & (value - 1):
        return f"task_concurrency must be a power of 2: {value}"
    return ""
