"""A test catalog on disk, with three principals of different rights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.testing import PolarisLikeCatalog, StaticTokens
from tests.unit.testing.asking import Asker

ROLES = {"alice": "analyst", "bob": "engineer", "carol": "admin"}


@pytest.fixture
def tokens() -> StaticTokens:
    found = StaticTokens()
    for name, role in ROLES.items():
        found.add(f"{name}-token", name, [role])
    return found


@pytest.fixture
def polaris(tmp_path: Path, tokens: StaticTokens) -> Iterator[PolarisLikeCatalog]:
    catalog = PolarisLikeCatalog(tmp_path / "polaris", tokens, admin_port=0)
    admin = catalog.admin
    admin.add_catalog("lake", ["sales", "hr"])
    for name, role in ROLES.items():
        admin.add_principal(name, [role])
    admin.grant("analyst", ["NAMESPACE_LIST"], catalog="lake")
    admin.grant(
        "analyst",
        ["NAMESPACE_READ_PROPERTIES", "TABLE_READ_DATA", "VIEW_READ_PROPERTIES"],
        catalog="lake",
        namespace="sales",
    )
    admin.grant("engineer", ["NAMESPACE_LIST"], catalog="lake")
    admin.grant("engineer", ["TABLE_CREATE", "TABLE_WRITE_DATA"], catalog="lake", namespace="hr")
    admin.grant("admin", ["CATALOG_MANAGE_CONTENT"], catalog="lake")
    with catalog:
        yield catalog


@pytest.fixture
def carol(polaris: PolarisLikeCatalog) -> Asker:
    asker = Asker(polaris.url, "carol-token")
    asker.make("sales", "orders")
    asker.make("hr", "staff")
    return asker


@pytest.fixture
def alice(polaris: PolarisLikeCatalog, carol: Asker) -> Asker:
    return Asker(polaris.url, "alice-token")


@pytest.fixture
def bob(polaris: PolarisLikeCatalog, carol: Asker) -> Asker:
    return Asker(polaris.url, "bob-token")
