"""An embedded catalog of each test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident

NS = ("sales",)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "lake home"  # a space: paths are not URLs
    folder.mkdir()
    return folder


@pytest.fixture
def catalog(home: Path) -> Iterator[EmbeddedCatalog]:
    catalog = EmbeddedCatalog(home / "catalog.db", home / "warehouse")
    catalog.create_namespace(NS, {})
    yield catalog
    catalog.close()


@pytest.fixture
def table(catalog: EmbeddedCatalog) -> Ident:
    schema = {
        "type": "struct",
        "fields": [
            {"id": 1, "name": "id", "type": "long", "required": False},
            {"id": 2, "name": "note", "type": "string", "required": False},
        ],
    }
    catalog.create_table(NS, {"name": "orders", "schema": schema})
    return Ident(NS, "orders")
