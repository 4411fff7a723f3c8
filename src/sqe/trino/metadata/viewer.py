"""What one user sees of the catalogs, as Trino names it: lower case, its own schemas among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from sqe.catalog.listing import Listing, ListingFilter, listing_for
from sqe.catalog.protocol import Catalogs, Json, Namespace
from sqe.catalog.redaction import Redaction, show_all
from sqe.model.identity import Identity
from sqe.trino.dialect.metadata.relations import SYSTEM, Columns, schemas_of
from sqe.trino.metadata.access import AccessRules
from sqe.trino.metadata.columns import TableColumn, trino_columns
from sqe.trino.metadata.runtime import NO_RUNTIME, Runtime

_T = TypeVar("_T")


def _do_nothing() -> None:
    return None


@dataclass(frozen=True)
class Viewer:
    """Who asks. ``check`` is called between requests and may raise, to stop."""

    catalogs: Catalogs
    identity: Identity
    runtime: Runtime = NO_RUNTIME
    check: Callable[[], None] = _do_nothing
    redaction: Redaction = show_all
    rules: AccessRules | None = None  # made with SQL

    @cached_property
    def names(self) -> dict[str, str]:
        """The catalogs they may know of, by the names that Trino's clients know them by."""
        names = self.catalogs.names(self.identity)
        return {name.lower(): name for name in names if name.lower() != SYSTEM}

    def listing(self, catalog: str, wanted: ListingFilter) -> Listing:
        return listing_for(
            self.catalogs, catalog, self.identity, wanted, self.check, self.redaction, str.lower
        )


@dataclass(frozen=True)
class Relation:
    """A table or view, or one of Trino's own relations, which has its columns with it."""

    view: CatalogView
    schema: str
    name: str
    is_view: bool = False
    own: Columns | None = None
    namespace: Namespace = ()
    stored_name: str = ""

    @property
    def path(self) -> tuple[str, str, str]:
        return self.view.name, self.schema, self.name

    def columns(self) -> tuple[TableColumn, ...]:
        """None of them where they cannot be had: Trino leaves such a table out as well."""
        if self.own is not None:
            return tuple(
                TableColumn(column.name, column.type) for column in self.own if not column.hidden
            )
        return self.read(trino_columns) or ()

    def read(self, read: Callable[[Json], _T]) -> _T | None:
        """What ``read`` makes of the stored metadata."""
        assert self.view.listing is not None  # noqa: S101  only stored relations are read
        return self.view.listing.read(self.namespace, self.stored_name, self.is_view, read)


@dataclass(frozen=True)
class CatalogView:
    """One catalog; ``system`` has nothing stored. Only what ``wanted`` admits is listed."""

    name: str
    wanted: ListingFilter
    listing: Listing | None

    def schemas(self) -> Iterator[str]:
        """Each once, should a stored schema have the name of one of Trino's."""
        own = [name for name in schemas_of(self.name) if self.wanted.schemas.admits(name)]
        yield from own
        if self.listing is not None:
            for namespace in self.listing.namespaces():
                name = self.listing.spell_namespace(namespace)
                if name not in own:
                    yield name

    def relations(self) -> Iterator[Relation]:
        for schema, tables in schemas_of(self.name).items():
            if self.wanted.schemas.admits(schema):
                for name, columns in tables.items():
                    if self.wanted.tables.admits(name):
                        yield Relation(self, schema, name, own=columns)
        yield from self.list_stored()

    def map(
        self, work: Callable[[Relation], _T], relations: Iterable[Relation]
    ) -> list[tuple[Relation, _T]]:
        """Each with what ``work``, which may read it, makes of it."""
        known = list(relations)
        if self.listing is None:
            return [(relation, work(relation)) for relation in known]
        return list(zip(known, self.listing.map(work, known), strict=True))

    def list_stored(self) -> Iterator[Relation]:
        if self.listing is None:
            return
        for namespace, name, is_view in self.listing.all_relations():
            schema = self.listing.spell_namespace(namespace)
            yield Relation(
                self, schema, name.lower(), is_view, namespace=namespace, stored_name=name
            )


def catalog_views(
    viewer: Viewer, wanted: ListingFilter, only: str | None = None
) -> Iterator[CatalogView]:
    """The catalogs that are asked for. ``only``: of an ``information_schema`` its own."""
    for name in sorted([SYSTEM, *viewer.names]):
        if not wanted.catalogs.admits(name) or (only is not None and name != only):
            continue
        listing = None
        if name != SYSTEM:
            listing = viewer.listing(viewer.names[name], wanted)
        yield CatalogView(name, wanted, listing)
