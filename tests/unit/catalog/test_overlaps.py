"""Which tables lie where: deleting by folder must not meet another table's files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.overlaps import inside, table_around, table_within
from sqe.catalog.protocol import Ident, Loaded, Namespace
from sqe.errors import AccessError, ErrorCode, UserError
from tests.unit.catalog.tables import SCHEMA


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[EmbeddedCatalog]:
    """Tables ``s.t`` and ``s.t.x``: the second lies in the first one's folder."""
    made = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w", name="lake")
    for namespace, name in ((("s",), "t"), (("s",), "u"), (("s", "t"), "x")):
        if namespace not in made.list_namespaces(namespace[:-1]):
            made.create_namespace(namespace, {})
        made.create_table(namespace, {"name": name, "schema": SCHEMA})
    yield made
    made.close()


def test_a_table_inside_of_another_is_found(catalog: EmbeddedCatalog) -> None:
    outer = Ident(("s",), "t")
    location = catalog.load_table(outer).metadata["location"]
    assert table_within(catalog, location, outer, []) == Ident(("s", "t"), "x")
    assert table_within(catalog, f"{location}/data", outer, []) is None


def test_schemas_that_may_hide_a_table_are_named(catalog: EmbeddedCatalog) -> None:
    class Restricted(EmbeddedCatalog):
        def __init__(self) -> None:
            """Only what is asked of the other."""

        def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
            return catalog.list_namespaces(parent)

        def list_tables(self, namespace: Namespace) -> list[str]:
            if namespace == ("s", "t"):
                raise AccessError(ErrorCode.ACCESS_DENIED, "not yours")
            return catalog.list_tables(namespace)

        def load_table(self, ident: Ident) -> Loaded:
            if ident.name == "u":
                raise UserError(ErrorCode.TABLE_NOT_FOUND, "not yours, or not there")
            return catalog.load_table(ident)

    hidden: list[Namespace] = []
    location = catalog.load_table(Ident(("s",), "t")).metadata["location"]
    assert table_within(Restricted(), location, Ident(("s",), "t"), hidden) is None
    assert hidden == [("s", "t"), ("s",)]


def test_whose_file_it_is(catalog: EmbeddedCatalog) -> None:
    table = Ident(("s",), "u")
    file = catalog.load_table(table).metadata_location
    assert file is not None
    assert table_around(catalog, file) == table
    catalog.drop_table(table)
    assert table_around(catalog, file) is None


@pytest.mark.parametrize(
    ("place", "location", "expected"),
    [
        ("/w/s/t", "/w/s/t", True),
        ("/w/s/t/data/", "/w/s/t/", True),
        ("file:///w/s/t/data", "/w/s/t", True),
        ("file:/w/s/t", "file:///w/s/t", True),
        ("s3a://b/t/data", "s3://b/t", True),
        ("/w/s/t2", "/w/s/t", False),
        ("/w/s", "/w/s/t", False),
        ("/w/s/t/../u", "/w/s/t", False),
        ("s3://b2/t", "s3://b/t", False),
    ],
)
def test_places_are_compared_by_folder(place: str, location: str, expected: bool) -> None:
    assert inside(place, location) is expected
