"""Catalogs that are attached with SQL: kept in the store, and there again after a restart.

Servers that share a store follow each other's changes within a second or two: a thread looks. No
statement waits for the store, but for the first, which must know which catalogs there are. What
stands in the settings has the last word, and only there it is changed.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import closing
from pathlib import Path

from sqe.audit.events import RuleEvent
from sqe.catalog.configured import no_such_catalog
from sqe.errors import AccessError, ErrorCode, SqeError, UserError
from sqe.history.columns import SYSTEM
from sqe.model.administrators import administrators_of
from sqe.model.identity import Identity
from sqe.server.catalogs import SettingsCatalogs
from sqe.settings import Settings
from sqe.settings.attached import settings_of_attached
from sqe.settings.catalogs import CatalogSettings
from sqe.store.catalogs import CatalogDefinition, KeptCatalogs
from sqe.store.database import Database
from sqe.trino.reserved import RESERVED

_log = logging.getLogger(__name__)
_LOOK_S = 1.0
_FIRST_LOOK_S = 10.0  # how long statements wait for it
_STOP_S = 5.0
_SYSTEMS = frozenset({SYSTEM, RESERVED, "system", "information_schema"})


def settings_with_attached(settings: Settings) -> Settings:
    """The settings with the attached catalogs in them, for a process that looks once. Those that
    cannot be read are left out."""
    database = Database(settings.home, settings.store.secret)
    catalogs: dict[str, CatalogSettings] = {}
    with closing(database):
        for definition in KeptCatalogs(database).read():
            try:
                catalogs[definition.name] = _read(definition, settings.home)
            except SqeError as error:
                _log.error("catalog %s cannot be opened: %s", definition.name, error)
    return settings.model_copy(update={"catalogs": {**catalogs, **settings.catalogs}})


def _read(definition: CatalogDefinition, home: Path) -> CatalogSettings:
    return settings_of_attached(definition.name, definition.kind, definition.properties, home)


class AttachedCatalogs:
    """Implements ``coordinator.call.CatalogChanges``. Thread-safe."""

    def __init__(
        self,
        settings: Settings,
        catalogs: SettingsCatalogs,
        kept: KeptCatalogs,
        note: Callable[[RuleEvent], None],
    ) -> None:
        self._administrators = administrators_of(settings.policy)
        self._settings = settings
        self._catalogs = catalogs
        self._kept = kept
        self._note = note
        self._lock = threading.RLock()
        self._starting = threading.Lock()
        self._definitions: dict[str, CatalogDefinition] = {}
        self._version: Hashable = None
        self._problem = ""  # what has been logged
        self._stop = threading.Event()
        self._looked = threading.Event()  # once at least
        self._thread: threading.Thread | None = None
        catalogs.catalogs.refresh = self._wait_for_first_look

    def start(self) -> None:
        """From now on a thread takes over what changes in the store."""
        with self._starting:
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(
                    target=self._follow, name="attached-catalogs", daemon=True
                )
                self._thread.start()

    def stop(self) -> None:
        with self._starting:
            self._stop.set()
            self._looked.set()
        if self._thread is not None:
            self._thread.join(_STOP_S)

    def _wait_for_first_look(self) -> None:
        if not self._looked.is_set():
            self.start()
            self._looked.wait(_FIRST_LOOK_S)
            self._looked.set()

    def _follow(self) -> None:
        while not self._stop.is_set():
            self._look()
            self._looked.set()
            self._stop.wait(_LOOK_S)

    def _look(self) -> None:
        """What cannot be read now stays as it was."""
        problem = ""
        try:
            with self._lock:
                self._take_over()
        except SqeError as error:
            problem = error.message
            if problem != self._problem:
                _log.error("attached catalogs cannot be read: %s", problem)
        except Exception:  # noqa: BLE001  the thread must not end of it
            problem = "a defect of SQE"
            if problem != self._problem:
                _log.exception("attached catalogs could not be taken over")
        self._problem = problem

    def create(
        self,
        identity: Identity,
        name: str,
        kind: str,
        properties: Mapping[str, str],
        *,
        if_not_exists: bool,
    ) -> None:
        self._require_administrator(identity)
        definition = CatalogDefinition(name, kind, properties)
        with self._lock:
            self._take_over()
            taken = {*self._catalogs.facts, *_SYSTEMS}
            if name.lower() in {other.lower() for other in taken}:
                if if_not_exists and name in self._catalogs.facts:
                    return
                raise _exists(name)
            self._try(definition)
            if not self._kept.keep(definition, identity.user, new=True):
                raise _exists(name)
            self._take_over()
        self._tell(identity, f"CREATE CATALOG {name} USING {kind}")

    def alter(self, identity: Identity, name: str, properties: Mapping[str, str]) -> None:
        self._require_administrator(identity)
        with self._lock:
            self._take_over()
            before = self._definition(name)
            changed = CatalogDefinition(name, before.kind, {**before.properties, **properties})
            self._try(changed)
            if not self._kept.keep(changed, identity.user, new=False):
                raise no_such_catalog(name, list(self._catalogs.facts))
            self._take_over()
        self._tell(identity, f"ALTER CATALOG {name} SET PROPERTIES {', '.join(properties)}")

    def drop(self, identity: Identity, name: str, *, if_exists: bool) -> None:
        self._require_administrator(identity)
        with self._lock:
            self._take_over()
            if if_exists and name not in self._catalogs.facts:
                return
            self._definition(name)
            self._kept.forget(name)
            self._take_over()
        self._tell(identity, f"DROP CATALOG {name}")

    def show(self, identity: Identity, name: str) -> tuple[str, Mapping[str, str]]:
        self._require_administrator(identity)
        self._wait_for_first_look()
        definition = self._definition(name)
        return definition.kind, definition.properties

    def _definition(self, name: str) -> CatalogDefinition:
        if name in self._catalogs.of_settings:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"Catalog {name} is one of the settings.",
                hint=f"Look at [catalogs.{name}] in sqe.toml, and change it there.",
            )
        definition = self._definitions.get(name)
        if definition is not None:
            return definition
        raise no_such_catalog(name, list(self._catalogs.facts))

    def _try(self, definition: CatalogDefinition) -> None:
        """Wrong properties are an error now, not at the first query."""
        self._catalogs.check(definition.name, _read(definition, self._settings.home))

    def _take_over(self) -> None:
        """The lock is held."""
        version = self._kept.version()
        if version == self._version:
            return
        wanted = {kept.name: kept for kept in self._kept.read()}
        of_settings = self._catalogs.of_settings
        for name in self._definitions.keys() - wanted.keys() - of_settings.keys():
            self._catalogs.detach(name)
        for name, definition in wanted.items():
            if name in of_settings:
                _log.error("catalog %s is in the settings: the attached one is left out", name)
            elif definition != self._definitions.get(name):
                self._attach(definition)
        self._definitions = {name: one for name, one in wanted.items() if name not in of_settings}
        self._version = version

    def _attach(self, definition: CatalogDefinition) -> None:
        """What cannot be opened, for a reference that leads nowhere, keeps nobody from anything
        else."""
        try:
            self._catalogs.attach(definition.name, _read(definition, self._settings.home))
        except SqeError as error:
            _log.error("catalog %s cannot be opened: %s", definition.name, error)
            self._catalogs.attach_broken(definition.name, definition.kind, error)

    def _require_administrator(self, identity: Identity) -> None:
        if not self._administrators.has(identity):
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                "Only administrators may attach, change or detach catalogs.",
                hint="The setting policy.administrators names them.",
            )

    def _tell(self, identity: Identity, what: str) -> None:
        """It is done and kept: a failure to tell it must not look as if it had failed."""
        try:
            self._note(RuleEvent(identity.user, time.time(), what))
        except Exception:  # noqa: BLE001
            _log.exception("a change of the catalogs could not be told")


def _exists(name: str) -> UserError:
    return UserError(
        ErrorCode.CATALOG_ALREADY_EXISTS,
        f"Catalog {name} already exists.",
        hint="ALTER CATALOG … SET PROPERTIES changes one that was attached.",
    )
