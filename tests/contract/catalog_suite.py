"""What every ``Catalog`` does. Whoever runs it gives the fixtures ``adapter`` and ``catalog``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from sqe.catalog.protocol import Catalog, Ident, Json, Namespace
from sqe.errors import ErrorCode, SqeError
from tests.contract.catalog_adapters import CatalogAdapter
from tests.unit.catalog.commit.test_view_updates import replacing, version
from tests.unit.catalog.tables import SCHEMA, add, point

Rename = Callable[[Ident, Ident], None]


@dataclass(frozen=True)
class Names:
    """That the catalog can have: some have one level of schemas, and small letters only."""

    schema: tuple[str, ...]
    odd: str
    others: tuple[Namespace, ...] = ()  # that are there already

    def own(self, namespaces: list[Namespace]) -> list[Namespace]:
        return [one for one in namespaces if one not in self.others]

    @property
    def t(self) -> Ident:
        return Ident(self.schema, "t")

    @property
    def u(self) -> Ident:
        return Ident(self.schema, "u")


def make(catalog: Catalog, ident: Ident) -> Json:
    return catalog.create_table(ident.namespace, {"name": ident.name, "schema": SCHEMA}).metadata


def append(catalog: Catalog, snapshot_id: int, *requirements: Json, to: Ident) -> Json:
    location = catalog.load_table(to).metadata["location"]
    manifests = f"{location}/metadata/snap-{snapshot_id}.avro"
    updates = [add(snapshot_id, **{"manifest-list": manifests}), point("main", snapshot_id)]
    return {"requirements": list(requirements), "updates": updates}


def rename(adapter: CatalogAdapter, act: Rename, source: Ident, target: Ident) -> Ident:
    """Its name after that."""
    if adapter.renames:
        act(source, target)
        return target
    with pytest.raises(SqeError) as refused:
        act(source, target)
    assert refused.value.code is ErrorCode.NOT_SUPPORTED
    return source


class CatalogSuite:
    @pytest.fixture
    def names(self, adapter: CatalogAdapter, catalog: Catalog) -> Names:
        names = Names(adapter.schema, adapter.odd, tuple(catalog.list_namespaces()))
        catalog.create_namespace(names.schema, {"owner": "ann"})
        return names

    def test_namespaces(self, catalog: Catalog, names: Names) -> None:
        schema, top = names.schema, names.schema[:1]
        assert names.own(catalog.list_namespaces()) == [top]
        assert catalog.list_namespaces(top) == ([schema] if schema != top else [])
        assert catalog.load_namespace(schema) == {"owner": "ann"}
        assert catalog.update_namespace(schema, ["owner", "x"], {"team": "hr"})["removed"] == [
            "owner"
        ]
        assert catalog.load_namespace(schema) == {"team": "hr"}
        catalog.create_namespace((names.odd,), {})
        assert (names.odd,) in catalog.list_namespaces()
        catalog.drop_namespace((names.odd,))
        assert names.own(catalog.list_namespaces()) == [top]

    def test_namespaces_that_are_there_or_are_not(self, catalog: Catalog, names: Names) -> None:
        make(catalog, names.t)
        with pytest.raises(SqeError) as taken:
            catalog.create_namespace(names.schema, {})
        with pytest.raises(SqeError) as full:
            catalog.drop_namespace(names.schema)
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

    def test_a_table_lives_and_dies(
        self, catalog: Catalog, names: Names, adapter: CatalogAdapter
    ) -> None:
        odd = Ident(names.schema, names.odd)
        made = make(catalog, odd)
        assert catalog.list_tables(names.schema) == [names.odd]
        assert catalog.load_table(odd).metadata == made
        now = rename(adapter, catalog.rename_table, odd, names.t)
        assert catalog.list_tables(names.schema) == [now.name]
        catalog.drop_table(now, purge=True)
        assert catalog.list_tables(names.schema) == []
        with pytest.raises(SqeError, match="Table does not exist: ") as missing:
            catalog.load_table(now)
        assert missing.value.code is ErrorCode.TABLE_NOT_FOUND

    def test_a_name_is_taken_once(self, catalog: Catalog, names: Names) -> None:
        make(catalog, names.t)
        make(catalog, names.u)
        for act in (lambda: make(catalog, names.t), lambda: catalog.rename_table(names.t, names.u)):
            with pytest.raises(SqeError, match="already exists") as taken:
                act()
            assert taken.value.code is ErrorCode.TABLE_ALREADY_EXISTS

    def test_a_commit_changes_the_table_for_the_next_load(
        self, catalog: Catalog, names: Names
    ) -> None:
        make(catalog, names.t)
        before = catalog.load_table(names.t)
        after = catalog.commit_table(names.t, append(catalog, 1, to=names.t))
        again = catalog.load_table(names.t)
        assert again.metadata["current-snapshot-id"] == 1
        assert again.metadata_location == after.metadata_location != before.metadata_location
        assert again.metadata_json == after.metadata_json

    def test_a_commit_that_does_not_fit_is_a_conflict(self, catalog: Catalog, names: Names) -> None:
        make(catalog, names.t)
        unmoved = {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}
        catalog.commit_table(names.t, append(catalog, 1, unmoved, to=names.t))
        with pytest.raises(SqeError) as lost:
            catalog.commit_table(names.t, append(catalog, 2, unmoved, to=names.t))
        assert lost.value.code is ErrorCode.COMMIT_CONFLICT

    def test_a_staged_table_is_not_there_before_its_commit(
        self, catalog: Catalog, names: Names
    ) -> None:
        request = {"name": "t", "schema": SCHEMA, "stage-create": True}
        assert catalog.create_table(names.schema, request).metadata_location is None
        assert catalog.list_tables(names.schema) == []

    def test_a_table_is_registered_by_its_metadata_file(
        self, catalog: Catalog, names: Names
    ) -> None:
        make(catalog, names.t)
        location = catalog.load_table(names.t).metadata_location
        catalog.drop_table(names.t)
        found = catalog.register_table(names.schema, {"name": "u", "metadata-location": location})
        assert found.metadata_location == location
        assert catalog.list_tables(names.schema) == ["u"]

    def test_several_tables_change_at_once_or_not_at_all(
        self, catalog: Catalog, names: Names, adapter: CatalogAdapter
    ) -> None:
        make(catalog, names.t)
        make(catalog, names.u)
        wrong = {"type": "assert-table-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}
        changes = [
            {
                "identifier": {"namespace": list(names.schema), "name": "t"},
                **append(catalog, 1, to=names.t),
            },
            {
                "identifier": {"namespace": list(names.schema), "name": "u"},
                **append(catalog, 1, wrong, to=names.u),
            },
        ]
        with pytest.raises(SqeError):
            catalog.commit_transaction({"table-changes": changes})
        assert catalog.load_table(names.t).metadata.get("current-snapshot-id") in (None, -1)
        changes[1]["requirements"] = []
        if not adapter.atomic:
            with pytest.raises(SqeError) as refused:
                catalog.commit_transaction({"table-changes": changes})
            assert refused.value.code is ErrorCode.NOT_SUPPORTED
            changes.pop()
        catalog.commit_transaction({"table-changes": changes})
        assert catalog.load_table(names.t).metadata["current-snapshot-id"] == 1

    def test_views(self, catalog: Catalog, names: Names, adapter: CatalogAdapter) -> None:
        view, other = Ident(names.schema, "v"), Ident(names.schema, "w")
        text = version("select 1")
        request = {"name": "v", "schema": SCHEMA, "view-version": text, "properties": {}}
        if not adapter.views:
            with pytest.raises(SqeError) as refused:
                catalog.create_view(names.schema, request)
            assert refused.value.code is ErrorCode.NOT_SUPPORTED
            assert catalog.list_views(names.schema) == []
            return
        catalog.create_view(names.schema, request)
        assert catalog.list_views(names.schema) == ["v"]
        catalog.replace_view(view, {"updates": replacing("select 2")})
        assert len(catalog.load_view(view).metadata["versions"]) == 2
        other = rename(adapter, catalog.rename_view, view, other)
        catalog.drop_view(other)
        with pytest.raises(SqeError) as missing:
            catalog.load_view(other)
        assert missing.value.code is ErrorCode.VIEW_NOT_FOUND

    def test_files_on_this_machine_need_no_keys(self, catalog: Catalog, names: Names) -> None:
        make(catalog, names.t)
        needs_keys = not catalog.load_table(names.t).on_disk
        assert bool(catalog.load_credentials(names.t)) is needs_keys

    @pytest.mark.parametrize("name", [".", "..", ""])
    def test_a_name_that_would_be_another_address_is_none(
        self, catalog: Catalog, names: Names, name: str
    ) -> None:
        make(catalog, names.t)
        with pytest.raises(SqeError):
            catalog.drop_table(Ident(names.schema, name))
        with pytest.raises(SqeError):
            catalog.load_table(Ident(names.schema, name))
        assert catalog.list_tables(names.schema) == ["t"]
