"""The catalogs of the settings, opened by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Protocol

from sqe.catalog.protocol import Catalog
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity


class Opens(Protocol):
    """One catalog, for anyone."""

    def open(self, identity: Identity) -> Catalog: ...


class ConfiguredCatalogs:
    """Each of ``catalogs`` is opened as the user."""

    def __init__(self, catalogs: Mapping[str, Opens]) -> None:
        self._catalogs = dict(catalogs)

    def replace(self, catalogs: Mapping[str, Opens]) -> None:
        """From now on it opens these."""
        self._catalogs = dict(catalogs)

    def names(self, identity: Identity | None = None) -> list[str]:
        return sorted(self._catalogs)

    def open(self, name: str, identity: Identity) -> Catalog:
        catalog = self._catalogs.get(name)
        if catalog is None:
            raise no_such_catalog(name, self.names())
        return catalog.open(identity)


def no_such_catalog(name: str, names: Iterable[str]) -> UserError:
    """``names``: those that the user may know of."""
    close = difflib.get_close_matches(name, sorted(names), n=1)
    return UserError(
        ErrorCode.CATALOG_NOT_FOUND,
        f"Catalog {name} does not exist.",
        hint=f"Did you mean {close[0]}?" if close else "SHOW CATALOGS lists them.",
    )
