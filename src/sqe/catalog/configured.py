"""The catalogs of the settings, opened by name."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from sqe.catalog.protocol import Catalog
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity


class Opens(Protocol):
    """One catalog, for anyone."""

    def open(self, identity: Identity) -> Catalog: ...


class ConfiguredCatalogs:
    """Each is opened as the user. ``put`` and ``remove`` change which there are while queries run;
    who has opened one keeps it. Thread-safe. ``refresh`` is called before each look."""

    def __init__(self, catalogs: Mapping[str, Opens]) -> None:
        self._catalogs = dict(catalogs)
        self._lock = threading.Lock()
        self.refresh: Callable[[], None] = lambda: None

    def names(self, identity: Identity | None = None) -> list[str]:
        self.refresh()
        return sorted(self._catalogs)

    def open(self, name: str, identity: Identity) -> Catalog:
        self.refresh()
        catalog = self._catalogs.get(name)
        if catalog is None:
            raise no_such_catalog(name, self.names())
        return catalog.open(identity)

    def put(self, name: str, catalog: Opens) -> None:
        with self._lock:
            self._catalogs = {**self._catalogs, name: catalog}

    def remove(self, name: str) -> None:
        with self._lock:
            self._catalogs = {n: one for n, one in self._catalogs.items() if n != name}


def no_such_catalog(name: str, names: Iterable[str]) -> UserError:
    """``names``: those that the user may know of."""
    close = difflib.get_close_matches(name, sorted(names), n=1)
    return UserError(
        ErrorCode.CATALOG_NOT_FOUND,
        f"Catalog {name} does not exist.",
        hint=f"Did you mean {close[0]}?" if close else "SHOW CATALOGS lists them.",
    )
