from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.engines.local.instances import Instances
from sqe.engines.local.options import LocalOptions
from tests.unit.engines.local.csv.loads import Loads


@pytest.fixture(scope="module")
def instances(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instances]:
    made = Instances(LocalOptions(folder=tmp_path_factory.mktemp("local")))
    yield made
    made.close()


@pytest.fixture(scope="module")
def module_loads(instances: Instances, tmp_path_factory: pytest.TempPathFactory) -> Loads:
    """For generated tests, which take no fixture of a single test."""
    return Loads(instances, tmp_path_factory.mktemp("generated"))


@pytest.fixture
def loads(instances: Instances, tmp_path: Path) -> Loads:
    return Loads(instances, tmp_path)
