"""What is in a catalog, as far as a query wants to know it: schemas, tables and views by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import TypeVar

from sqe.catalog.protocol import Catalog, Catalogs, Ident, Json, Loaded, Namespace
from sqe.catalog.redaction import Redaction
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName

_A = TypeVar("_A")
_T = TypeVar("_T")
_AT_ONCE = 16  # requests
_MANY = 8  # fewer are not worth their threads

# What may happen to one table or schema while the others are well: it was dropped in between, it
# is damaged, or this user may not see it. Anything else, above all a catalog that is down, fails
# the listing, because an empty answer would be a wrong one.
_SKIPPED = frozenset(
    {
        ErrorCode.SCHEMA_NOT_FOUND,
        ErrorCode.TABLE_NOT_FOUND,
        ErrorCode.VIEW_NOT_FOUND,
        ErrorCode.ACCESS_DENIED,
        ErrorCode.CORRUPT_DATA,
    }
)


@dataclass(frozen=True, slots=True)
class NameFilter:
    """Names that may be asked for. A superset of what the query wants is always right."""

    names: frozenset[str] | None = None  # None: any
    prefixes: tuple[str, ...] = ()  # all of them must fit

    def admits(self, name: str) -> bool:
        return (self.names is None or name in self.names) and all(
            name.startswith(prefix) for prefix in self.prefixes
        )

    def admits_below(self, parent: str) -> bool:
        """Whether a dotted name that starts with ``parent`` and a dot may be admitted."""
        inside = parent + "."
        return (self.names is None or any(n.startswith(inside) for n in self.names)) and all(
            inside.startswith(prefix) or prefix.startswith(inside) for prefix in self.prefixes
        )

    def both(self, other: NameFilter) -> NameFilter:
        if self.names is None or other.names is None:
            names = self.names if other.names is None else other.names
        else:
            names = self.names & other.names
        return NameFilter(names, self.prefixes + other.prefixes)


@dataclass(frozen=True, slots=True)
class Condition:
    """True of every row that the query can need: ``column op value``. ``op`` is one of = < <= > >=
    in isnull notnull startswith."""

    column: str
    op: str
    value: object = None


@dataclass(frozen=True, slots=True)
class ListingFilter:
    """``conditions`` are all there are, for relations that do not list what is in catalogs."""

    schemas: NameFilter = field(default_factory=NameFilter)
    tables: NameFilter = field(default_factory=NameFilter)
    catalogs: NameFilter = field(default_factory=NameFilter)
    conditions: tuple[Condition, ...] = ()


def _do_nothing() -> None:
    return None


def _as_it_is(name: str) -> str:
    return name


def _metadata_of(ident: Ident, loaded: Loaded, is_view: bool) -> Json | None:
    return loaded.metadata


@dataclass(frozen=True)
class Listing:
    """One catalog. Only what ``wanted`` admits is listed and loaded. ``check`` is called between
    requests and may raise, to stop. ``spell`` makes of the catalog's names those that ``wanted``
    speaks of. ``seen`` says what the user sees of a table's or view's metadata, or None."""

    catalog: Catalog
    wanted: ListingFilter
    check: Callable[[], None] = _do_nothing
    spell: Callable[[str], str] = _as_it_is
    seen: Callable[[Ident, Loaded, bool], Json | None] = _metadata_of

    def namespaces(self) -> Iterator[Namespace]:
        """Each before those in it."""
        wanted, below = self.wanted.schemas, self._namespaces_by_parent()

        def walk(parent: Namespace) -> Iterator[Namespace]:
            for namespace in below.get(parent, ()):
                if wanted.admits(self.spell_namespace(namespace)):
                    yield namespace
                yield from walk(namespace)

        return walk(())

    def _namespaces_by_parent(self) -> dict[Namespace, list[Namespace]]:
        """Level by level: a catalog is asked once for each namespace what is in it."""
        below: dict[Namespace, list[Namespace]] = {}
        level: list[Namespace] = [()]
        while level:
            for parent, namespaces in zip(level, self.map(self._children, level), strict=True):
                below[parent] = namespaces
            level = [
                namespace
                for parent in level
                for namespace in below[parent]
                if self.wanted.schemas.admits_below(self.spell_namespace(namespace))
            ]
        return below

    def _children(self, parent: Namespace) -> list[Namespace]:
        self.check()
        return sorted(_or_empty(lambda: self.catalog.list_namespaces(parent)))

    def map(self, work: Callable[[_A], _T], things: Sequence[_A]) -> list[_T]:
        """What ``work`` makes of each, in their order: at once, where there are many, because each
        may wait for the catalog."""
        if len(things) < _MANY:
            return [work(thing) for thing in things]
        with ThreadPoolExecutor(min(_AT_ONCE, len(things)), "sqe-listing") as pool:
            coming = [pool.submit(copy_context().run, work, thing) for thing in things]
            try:
                return [future.result() for future in coming]
            finally:
                for future in coming:
                    future.cancel()

    def all_relations(self) -> Iterator[tuple[Namespace, str, bool]]:
        """Everything that is wanted, by schema and name; True for a view."""
        namespaces = list(self.namespaces())
        lists = self.map(self.relations, namespaces)
        for namespace, relations in zip(namespaces, lists, strict=True):
            for name, is_view in relations:
                yield namespace, name, is_view

    def relations(self, namespace: Namespace) -> list[tuple[str, bool]]:
        """Names with True for a view. Some catalogs list views among the tables as well."""
        views = set(self.views(namespace))
        tables = set(self.tables(namespace)) - views
        return sorted([(name, False) for name in tables] + [(name, True) for name in views])

    def tables(self, namespace: Namespace) -> list[str]:
        return self._names(self.catalog.list_tables, namespace)

    def views(self, namespace: Namespace) -> list[str]:
        return self._names(self.catalog.list_views, namespace)

    def read(
        self, namespace: Namespace, name: str, is_view: bool, read: Callable[[Json], _T]
    ) -> _T | None:
        """What ``read`` makes of the metadata, or None where it cannot be had."""
        self.check()
        load: Callable[[Ident], Loaded]
        load = self.catalog.load_view if is_view else self.catalog.load_table
        ident = Ident(namespace, name)
        try:
            metadata = self.seen(ident, load(ident), is_view)
            return read(metadata) if metadata is not None else None
        except SqeError as error:
            if error.code not in _SKIPPED:
                raise
        except (ValueError, KeyError, TypeError, AttributeError):
            pass  # metadata that is not JSON, or not of Iceberg's shape
        return None

    def spell_namespace(self, namespace: Namespace) -> str:
        return self.spell(".".join(namespace))

    def _names(self, list_names: Callable[[Namespace], list[str]], at: Namespace) -> list[str]:
        self.check()
        names = _or_empty(lambda: list_names(at))
        return sorted(name for name in names if self.wanted.tables.admits(self.spell(name)))


def _or_empty(listing: Callable[[], list[_T]]) -> list[_T]:
    try:
        return listing()
    except SqeError as error:
        if error.code not in _SKIPPED:
            raise
    return []


def listing_for(  # noqa: PLR0913  whose it is, and how it is cut
    catalogs: Catalogs,
    catalog: str,
    identity: Identity,
    wanted: ListingFilter,
    check: Callable[[], None],
    redaction: Redaction,
    spell: Callable[[str], str] = _as_it_is,
) -> Listing:
    """What one user sees of a catalog."""

    def redact(ident: Ident, loaded: Loaded, is_view: bool) -> Json | None:
        name = RelationName(SchemaName(catalog, ident.namespace), ident.name)
        return redaction(identity, name, loaded, is_view)

    return Listing(catalogs.open(catalog, identity), wanted, check, spell, redact)
