"""Spark and the local reading side over one lakehouse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.embedded.local.reader import Both
from tests.embedded.pipe.lake import Lake
from tests.unit.engines.local.runtime.world import make_world


@pytest.fixture
def both(mine: Lake, tmp_path: Path) -> Iterator[Both]:
    mine.session.set_property("sqe.engine", "spark")
    folder = tmp_path / "local"
    folder.mkdir()
    world = make_world(folder)
    yield Both(mine, world)
    world.engine.close()
    world.catalog.close()
