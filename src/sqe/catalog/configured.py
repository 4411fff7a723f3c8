"""The catalogs of the settings, opened by name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Protocol

from sqe.catalog.protocol import Catalog
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity


class Opens(Protocol):
    """A catalog that is another one for everybody."""

    def open(self, identity: Identity) -> Catalog: ...


class ConfiguredCatalogs:
    """``catalogs`` are SQE's own: they have one owner, so that every identity gets the same.
    ``remote``: those of others, each opened as the user."""

    def __init__(
        self, catalogs: Mapping[str, Catalog], remote: Mapping[str, Opens] | None = None
    ) -> None:
        self._catalogs = dict(catalogs)
        self._remote = dict(remote or {})

    def names(self, identity: Identity | None = None) -> list[str]:
        return sorted([*self._catalogs, *self._remote])

    def open(self, name: str, identity: Identity) -> Catalog:
        if name in self._remote:
            return self._remote[name].open(identity)
        catalog = self._catalogs.get(name)
        if catalog is None:
            close = difflib.get_close_matches(name, self.names(), n=1)
            raise UserError(
                ErrorCode.CATALOG_NOT_FOUND,
                f"Catalog {name} does not exist.",
                hint=f"Did you mean {close[0]}?" if close else "SHOW CATALOGS lists them.",
            )
        return catalog
