"""A catalog with one table, for handles to stand for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from tests.unit.broker.emp import EMP, SCHEMA


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[EmbeddedCatalog]:
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w")
    catalog.create_namespace(EMP.namespace, {})
    catalog.create_table(EMP.namespace, {"name": EMP.name, "schema": SCHEMA})
    yield catalog
    catalog.close()
