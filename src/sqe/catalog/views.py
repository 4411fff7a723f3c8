"""Views as they are stored: their text, the context it was written in, the columns they show."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.catalog.schemas import (
    columns_of,
    current_view_version,
    view_dialects,
    view_text,
)
from sqe.errors import ErrorCode, UserError
from sqe.model.names import RelationName, SchemaName
from sqe.model.query import Column

# Where Iceberg on Spark keeps the names that the query itself gives its columns.
QUERY_COLUMNS = "spark.query-column-names"
# Where SQE keeps the columns' types as Spark spells them; Iceberg's own are coarser.
COLUMN_TYPES = "sqe.column-types"
# Where SQE keeps the mode of a view that says WITH SCHEMA TYPE EVOLUTION: such a view has no kept
# types. Any other goes on giving those that it was made with (COMPENSATION).
SCHEMA_MODE = "sqe.schema-mode"
TYPE_EVOLUTION = "TYPE EVOLUTION"
# In TBLPROPERTIES of CREATE VIEW: the query in Trino's dialect, kept as a text of the view.
TRINO_PREFIX = "trino."  # and what else is known of that query: its columns' types
TRINO_QUERY = f"{TRINO_PREFIX}query"
# Where SQE says that its store knows whose rights the view is read with. Other engines can write
# it too: it is a reason to look there and nothing more.
SECURITY = "sqe.security"
DEFINER = "definer"
# Iceberg's: a new version may lack a dialect that the one before had.
DROP_DIALECT = "replace.drop-dialect.allowed"


@dataclass(frozen=True, slots=True)
class StoredView:
    """``query_columns`` are the names the query itself gives, where they differ from the view's."""

    name: str
    text: str
    columns: tuple[Column, ...]
    schema: SchemaName | None
    relation: RelationName | None = None
    query_columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()  # Spark's, where they were kept: the view goes on giving them
    definer: str = ""  # whose rights it is read with; empty: those of who reads it
    dialect: str = "spark"  # that it was written in; ``text`` is Spark's, translated if need be


def read_view(name: RelationName, loaded: Loaded, *, reads: bool = True) -> StoredView:
    """``reads``: its query is going to be run. A view of another engine can still be dropped."""
    metadata = loaded.metadata
    text = view_text(metadata)
    if text is None and reads:
        dialects = ", ".join(view_dialects(metadata)) or "no"
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"View {name} is written in the {dialects} dialect; SQE opens views in Spark's only.",
            hint="Create it again through SQE.",
        )
    version = current_view_version(metadata)
    catalog = version.get("default-catalog") or name.catalog
    namespace = tuple(version.get("default-namespace") or name.schema.path)
    return StoredView(
        name=name.name,
        text=text or "",
        columns=columns_of(metadata),
        schema=SchemaName(catalog, namespace),
        relation=name,
        query_columns=_query_columns(metadata.get("properties", {})),
        types=_types(metadata.get("properties", {})),
        dialect="trino" if is_trino(metadata) else "spark",
    )


def is_trino(metadata: Json) -> bool:
    """Whether the view was made in Trino's SQL."""
    return "trino" in (dialect.lower() for dialect in view_dialects(metadata))


def digest_of(text: str, schema: SchemaName | None, uuid: str) -> str:
    """Of all that a view's query means: another text, another place, another view differ."""
    where = [schema.catalog, *schema.path] if schema is not None else []
    document = json.dumps([uuid, where, text])
    return hashlib.sha256(document.encode()).hexdigest()


def _types(properties: dict[str, str]) -> tuple[str, ...]:
    stored = properties.get(COLUMN_TYPES, "")
    return tuple(json.loads(stored)) if stored else ()


def _query_columns(properties: dict[str, str]) -> tuple[str, ...]:
    stored = properties.get(QUERY_COLUMNS, "")
    return tuple(stored.split(",")) if stored else ()


def view_change(ident: Ident, metadata: Json, updates: list[Json]) -> Json:
    """What a catalog is asked to make of the very view that was looked at."""
    return {
        "identifier": {"namespace": list(ident.namespace), "name": ident.name},
        "requirements": [{"type": "assert-view-uuid", "uuid": metadata["view-uuid"]}],
        "updates": updates,
    }
