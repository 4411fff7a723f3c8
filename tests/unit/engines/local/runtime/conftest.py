"""A world of this test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog.sql import SqlCatalog

from tests.unit.engines.local.runtime.object_store import FOLDER, FolderIO, ObjectStore
from tests.unit.engines.local.runtime.world import World, make_world

MakeWorld = Callable[..., World]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MakeWorld]:
    """Worlds with options of their own."""
    worlds: list[World] = []

    def build(**options: Any) -> World:
        folder = tmp_path / f"world {len(worlds)}"
        folder.mkdir()
        worlds.append(make_world(folder, **options))
        return worlds[-1]

    yield build
    for world in worlds:
        world.engine.close()
        world.catalog.close()


@pytest.fixture
def world(make: MakeWorld) -> World:
    return make()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ObjectStore]:
    store = ObjectStore(tmp_path / "buckets")
    yield store
    store.fault = None
    store.close()


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[SqlCatalog]:
    properties = {
        "uri": f"sqlite:///{tmp_path / 's3.db'}",
        "warehouse": "s3://lake/w",
        "py-io-impl": f"{FolderIO.__module__}.{FolderIO.__name__}",
        FOLDER: str(tmp_path / "buckets"),
    }
    catalog = SqlCatalog("s3", **properties)
    catalog.create_namespace("db")
    yield catalog
    catalog.close()
