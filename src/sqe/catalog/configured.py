"""The catalogs of the settings, opened by name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from sqe.catalog.protocol import Catalog
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity


class ConfiguredCatalogs:
    """The embedded catalog has one owner, so that every identity gets the same one."""

    def __init__(self, catalogs: Mapping[str, Catalog]) -> None:
        self._catalogs = dict(catalogs)

    def names(self) -> list[str]:
        return sorted(self._catalogs)

    def open(self, name: str, identity: Identity) -> Catalog:
        catalog = self._catalogs.get(name)
        if catalog is None:
            close = difflib.get_close_matches(name, self._catalogs, n=1)
            raise UserError(
                ErrorCode.CATALOG_NOT_FOUND,
                f"Catalog {name} does not exist.",
                hint=f"Did you mean {close[0]}?" if close else "SHOW CATALOGS lists them.",
            )
        return catalog
