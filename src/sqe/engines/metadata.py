"""Relations that are no tables: ``information_schema``, and the metadata of other dialects."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Protocol

import pyarrow as pa

from sqe.binding.bound import BoundMetadata
from sqe.catalog.information_schema import rows
from sqe.catalog.listing import ListingFilter, listing_for
from sqe.catalog.protocol import Catalogs
from sqe.catalog.redaction import Redaction, show_all
from sqe.engines.protocol import Run
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity
from sqe.model.names import quote, string_literal

_MOST_AS_TEXT = 64 * 2**20  # bytes of rows that become literals
MetadataRows = Callable[[BoundMetadata, ListingFilter, Run], pa.Table]


class MetadataProvider(Protocol):
    """The rows of a dialect's own relations."""

    def rows(
        self,
        relation: BoundMetadata,
        wanted: ListingFilter,
        identity: Identity,
        check: Callable[[], None],
    ) -> pa.Table:
        """``check`` is called between requests and may raise, to stop."""
        ...


class MetadataSource:
    """Gives the rows of such relations, as far as the run's user may see them."""

    def __init__(
        self,
        catalogs: Catalogs,
        redaction: Redaction = show_all,
        providers: Mapping[str, MetadataProvider] = MappingProxyType({}),
    ) -> None:
        self._catalogs = catalogs
        self._redaction = redaction
        self._providers = providers

    def rows(self, relation: BoundMetadata, wanted: ListingFilter, run: Run) -> pa.Table:
        identity, check = run.session.identity, run.cancellation.check
        if relation.provider:
            return self._providers[relation.provider].rows(relation, wanted, identity, check)
        listing = listing_for(
            self._catalogs, relation.catalog, identity, wanted, check, self._redaction
        )
        return rows(listing, relation.catalog, relation.table)

    def as_values(self, relation: BoundMetadata, run: Run) -> str:
        """A relation as literals, for a query that Spark has to run."""
        table = self.rows(relation, ListingFilter(), run)
        if table.nbytes > _MOST_AS_TEXT:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"{relation.schema}.{relation.table} has {table.num_rows:,} rows, too many to be"
                " read by Spark.",
                hint="Ask for less: EXPLAIN says what of the query the local engine cannot read.",
            )
        names = ", ".join(quote(column.name) for column in relation.columns)
        casts = ", ".join(
            f"CAST({quote(c.name)} AS {c.type.upper()}) AS {quote(c.name)}"
            for c in relation.columns
        )
        lines = [
            "(" + ", ".join(_literal(value) for value in row.values()) + ")"
            for row in table.to_pylist()
        ]
        empty = "" if lines else " WHERE false"
        if not lines:
            lines = ["(" + ", ".join("NULL" for _ in relation.columns) + ")"]
        source = f"VALUES {', '.join(lines)} AS t({names})"
        return f"SELECT {casts} FROM {source}{empty}"  # noqa: S608  literals only


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, list):
        return f"ARRAY({', '.join(map(_literal, value))})"
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S.%f}Z'"
    return str(value) if isinstance(value, int) else string_literal(str(value))
