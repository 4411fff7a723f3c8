"""A catalog over another one does what it says, method by method."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Catalog, Ident
from sqe.catalog.proxy import hand_on, refuse


class Proxy:
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    create_namespace = hand_on(Catalog.create_namespace)
    load_namespace = hand_on(Catalog.load_namespace)
    drop_table = refuse(Catalog.drop_table, ValueError, "DROP TABLE")


@pytest.fixture
def proxy(tmp_path: Path) -> Proxy:
    return Proxy(EmbeddedCatalog(tmp_path / "lake.db", tmp_path / "lake"))


def test_what_is_passed_reaches_the_catalog_beneath(proxy: Proxy) -> None:
    proxy.create_namespace(("hr",), properties={"k": "v"})
    assert proxy.load_namespace(("hr",))["k"] == "v"


def test_what_is_refused_fails(proxy: Proxy) -> None:
    with pytest.raises(ValueError, match="DROP TABLE"):
        proxy.drop_table(Ident(("hr",), "emp"), purge=True)


def test_what_nobody_decided_on_is_not_there(proxy: Proxy) -> None:
    assert not hasattr(proxy, "list_tables")
