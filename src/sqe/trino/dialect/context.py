"""What the translation must know besides the text: the client, the moment, and the catalogs."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sqe.model.query import ClientState
from sqe.model.trino_types import TrinoType
from sqe.trino.dialect import nodes
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.typed import OpenParameter


@dataclass(frozen=True, slots=True)
class KnownColumn:
    name: str
    type: TrinoType
    nullable: bool = True
    comment: str = ""
    hidden: bool = False  # not part of ``*``


@dataclass(frozen=True)
class Known:
    """A relation as this user sees it. ``text`` is how Spark's SQL names it; ``metadata`` Iceberg's
    own, of tables and views."""

    text: str
    columns: tuple[KnownColumn, ...]
    kind: str = "TABLE"  # VIEW, MATERIALIZED VIEW, METADATA
    metadata: Mapping[str, Any] = field(default_factory=dict)
    broken: str = ""  # why a view cannot be read
    tells_files: bool = False  # whether this user may ask for the file that a row is in
    definer: str = ""  # of a view: whose rights it is read with; empty: those of who reads it


@dataclass(frozen=True)
class KnownFunction:
    """A function that somebody has written. ``text`` is how Spark's SQL names it, ``types`` and
    ``returns`` are Spark's; ``trino``: what it says in Trino's SQL, if it was written in that."""

    text: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    returns: str
    trino: str = ""
    comment: str = ""
    deterministic: bool = True


class Lookup(Protocol):
    """The catalogs, as the user. Names are lower case, as Trino's are; absence is no error."""

    def catalogs(self) -> Sequence[str]: ...
    def schema_exists(self, catalog: str, schema: str) -> bool: ...
    def schema_properties(self, catalog: str, schema: str) -> Mapping[str, str]: ...
    def relation(self, catalog: str, schema: str, name: str) -> Known | None:
        """A table, a view, a relation of information_schema or system, or ``t$snapshots``."""
        ...

    def target(self, catalog: str, schema: str, name: str) -> Known | None:
        """The same of what a statement changes, which need not be readable."""
        ...

    def function(self, catalog: str, schema: str, name: str) -> KnownFunction | None:
        """A function that returns a value, and that this user may call."""
        ...

    def functions(self, catalog: str, schema: str) -> Mapping[str, KnownFunction]:
        """All of them in a schema, by name."""
        ...


@dataclass(frozen=True)
class Context:
    """One statement's. ``now`` is when it began, in UTC: current_timestamp and all its kin."""

    text: str
    client: ClientState
    user: str
    lookup: Lookup
    now: datetime.datetime
    # The values of ``?``, in order: the expressions behind EXECUTE … USING.
    parameters: tuple[nodes.Expression, ...] | None = None
    # Filled instead, one for each, where they are only asked for (DESCRIBE INPUT).
    open_parameters: tuple[OpenParameter, ...] = ()
    # "view" or "materialized view": the text is kept and run later, by others. ``now`` and what
    # else is this session's must not become part of it.
    stored: str = ""
    # Whether roles and privileges are kept by SQE, so that there are statements about them.
    grants: bool = False

    def table_name(self, name: nodes.Name) -> tuple[str, str, str]:
        """catalog, schema and table, completed from what the client uses."""
        parts = [part.name.lower() for part in name]
        at = name[0].at
        if len(parts) > 3:
            raise Refused("SYNTAX_ERROR", "Too many parts in table name: " + ".".join(parts), at)
        client = self.client
        if len(parts) == 1 and not client.schema:
            message = "Schema must be specified when session schema is not set"
            raise Refused("MISSING_SCHEMA_NAME", message, at)
        if len(parts) < 3 and not client.catalog:
            message = "Catalog must be specified when session catalog is not set"
            raise Refused("MISSING_CATALOG_NAME", message, at)
        missing = [client.catalog.lower(), client.schema.lower()][: 3 - len(parts)]
        catalog, schema, table = (*missing, *parts)
        return catalog, schema, table
