"""A folder of tables without a catalog: what is in it, and that nothing changes there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Catalog, Ident
from sqe.errors import ErrorCode, SqeError
from tests.contract.catalog_adapters import READ_ONLY
from tests.unit.catalog.tables import SCHEMA

NS, T = ("a", "b"), Ident(("a", "b"), "t")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a table that has changed once."""
    with closing(EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w")) as writer:
        writer.create_namespace(NS, {})
        writer.create_table(NS, {"name": "t", "schema": SCHEMA})
        update = {"action": "set-properties", "updates": {"by": "another"}}
        writer.commit_table(T, {"updates": [update]})
    (tmp_path / "w" / "a" / "_temporary").mkdir()
    return tmp_path / "w"


@pytest.fixture
def catalog(folder: Path) -> Iterator[Catalog]:
    with READ_ONLY["files"].open(folder.parent, lambda: "") as catalog:
        yield catalog


def test_folders_are_schemas_and_those_with_metadata_are_tables(catalog: Catalog) -> None:
    assert catalog.list_namespaces() == [("a",)]
    assert catalog.list_namespaces(("a",)) == [NS]
    assert (catalog.list_tables(NS), catalog.list_tables(("a",))) == (["t"], [])
    assert (catalog.load_namespace(NS), catalog.list_views(NS)) == ({}, [])
    loaded = catalog.load_table(T)
    assert loaded.metadata["properties"]["by"] == "another"
    assert str(loaded.metadata_location).rpartition("/")[2].startswith("00001-")
    assert catalog.load_credentials(T) == ()


def test_what_is_not_there(catalog: Catalog) -> None:
    for name in ("u", "", ".", "..", "metadata", "_temporary", "t/../t", "T"):
        with pytest.raises(SqeError) as missing:
            catalog.load_table(Ident(NS, name))
        assert missing.value.code is ErrorCode.TABLE_NOT_FOUND
    for namespace in (("x",), (*NS, "t"), ("..",), ("a", "..")):
        with pytest.raises(SqeError) as missing:
            catalog.list_tables(namespace)
        assert missing.value.code is ErrorCode.SCHEMA_NOT_FOUND


CHANGES: dict[str, Callable[[Catalog], object]] = {
    "create_namespace": lambda c: c.create_namespace(("x",), {}),
    "drop_namespace": lambda c: c.drop_namespace(NS),
    "update_namespace": lambda c: c.update_namespace(NS, [], {"a": "b"}),
    "create_table": lambda c: c.create_table(NS, {"name": "u", "schema": SCHEMA}),
    "register_table": lambda c: c.register_table(NS, {"name": "u", "metadata-location": "/x"}),
    "check_change": lambda c: c.check_change(T),
    "commit_table": lambda c: c.commit_table(T, {"updates": []}),
    "drop_table": lambda c: c.drop_table(T, purge=True),
    "rename_table": lambda c: c.rename_table(T, Ident(NS, "u")),
    "commit_transaction": lambda c: c.commit_transaction({"table-changes": []}),
    "create_view": lambda c: c.create_view(NS, {"name": "v"}),
    "drop_view": lambda c: c.drop_view(Ident(NS, "v")),
    "replace_view": lambda c: c.replace_view(Ident(NS, "v"), {}),
    "rename_view": lambda c: c.rename_view(Ident(NS, "v"), Ident(NS, "w")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_changes(catalog: Catalog, folder: Path, change: str) -> None:
    before = sorted(folder.rglob("*"))
    with pytest.raises(SqeError) as refused:
        CHANGES[change](catalog)
    assert refused.value.code is ErrorCode.NOT_SUPPORTED
    assert sorted(folder.rglob("*")) == before


def test_two_files_of_one_number_are_two_writers(catalog: Catalog, folder: Path) -> None:
    newest = max((folder / "a" / "b" / "t" / "metadata").glob("*.metadata.json"))
    newest.with_name("00001-another.metadata.json").write_bytes(newest.read_bytes())
    with pytest.raises(SqeError, match="cannot be told") as unknown:
        catalog.load_table(T)
    assert unknown.value.code is ErrorCode.CORRUPT_DATA


def test_the_hint_of_hadoops_catalog_may_be_behind_and_not_ahead(
    catalog: Catalog, folder: Path
) -> None:
    metadata = folder / "a" / "b" / "t" / "metadata"
    for number, file in enumerate(sorted(metadata.glob("*.metadata.json")), 1):
        file.rename(metadata / f"v{number}.metadata.json")
    (metadata / "version-hint.text").write_text("1")
    assert str(catalog.load_table(T).metadata_location).endswith("/v2.metadata.json")
    (metadata / "version-hint.text").write_text("3")
    with pytest.raises(SqeError, match="cannot be told"):
        catalog.load_table(T)


def test_links_lead_nowhere_else(catalog: Catalog, folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (folder / "a" / "b" / "t").rename(elsewhere)
    (folder / "a" / "b" / "t").symlink_to(elsewhere)
    with pytest.raises(SqeError) as refused:
        catalog.load_table(T)
    assert refused.value.code is ErrorCode.TABLE_NOT_FOUND
