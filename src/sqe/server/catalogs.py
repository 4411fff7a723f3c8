"""The catalogs of the settings, each made by its type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqe.catalog.catalog_type import CatalogFacts, CatalogType, KeepsAnswers, MadeCatalog
from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded.entry import EMBEDDED
from sqe.catalog.jdbc.entry import JDBC
from sqe.catalog.protocol import Catalog
from sqe.catalog.remote.entry import REST
from sqe.errors import SqeError, UserError
from sqe.model.identity import Identity
from sqe.model.observer import UNOBSERVED, Observer
from sqe.server.change import Change
from sqe.settings import Settings

# A new type of catalog is a line here, and its settings are one more in `settings/catalogs.py`.
CATALOG_TYPES: tuple[CatalogType[Any], ...] = (EMBEDDED, REST, JDBC)
_BY_SETTINGS = {entry.settings: entry for entry in CATALOG_TYPES}
_NOBODY = Identity("sqe")  # SQE's own catalogs ask nobody who they are


def own_catalogs(settings: Settings) -> list[str]:
    """The names of SQE's own."""
    return [name for name, one in settings.catalogs.items() if _BY_SETTINGS[type(one)].own]


def make_others(settings: Settings) -> dict[str, MadeCatalog]:
    """Those that are not SQE's own: nothing is asked of them."""
    return {
        name: _BY_SETTINGS[type(catalog)].make(name, catalog, settings, UNOBSERVED)
        for name, catalog in settings.catalogs.items()
        if not _BY_SETTINGS[type(catalog)].own
    }


def facts_of(settings: Settings) -> dict[str, CatalogFacts]:
    """What people are told of each, by name."""
    return {
        name: _BY_SETTINGS[type(catalog)].describe(catalog)
        for name, catalog in settings.catalogs.items()
    }


def make_catalog(settings: Settings, name: str) -> MadeCatalog:
    """One of them by itself: nothing is asked of it."""
    catalog = settings.catalogs[name]
    return _BY_SETTINGS[type(catalog)].make(name, catalog, settings, UNOBSERVED)


class SettingsCatalogs:
    """``catalogs`` opens them by name, ``own`` has those that need no login. ``close`` when nobody
    uses any of them."""

    def __init__(self, settings: Settings, observer: Observer = UNOBSERVED) -> None:
        self._observer = observer
        self._settings = settings
        self._gone: list[MadeCatalog] = []  # somebody may be using them
        self._made: dict[str, MadeCatalog] = {
            name: self._make(name, settings) for name in settings.catalogs
        }
        self.facts = facts_of(settings)
        self.own = {name: self._made[name].open(_NOBODY) for name in own_catalogs(settings)}
        default = self.own.get(settings.default_catalog)
        if default is not None:
            _ensure_schema(default, (settings.default_schema,))
        self.catalogs = ConfiguredCatalogs(self._made)

    def prepare(self, settings: Settings, removed: Callable[[str], None]) -> Change:
        """Catalogs whose settings are the same go on. ``removed`` is told of each that is not
        there any more. INVALID_SETTINGS."""
        before = self._settings.catalogs
        same = {name for name, one in settings.catalogs.items() if before.get(name) == one}
        new: dict[str, MadeCatalog] = {}

        def discard() -> None:
            for catalog in new.values():
                catalog.close()

        try:
            for name in settings.catalogs.keys() - same:
                new[name] = self._make(name, settings)
            own = {name: new[name].open(_NOBODY) for name in own_catalogs(settings) if name in new}
        except SqeError:
            discard()
            raise

        def apply() -> None:
            self._gone += [made for name, made in self._made.items() if name not in same]
            self._made = {**{name: self._made[name] for name in same}, **new}
            self.own = {**{n: one for n, one in self.own.items() if n in same}, **own}
            self._settings = settings
            self.facts.update(facts_of(settings))
            for name in self.facts.keys() - settings.catalogs.keys():
                del self.facts[name]
            self.catalogs.replace(self._made)
            for name in before.keys() - settings.catalogs.keys():
                removed(name)

        return Change(apply, discard)

    def _make(self, name: str, settings: Settings) -> MadeCatalog:
        catalog = settings.catalogs[name]
        return _BY_SETTINGS[type(catalog)].make(name, catalog, settings, self._observer)

    def cache_looks(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Hits and misses, by catalog and by what is kept."""
        return {
            (name, kept): looks
            for name, catalog in self._made.items()
            if isinstance(catalog, KeepsAnswers)
            for kept, looks in catalog.cache_looks.items()
        }

    def close(self) -> None:
        for catalog in (*self._made.values(), *self._gone):
            catalog.close()


def _ensure_schema(catalog: Catalog, path: tuple[str, ...]) -> None:
    try:
        catalog.load_namespace(path)
    except UserError:
        catalog.create_namespace(path, {})
