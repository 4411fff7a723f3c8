"""What every ``Catalog`` does: tests/contract/catalog_suite.py, on each that needs no stack."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.catalog.protocol import Catalog
from tests.contract.catalog_adapters import ADAPTERS, CatalogAdapter
from tests.contract.catalog_suite import CatalogSuite


@pytest.fixture(params=ADAPTERS)
def adapter(request: pytest.FixtureRequest) -> CatalogAdapter:
    return ADAPTERS[request.param]


@pytest.fixture
def catalog(
    adapter: CatalogAdapter, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Catalog]:
    with adapter.open(tmp_path, lambda: request.getfixturevalue("postgresql")) as catalog:
        yield catalog


class TestCatalogs(CatalogSuite):
    """On each of them."""
