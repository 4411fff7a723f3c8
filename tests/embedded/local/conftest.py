"""Spark and the local engine over one lakehouse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyiceberg.catalog.rest import RestCatalog

from sqe.catalog.rest.routes import catalog_app
from sqe.http.serving import HttpThread
from sqe.model.identity import Identity
from tests.embedded.local.reader import Both
from tests.embedded.local.sides import Sides
from tests.embedded.pipe.lake import Lake
from tests.unit.engines.local.runtime.world import make_world


@pytest.fixture
def both(mine: Lake, tmp_path: Path) -> Iterator[Both]:
    """The reading side alone, given scans by the test."""
    folder = tmp_path / "local"
    folder.mkdir()
    world = make_world(folder)
    yield Both(mine, world)
    world.engine.close()
    world.catalog.close()


@pytest.fixture
def sides(mine: Lake) -> Iterator[Sides]:
    """Both engines through the gateway."""
    local = mine.another_session(engine="local")
    catalog = mine.server.catalogs.open("lake", Identity("ann"))
    http = HttpThread(catalog_app(lambda _: catalog))
    http.start()
    rest = RestCatalog("lake", uri=http.url)
    yield Sides(mine, local, rest)
    rest.close()
    http.stop()
    local.close()
