"""The catalogs that the suite is run on: at least one of each type of the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Catalog
from tests.unit.catalog.remote.serving import opened, person, served, service


@dataclass(frozen=True)
class CatalogAdapter:
    """``type``: as in the settings. ``over`` is the catalog under test with the tables of SQE's
    own one behind it."""

    type: str
    over: Callable[[EmbeddedCatalog], AbstractContextManager[Catalog]]


@contextmanager
def _itself(own: EmbeddedCatalog) -> Iterator[Catalog]:
    yield own


def _behind_rest(prefix: str) -> Callable[[EmbeddedCatalog], AbstractContextManager[Catalog]]:
    @contextmanager
    def over(own: EmbeddedCatalog) -> Iterator[Catalog]:
        with served({"ann": own}, prefix) as server, service(server.url) as made:
            yield opened(made, person("ann"))

    return over


ADAPTERS: Mapping[str, CatalogAdapter] = {
    "embedded": CatalogAdapter("embedded", _itself),
    "remote": CatalogAdapter("rest", _behind_rest("")),
    "remote with a prefix": CatalogAdapter("rest", _behind_rest("lake")),
}
