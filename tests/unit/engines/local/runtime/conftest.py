"""A world of this test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

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
