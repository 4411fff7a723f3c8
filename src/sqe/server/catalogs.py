"""The catalogs of the settings, each made by its type."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqe.catalog.catalog_type import CatalogFacts, CatalogType, KeepsAnswers, Listeners, MadeCatalog
from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded.entry import EMBEDDED
from sqe.catalog.folder.entry import FILES
from sqe.catalog.glue.entry import GLUE
from sqe.catalog.hive.entry import HIVE
from sqe.catalog.jdbc.entry import JDBC
from sqe.catalog.protocol import Catalog
from sqe.catalog.remote.entry import REST
from sqe.errors import ErrorCode, SqeError, UserError, error_of
from sqe.model.identity import Identity
from sqe.server.change import Change
from sqe.settings import Settings
from sqe.settings.catalogs import CatalogSettings, overlap_of_warehouses

# A new type of catalog is a line here, and its settings are one more in `settings/catalogs.py`.
CATALOG_TYPES: tuple[CatalogType[Any], ...] = (EMBEDDED, REST, JDBC, FILES, HIVE, GLUE)
_BY_SETTINGS = {entry.settings: entry for entry in CATALOG_TYPES}
_NOBODY = Identity("sqe")  # SQE's own catalogs ask nobody who they are


def own_catalogs(settings: Settings) -> list[str]:
    """The names of SQE's own."""
    return [name for name, each in settings.catalogs.items() if _BY_SETTINGS[type(each)].own]


def make_others(settings: Settings) -> dict[str, MadeCatalog]:
    """Those that are not SQE's own: nothing is asked of them."""
    return {
        name: _BY_SETTINGS[type(catalog)].make(name, catalog, settings, Listeners())
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
    return _BY_SETTINGS[type(catalog)].make(name, catalog, settings, Listeners())


class SettingsCatalogs:
    """``catalogs`` opens them by name, ``own`` has those that need no login, ``facts`` what people
    are told of each. ``attach`` and ``detach`` change which there are. ``close`` when nobody uses
    any of them."""

    def __init__(self, settings: Settings, listeners: Listeners | None = None) -> None:
        self._settings = settings
        self._listeners = listeners or Listeners()
        self._lock = threading.RLock()  # the settings' watch, and whoever attaches
        self._attached: dict[str, CatalogSettings] = {}
        self._gone: list[MadeCatalog] = []  # somebody may be using them
        self._made = {
            name: self._make(name, one, settings) for name, one in settings.catalogs.items()
        }
        self.facts = facts_of(settings)
        self.own = {name: self._made[name].open(_NOBODY) for name in own_catalogs(settings)}
        default = self.own.get(settings.default_catalog)
        if default is not None:
            _ensure_schema(default, (settings.default_schema,))
        self.catalogs = ConfiguredCatalogs(self._made)

    @property
    def of_settings(self) -> Mapping[str, CatalogSettings]:
        """Those that the settings of now name: only there they are changed."""
        return self._settings.catalogs

    def prepare(self, settings: Settings, removed: Callable[[str], None]) -> Change:
        """Catalogs whose settings are the same go on, and so do attached ones, unless the settings
        take their names. ``removed`` is told of each that is not there any more.
        INVALID_SETTINGS."""
        before = self._settings.catalogs
        same = {name for name, one in settings.catalogs.items() if before.get(name) == one}
        new: dict[str, MadeCatalog] = {}

        def discard() -> None:
            for catalog in new.values():
                catalog.close()

        try:
            _check_apart({**self._attached, **settings.catalogs})
            for name in settings.catalogs.keys() - same:
                new[name] = self._make(name, settings.catalogs[name], settings)
            own = {name: new[name].open(_NOBODY) for name in own_catalogs(settings) if name in new}
        except SqeError:
            discard()
            raise

        def apply() -> None:
            gone = before.keys() - settings.catalogs.keys()
            with self._lock:
                self.own = {**{n: one for n, one in self.own.items() if n in same}, **own}
                self._settings = settings
                self.facts.update(facts_of(settings))
                for name in gone:
                    self.detach(name)
                for name, made in new.items():
                    self._attached.pop(name, None)
                    self._replace(name, made)
                    self.catalogs.put(name, made)
            for name in gone:
                removed(name)

        return Change(apply, discard)

    def _make(self, name: str, catalog: CatalogSettings, settings: Settings) -> MadeCatalog:
        return _BY_SETTINGS[type(catalog)].make(name, catalog, settings, self._listeners)

    def check(self, name: str, catalog: CatalogSettings) -> None:
        """INVALID_SETTINGS where it could not be attached."""
        self._require_apart(name, catalog)
        self._make(name, catalog, self._settings).close()

    def _require_apart(self, name: str, catalog: CatalogSettings) -> None:
        _check_apart({**self._settings.catalogs, **self._attached, name: catalog})

    def attach(self, name: str, catalog: CatalogSettings) -> None:
        """From now on there is this one, instead of another of the name. Nothing is asked of it."""
        self._require_apart(name, catalog)
        made = self._make(name, catalog, self._settings)
        with self._lock:
            self._attached[name] = catalog
            self.facts[name] = _BY_SETTINGS[type(catalog)].describe(catalog)
            self._replace(name, made)
            self.catalogs.put(name, made)

    def attach_broken(self, name: str, kind: str, error: SqeError) -> None:
        """One that cannot be made, by name: whoever opens it is told why."""
        with self._lock:
            self.facts[name] = CatalogFacts(kind)
            self._attached.pop(name, None)
            self._replace(name, None)
            self.catalogs.put(name, _Broken(error))

    def detach(self, name: str) -> None:
        """From now on there is none of this name. Queries that have opened it keep it."""
        with self._lock:
            self.catalogs.remove(name)
            self._attached.pop(name, None)
            self._replace(name, None)
            self.facts.pop(name, None)

    def _replace(self, name: str, made: MadeCatalog | None) -> None:
        """What was there is closed at the end: queries may still use it."""
        before = self._made
        if name in before:
            self._gone.append(before[name])
        others = {n: one for n, one in before.items() if n != name}
        self._made = others if made is None else {**others, name: made}

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


@dataclass(frozen=True)
class _Broken:
    error: SqeError

    def open(self, identity: Identity) -> Catalog:
        raise error_of(self.error.code, self.error.message, hint=self.error.hint)


def _ensure_schema(catalog: Catalog, path: tuple[str, ...]) -> None:
    try:
        catalog.load_namespace(path)
    except UserError:
        catalog.create_namespace(path, {})


def _check_apart(catalogs: Mapping[str, CatalogSettings]) -> None:
    if overlap := overlap_of_warehouses(catalogs):
        raise UserError(ErrorCode.INVALID_SETTINGS, f"catalogs: {overlap}.")
