"""A stored table or view as somebody sees it who may see a part of it: Iceberg's metadata without
the hidden columns, without a trace of rows and without what the owner says of it in free words.
Whatever is told of a table is told from this."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from sqe.catalog.protocol import Json, Loaded
from sqe.catalog.schemas import current_schema
from sqe.catalog.views import QUERY_COLUMNS, TRINO_QUERY
from sqe.model.decision import Restrict
from sqe.model.identity import Identity
from sqe.model.names import RelationName

# What a user sees of a table or view (True: a view); None: nothing at all. Of whoever sees all of
# it, the loaded metadata itself.
Redaction = Callable[[Identity, RelationName, Loaded, bool], Json | None]

# Each changes when rows do, also those that are not shown, or tells how many there are.
_OF_ROWS = frozenset(
    {
        "current-snapshot-id", "last-sequence-number", "last-updated-ms", "metadata-log",
        "next-row-id", "partition-statistics", "refs", "snapshot-log", "snapshots", "statistics",
    }
)  # fmt: skip
# What Iceberg, Trino or SQE do with a table; all else is free words of its owner's.
_OF_BEHAVIOUR = re.compile(
    r"owner$|format|(write|read|commit|history|gc|schema|compatibility|sqe|spark|trino)[.]"
)
_PLACE = re.compile(r"(^|[.-])(path|location)$")
_DEFAULTS = ("initial-default", "write-default")  # values of the column, as good as in a row

# Properties whose values Spark shows to nobody, and a few names more.
_SECRET = re.compile(
    r"(?i)secret|password|passwd|token|credential|(access|api)[._-]?key|authorization|bearer"
)
_URL_LOGIN = re.compile(r"(?i)\w+://[^\s/@]*:[^\s/@]*@")
REDACTED = "*********(redacted)"  # Spark's word


def redact_secrets(properties: Mapping[str, str]) -> dict[str, str]:
    """As Spark shows properties of tables, views and schemas, whoever asks for them."""
    return {key: REDACTED if _is_secret(key, value) else value for key, value in properties.items()}


def _is_secret(key: str, value: str) -> bool:
    return any(map(_SECRET.search, (key, value))) or _URL_LOGIN.search(value) is not None


def show_all(identity: Identity, name: RelationName, loaded: Loaded, view: bool) -> Json | None:
    """Implements ``Redaction`` where there is no policy."""
    return loaded.metadata


def tellable(properties: Mapping[str, str], hidden: Collection[str]) -> dict[str, str]:
    """What a table does. Not where it is, what its owner says of it, or anything that mentions a
    hidden column, as ``write.metadata.metrics.column.x``."""
    return {
        key: value
        for key, value in properties.items()
        if _OF_BEHAVIOUR.match(key)
        and not _PLACE.search(key)
        and not _mentions(key + value, hidden)
    }


def _mentions(text: str, hidden: Collection[str]) -> bool:
    return any(name in text.lower() for name in hidden)


def redact_metadata(metadata: Json, restriction: Restrict) -> Json:
    """A copy. Of masked columns there is the name and the type."""
    hidden = {name.lower() for name in restriction.hidden}
    masked = {name.lower() for name in restriction.masks}
    gone = _ids(current_schema(metadata), hidden)
    left_out = {*_OF_ROWS, "location"}
    seen = {key: value for key, value in metadata.items() if key not in left_out}
    if "properties" in seen:
        seen["properties"] = tellable(seen["properties"] or {}, hidden)
    if "schema" in seen:
        seen["schema"] = _schema(seen["schema"], gone, hidden, masked)
    if "schemas" in seen:
        schemas = [_schema(schema, gone, hidden, masked) for schema in seen["schemas"]]
        seen["schemas"] = _without_repeats(schemas, seen.get("current-schema-id"))
    if "partition-spec" in seen:
        seen["partition-spec"] = _sources(seen["partition-spec"], gone)
    for key in ("partition-specs", "sort-orders"):
        if key in seen:
            seen[key] = [{**part, "fields": _sources(part["fields"], gone)} for part in seen[key]]
    return without_query(seen) if hidden or masked else seen


def without_query(metadata: Json) -> Json:
    """A view's query names what it is made of. Of a table there is none."""
    if "versions" not in metadata:
        return metadata
    versions = [{**version, "representations": []} for version in metadata["versions"]]
    kept = {
        key: value
        for key, value in (metadata.get("properties") or {}).items()
        if key not in (QUERY_COLUMNS, TRINO_QUERY)
    }
    return {**metadata, "versions": versions, "properties": kept}


def _schema(
    schema: Json, gone: frozenset[int], hidden: Collection[str], masked: Collection[str]
) -> Json:
    """Of an older schema, a column is known by its id, or by its name if it has been dropped."""
    fields = [
        _bare(field)
        if field["name"].lower() in masked or _mentions(field.get("doc") or "", hidden)
        else field
        for field in schema["fields"]
        if field["id"] not in gone and field["name"].lower() not in hidden
    ]
    seen = {**schema, "fields": fields}
    if "identifier-field-ids" in seen:
        kept = {ident for field in fields for ident in _ids_in(field)}
        seen["identifier-field-ids"] = [i for i in seen["identifier-field-ids"] or () if i in kept]
    return seen


def _without_repeats(schemas: list[Json], current: Any) -> list[Json]:
    """Older schemas that were others by hidden columns alone tell that these have changed."""
    now = next((schema for schema in schemas if schema.get("schema-id") == current), None)
    if now is None:
        return schemas
    return [one for one in schemas if one is now or one["fields"] != now["fields"]]


def _bare(field: Json) -> Json:
    return {key: value for key, value in field.items() if key not in (*_DEFAULTS, "doc")}


def _sources(fields: list[Json], gone: frozenset[int]) -> list[Json]:
    return [
        field
        for field in fields
        if gone.isdisjoint([field.get("source-id", -1), *field.get("source-ids", ())])
    ]


def _ids(schema: Json, hidden: Collection[str]) -> frozenset[int]:
    """Of the hidden columns and of all that is inside of them."""
    return frozenset(
        ident
        for field in schema["fields"]
        if field["name"].lower() in hidden
        for ident in _ids_in(field)
    )


def _ids_in(part: Any) -> set[int]:
    """Every field id in a part of a schema, whatever it is nested in."""
    if isinstance(part, list):
        return {ident for item in part for ident in _ids_in(item)}
    if not isinstance(part, dict):
        return set()
    own = {value for key, value in part.items() if key == "id" or key.endswith("-id")}
    return {item for item in own if isinstance(item, int)} | _ids_in(list(part.values()))
