"""What a policy may know of a table, from what the catalog says of it."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.catalog.protocol import Loaded
from sqe.catalog.schemas import current_schema
from sqe.model.decision import ColumnFacts, TableFacts
from sqe.model.names import RelationName
from sqe.model.query import Column
from sqe.model.rules import Privilege


def table_facts(
    name: RelationName,
    privilege: Privilege,
    columns: Sequence[Column],
    loaded: Loaded | None,
) -> TableFacts:
    """``loaded`` None: the table is about to be made."""
    metadata = loaded.metadata if loaded is not None else {}
    ids = (
        {field["name"]: field["id"] for field in current_schema(metadata)["fields"]}
        if metadata
        else {}
    )
    return TableFacts(
        name,
        privilege,
        tuple(ColumnFacts(column.name, column.type, ids.get(column.name)) for column in columns),
        uuid=str(metadata.get("table-uuid", "")),
        restrictions=loaded.restrictions if loaded is not None else "",
    )
