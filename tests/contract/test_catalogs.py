"""What every ``Catalog`` does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.catalog.protocol import Catalog, Ident, Json
from sqe.errors import ErrorCode, SqeError
from tests.contract.catalog_adapters import ADAPTERS, CatalogAdapter
from tests.unit.catalog.commit.test_view_updates import replacing, version
from tests.unit.catalog.tables import SCHEMA, add, point

NS = ("a", "b")
T, U = Ident(NS, "t"), Ident(NS, "u")
ODD = "ä b+c/d%2e?#"


@pytest.fixture(params=ADAPTERS)
def adapter(request: pytest.FixtureRequest) -> CatalogAdapter:
    return ADAPTERS[request.param]


@pytest.fixture
def catalog(
    adapter: CatalogAdapter, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Catalog]:
    with adapter.open(tmp_path, lambda: request.getfixturevalue("postgresql")) as catalog:
        catalog.create_namespace(NS, {"owner": "ann"})
        yield catalog


def make(catalog: Catalog, ident: Ident = T) -> Json:
    return catalog.create_table(ident.namespace, {"name": ident.name, "schema": SCHEMA}).metadata


def append(catalog: Catalog, snapshot_id: int, *requirements: Json, to: Ident = T) -> Json:
    location = catalog.load_table(to).metadata["location"]
    manifests = f"{location}/metadata/snap-{snapshot_id}.avro"
    updates = [add(snapshot_id, **{"manifest-list": manifests}), point("main", snapshot_id)]
    return {"requirements": list(requirements), "updates": updates}


def test_namespaces(catalog: Catalog) -> None:
    assert catalog.list_namespaces() == [("a",)]
    assert catalog.list_namespaces(("a",)) == [NS]
    assert catalog.load_namespace(NS) == {"owner": "ann"}
    assert catalog.update_namespace(NS, ["owner", "x"], {"team": "hr"})["removed"] == ["owner"]
    assert catalog.load_namespace(NS) == {"team": "hr"}
    catalog.create_namespace((ODD,), {})
    assert (ODD,) in catalog.list_namespaces()
    catalog.drop_namespace((ODD,))
    assert catalog.list_namespaces() == [("a",)]


def test_namespaces_that_are_there_or_are_not(catalog: Catalog) -> None:
    make(catalog)
    with pytest.raises(SqeError) as taken:
        catalog.create_namespace(NS, {})
    with pytest.raises(SqeError) as full:
        catalog.drop_namespace(NS)
    with pytest.raises(SqeError) as missing:
        catalog.load_namespace(("zz",))
    with pytest.raises(SqeError) as inside:
        catalog.list_tables(("zz",))
    codes = [caught.value.code for caught in (taken, full, missing, inside)]
    assert codes == [
        ErrorCode.SCHEMA_ALREADY_EXISTS,
        ErrorCode.SCHEMA_NOT_EMPTY,
        ErrorCode.SCHEMA_NOT_FOUND,
        ErrorCode.SCHEMA_NOT_FOUND,
    ]
    assert missing.value.message == "Namespace does not exist: zz"


def test_a_table_lives_and_dies(catalog: Catalog) -> None:
    odd = Ident(NS, ODD)
    made = make(catalog, odd)
    assert catalog.list_tables(NS) == [ODD]
    assert catalog.load_table(odd).metadata == made
    catalog.rename_table(odd, T)
    assert catalog.list_tables(NS) == ["t"]
    catalog.drop_table(T, purge=True)
    assert catalog.list_tables(NS) == []
    with pytest.raises(SqeError, match=r"Table does not exist: a\.b\.t") as missing:
        catalog.load_table(T)
    assert missing.value.code is ErrorCode.TABLE_NOT_FOUND


def test_a_name_is_taken_once(catalog: Catalog) -> None:
    make(catalog, T)
    make(catalog, U)
    for act in (lambda: make(catalog, T), lambda: catalog.rename_table(T, U)):
        with pytest.raises(SqeError, match="already exists") as taken:
            act()
        assert taken.value.code is ErrorCode.TABLE_ALREADY_EXISTS


def test_a_commit_changes_the_table_for_the_next_load(catalog: Catalog) -> None:
    make(catalog)
    before = catalog.load_table(T)
    after = catalog.commit_table(T, append(catalog, 1))
    again = catalog.load_table(T)
    assert again.metadata["current-snapshot-id"] == 1
    assert again.metadata_location == after.metadata_location != before.metadata_location
    assert again.metadata_json == after.metadata_json


def test_a_commit_that_does_not_fit_is_a_conflict(catalog: Catalog) -> None:
    make(catalog)
    unmoved = {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}
    catalog.commit_table(T, append(catalog, 1, unmoved))
    with pytest.raises(SqeError) as lost:
        catalog.commit_table(T, append(catalog, 2, unmoved))
    assert lost.value.code is ErrorCode.COMMIT_CONFLICT


def test_a_staged_table_is_not_there_before_its_commit(catalog: Catalog) -> None:
    request = {"name": "t", "schema": SCHEMA, "stage-create": True}
    assert catalog.create_table(NS, request).metadata_location is None
    assert catalog.list_tables(NS) == []


def test_a_table_is_registered_by_its_metadata_file(catalog: Catalog) -> None:
    make(catalog)
    location = catalog.load_table(T).metadata_location
    catalog.drop_table(T)
    found = catalog.register_table(NS, {"name": "u", "metadata-location": location})
    assert found.metadata_location == location
    assert catalog.list_tables(NS) == ["u"]


def test_several_tables_change_at_once_or_not_at_all(catalog: Catalog) -> None:
    make(catalog, T)
    make(catalog, U)
    wrong = {"type": "assert-table-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}
    changes = [
        {"identifier": {"namespace": list(NS), "name": "t"}, **append(catalog, 1)},
        {"identifier": {"namespace": list(NS), "name": "u"}, **append(catalog, 1, wrong, to=U)},
    ]
    with pytest.raises(SqeError):
        catalog.commit_transaction({"table-changes": changes})
    assert catalog.load_table(T).metadata.get("current-snapshot-id") in (None, -1)
    changes[1]["requirements"] = []
    catalog.commit_transaction({"table-changes": changes})
    assert catalog.load_table(T).metadata["current-snapshot-id"] == 1


def test_views(catalog: Catalog, adapter: CatalogAdapter) -> None:
    view, other = Ident(NS, "v"), Ident(NS, "w")
    text = version("select 1")
    request = {"name": "v", "schema": SCHEMA, "view-version": text, "properties": {}}
    if not adapter.views:
        with pytest.raises(SqeError) as refused:
            catalog.create_view(NS, request)
        assert refused.value.code is ErrorCode.NOT_SUPPORTED
        assert catalog.list_views(NS) == []
        return
    catalog.create_view(NS, request)
    assert catalog.list_views(NS) == ["v"]
    catalog.replace_view(view, {"updates": replacing("select 2")})
    assert len(catalog.load_view(view).metadata["versions"]) == 2
    catalog.rename_view(view, other)
    catalog.drop_view(other)
    with pytest.raises(SqeError) as missing:
        catalog.load_view(other)
    assert missing.value.code is ErrorCode.VIEW_NOT_FOUND


def test_files_on_this_machine_need_no_keys(catalog: Catalog) -> None:
    make(catalog)
    assert catalog.load_credentials(T) == ()


@pytest.mark.parametrize("name", [".", "..", ""])
def test_a_name_that_would_be_another_address_is_none(catalog: Catalog, name: str) -> None:
    make(catalog)
    with pytest.raises(SqeError):
        catalog.drop_table(Ident(NS, name))
    with pytest.raises(SqeError):
        catalog.load_table(Ident(NS, name))
    assert catalog.list_tables(NS) == ["t"]
