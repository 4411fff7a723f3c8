"""Materialized views as they are stored: a table whose properties hold what it was made from.

The query and the state of the last refresh are written in the same commit as the rows, so that
they always tell the truth about them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqe.catalog.protocol import Json
from sqe.errors import ErrorCode, UpstreamError, UserError
from sqe.model.names import RelationName, SchemaName
from sqe.sql.statement import Access, Reference, Statement, position_at

DEFINITION = "sqe.materialized-view"
STATE = "sqe.materialized-view.state"


@dataclass(frozen=True)
class Definition:
    """``query_columns`` are the names the query itself gives; the table has the view's own."""

    text: str
    schema: SchemaName  # where unqualified names in the text look
    query_columns: tuple[str, ...]
    dialect: str = "spark"

    def to_json(self) -> str:
        return json.dumps(
            {
                "query": self.text,
                "dialect": self.dialect,
                "default-catalog": self.schema.catalog,
                "default-namespace": list(self.schema.path),
                "query-columns": list(self.query_columns),
            }
        )


@dataclass(frozen=True)
class Source:
    """A table that was read, and exactly what of it."""

    name: RelationName
    uuid: str
    snapshot: int | None  # None: the table had none yet
    schema_id: int


@dataclass(frozen=True)
class State:
    """What the last refresh did. ``base`` is the view's snapshot that it started from: the one it
    made comes right after."""

    sources: tuple[Source, ...]
    refreshed_ms: int
    kind: str  # full or incremental
    base: int | None
    time_zone: str
    views: tuple[tuple[RelationName, str], ...] = ()  # with their definitions' fingerprints

    def to_json(self) -> str:
        sources = [
            {
                **_name_to_json(source.name),
                "uuid": source.uuid,
                "snapshot-id": source.snapshot,
                "schema-id": source.schema_id,
            }
            for source in self.sources
        ]
        return json.dumps(
            {
                "sources": sources,
                "refreshed-ms": self.refreshed_ms,
                "kind": self.kind,
                "base-snapshot-id": self.base,
                "time-zone": self.time_zone,
                "views": [
                    {**_name_to_json(name), "fingerprint": fingerprint}
                    for name, fingerprint in self.views
                ],
            }
        )


def _name_to_json(name: RelationName) -> Json:
    return {"catalog": name.catalog, "namespace": list(name.schema.path), "name": name.name}


def _name(stored: Json) -> RelationName:
    return RelationName(SchemaName(stored["catalog"], tuple(stored["namespace"])), stored["name"])


def is_materialized(metadata: Json) -> bool:
    return DEFINITION in (metadata.get("properties") or {})


def read_definition(metadata: Json) -> Definition:
    try:
        stored = json.loads(metadata["properties"][DEFINITION])
        return Definition(
            text=stored["query"],
            schema=SchemaName(stored["default-catalog"], tuple(stored["default-namespace"])),
            query_columns=tuple(stored["query-columns"]),
            dialect=stored["dialect"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _corrupt("definition") from error


def read_state(metadata: Json) -> State:
    try:
        stored = json.loads(metadata["properties"][STATE])
        sources = tuple(
            Source(_name(source), source["uuid"], source["snapshot-id"], source["schema-id"])
            for source in stored["sources"]
        )
        return State(
            sources,
            stored["refreshed-ms"],
            stored["kind"],
            stored["base-snapshot-id"],
            stored["time-zone"],
            tuple((_name(view), view["fingerprint"]) for view in stored["views"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _corrupt("state") from error


def refuse_change(statement: Statement, reference: Reference, name: RelationName) -> None:
    """Rows and columns of a materialized view are its query's; only files may be kept up."""
    looking = reference.access in (Access.READ, Access.DESCRIBE)
    if looking or statement.traits.changes_materialized_views:
        return
    hint = "REFRESH MATERIALIZED VIEW brings it up to date."
    if reference.access is Access.DROP:
        hint = "Use DROP MATERIALIZED VIEW."
    elif reference.access in (Access.ALTER, Access.CREATE):
        hint = "CREATE OR REPLACE MATERIALIZED VIEW makes it anew."
    raise UserError(
        ErrorCode.NOT_SUPPORTED,
        f"{name} is a materialized view; it cannot be changed by {statement.label}.",
        hint=hint,
        position=position_at(statement.text, reference.span.start),
    )


def source_of(name: RelationName, metadata: Json) -> Source:
    return Source(
        name,
        str(metadata.get("table-uuid", "")),
        current_snapshot_id(metadata),
        int(metadata.get("current-schema-id", 0)),
    )


def current_snapshot_id(metadata: Json) -> int | None:
    snapshot_id = metadata.get("current-snapshot-id")
    return None if snapshot_id in (None, -1) else int(snapshot_id)


def _corrupt(what: str) -> UpstreamError:
    return UpstreamError(
        ErrorCode.CORRUPT_DATA,
        f"The materialized view's {what} is damaged.",
        hint="CREATE OR REPLACE MATERIALIZED VIEW makes it anew.",
    )
