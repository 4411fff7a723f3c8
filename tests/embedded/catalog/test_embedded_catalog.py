"""The embedded catalog: names, locations, files."""

from __future__ import annotations

import gzip
import os
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Catalog, Ident, Json
from sqe.errors import ErrorCode, SqeError, UserError
from tests.unit.catalog.commit.test_view_updates import version
from tests.unit.catalog.tables import SCHEMA

NS = ("sales",)


def set_property(key: str, value: str) -> Json:
    return {"updates": [{"action": "set-properties", "updates": {key: value}}]}


def code_of(error: pytest.ExceptionInfo[SqeError]) -> ErrorCode:
    return error.value.code


def test_it_is_a_catalog(catalog: EmbeddedCatalog) -> None:
    as_protocol: Catalog = catalog
    assert as_protocol.list_namespaces() == [NS]


def test_namespaces_have_levels(catalog: EmbeddedCatalog) -> None:
    catalog.create_namespace(("a", "b", "c"), {"owner": "ann"})
    catalog.create_namespace(("a_", "x"), {})
    assert catalog.list_namespaces() == [("a",), ("a_",), NS]
    assert catalog.list_namespaces(("a",)) == [("a", "b")]
    assert catalog.list_namespaces(("a", "b", "c")) == []
    assert catalog.load_namespace(("a", "b", "c")) == {"owner": "ann"}
    assert catalog.load_namespace(("a",)) == {}
    with pytest.raises(UserError, match="not empty") as caught:
        catalog.drop_namespace(("a", "b"))
    assert code_of(caught) is ErrorCode.SCHEMA_NOT_EMPTY


def test_names_are_case_sensitive(catalog: EmbeddedCatalog) -> None:
    catalog.create_namespace(("Sales",), {})
    for name in ("t", "T"):
        catalog.create_table(NS, {"name": name, "schema": SCHEMA})
    assert catalog.list_tables(NS) == ["T", "t"]
    assert catalog.list_tables(("Sales",)) == []


def test_names_that_cannot_be_stored_are_refused(catalog: EmbeddedCatalog) -> None:
    for namespace in ((), ("a.b",), ("",), ("a\x1fb",), ("a\x00",)):
        with pytest.raises(UserError) as caught:
            catalog.create_namespace(namespace, {})
        assert code_of(caught) is ErrorCode.INVALID_ARGUMENT
    for name in ("", "a\nb", None, 7):
        with pytest.raises(UserError) as caught:
            catalog.create_table(NS, {"name": name, "schema": SCHEMA})
        assert code_of(caught) is ErrorCode.INVALID_ARGUMENT
    with pytest.raises(UserError) as caught:
        catalog.load_namespace(("a.b",))
    assert code_of(caught) is ErrorCode.SCHEMA_NOT_FOUND


def test_what_is_not_there_has_its_own_code(catalog: EmbeddedCatalog, table: Ident) -> None:
    view = Ident(NS, "v")
    catalog.create_view(NS, {"name": "v", "schema": SCHEMA, "view-version": version("select 1")})
    no_table = (ErrorCode.TABLE_NOT_FOUND, (view, Ident(NS, "no"), Ident(("no",), "t")))
    no_view = (ErrorCode.VIEW_NOT_FOUND, (table, Ident(NS, "no"), Ident(("no",), "t")))
    for (code, idents), actions in (
        (no_table, (catalog.load_table, catalog.drop_table)),
        (no_view, (catalog.load_view, catalog.drop_view)),
    ):
        for ident in idents:
            for action in actions:
                with pytest.raises(UserError) as caught:
                    action(ident)
                assert code_of(caught) is code
    for listing in (catalog.list_tables, catalog.list_views, catalog.list_namespaces):
        with pytest.raises(UserError) as caught:
            listing(("no",))
        assert code_of(caught) is ErrorCode.SCHEMA_NOT_FOUND


def test_tables_and_views_share_their_names(catalog: EmbeddedCatalog, table: Ident) -> None:
    view: Json = {"name": table.name, "schema": SCHEMA, "view-version": version("select 1")}
    with pytest.raises(UserError, match="Table with same name already exists") as caught:
        catalog.create_view(NS, view)
    assert code_of(caught) is ErrorCode.TABLE_ALREADY_EXISTS
    catalog.create_view(NS, {**view, "name": "v"})
    with pytest.raises(UserError, match="Cannot rename"):
        catalog.rename_table(table, Ident(NS, "v"))
    assert catalog.list_views(NS) == ["v"]


def test_a_dropped_and_recreated_table_gets_another_folder(
    catalog: EmbeddedCatalog, table: Ident, home: Path
) -> None:
    first = catalog.load_table(table).metadata["location"]
    assert first == str(home / "warehouse" / "sales" / "orders")
    catalog.drop_table(table)
    again = catalog.create_table(NS, {"name": table.name, "schema": SCHEMA})
    assert re.fullmatch(re.escape(first) + "-[0-9a-f]{8}", again.metadata["location"])
    catalog.rename_table(table, Ident(NS, "renamed"))
    third = catalog.create_table(NS, {"name": table.name, "schema": SCHEMA})
    assert third.metadata["location"] not in (first, again.metadata["location"])


def test_odd_names_become_harmless_folders(catalog: EmbeddedCatalog, home: Path) -> None:
    for name in ("..", "../../x", "_hidden", "a/b", "grün", "x" * 400):
        location = catalog.create_table(NS, {"name": name, "schema": SCHEMA}).metadata["location"]
        assert Path(location).parent == home / "warehouse" / "sales"
        assert not Path(location).name.startswith((".", "_"))


def test_a_namespace_can_have_a_location_of_its_own(catalog: EmbeddedCatalog, home: Path) -> None:
    place = str(home / "warehouse" / "elsewhere")
    catalog.create_namespace(("located",), {"location": place})
    made = catalog.create_table(("located",), {"name": "t", "schema": SCHEMA})
    assert made.metadata["location"] == f"{place}/t"
    with pytest.raises(UserError, match="not inside the warehouse"):
        catalog.update_namespace(("located",), [], {"location": "/etc"})


def outside(home: Path) -> list[str]:
    link = home / "warehouse" / "link"
    link.symlink_to("/etc")
    inside = home / "warehouse"
    return [
        "/etc/x",
        f"{inside}/../x",
        f"{inside}/a/../../x",
        f"{inside}",
        f"{inside}-other/x",
        f"{link}/x",
        f"file://{home}/x",
        f"file://host{inside}/x",
        f"file:{home}/x",
        "s3://bucket/x",
        "relative/x",
        "",
        f"{inside}/a\x00b",
    ]


def test_no_location_leads_out_of_the_warehouse(
    catalog: EmbeddedCatalog, table: Ident, home: Path
) -> None:
    for location in outside(home):
        made: Json = {"name": "x", "schema": SCHEMA, "location": location}
        moved: list[Json] = [
            {"action": "set-location", "location": location},
            {"action": "set-properties", "updates": {"write.data.path": location}},
            {"action": "set-properties", "updates": {"write.metadata.path": location}},
            {"action": "set-properties", "updates": {"write.object-storage.path": location}},
        ]
        attempts: list[Callable[[], object]] = [
            partial(catalog.create_table, NS, made),
            partial(catalog.create_table, NS, {**made, "stage-create": True}),
            partial(catalog.register_table, NS, {"name": "x", "metadata-location": location}),
            *(partial(catalog.commit_table, table, {"updates": [update]}) for update in moved),
        ]
        for attempt in attempts:
            with pytest.raises(UserError) as caught:
                attempt()
            assert code_of(caught) is ErrorCode.INVALID_ARGUMENT, location
    assert catalog.list_tables(NS) == [table.name]


@pytest.mark.parametrize("scheme", ["", "file:", "file://", "file://localhost"])
def test_a_location_inside_is_kept_as_given(
    catalog: EmbeddedCatalog, home: Path, scheme: str
) -> None:
    location = f"{scheme}{home}/warehouse/my/place"
    made = catalog.create_table(NS, {"name": "t", "schema": SCHEMA, "location": location + "/"})
    assert made.metadata["location"] == location
    assert catalog.load_table(Ident(NS, "t")).metadata_json == made.metadata_json
    assert (home / "warehouse/my/place/metadata").is_dir()


def test_a_staged_table_is_made_by_its_commit(catalog: EmbeddedCatalog) -> None:
    staged = catalog.create_table(NS, {"name": "t", "schema": SCHEMA, "stage-create": True})
    assert staged.metadata_location is None
    assert catalog.list_tables(NS) == []
    metadata = staged.metadata
    commit: Json = {
        "requirements": [{"type": "assert-create"}],
        "updates": [
            {"action": "assign-uuid", "uuid": metadata["table-uuid"]},
            {"action": "upgrade-format-version", "format-version": 2},
            {"action": "add-schema", "schema": metadata["schemas"][0]},
            {"action": "set-current-schema", "schema-id": -1},
            {"action": "add-spec", "spec": metadata["partition-specs"][0]},
            {"action": "set-default-spec", "spec-id": -1},
            {"action": "add-sort-order", "sort-order": metadata["sort-orders"][0]},
            {"action": "set-default-sort-order", "sort-order-id": -1},
            {"action": "set-location", "location": metadata["location"]},
            {"action": "set-properties", "updates": metadata["properties"]},
        ],
    }
    made = catalog.commit_table(Ident(NS, "t"), commit)
    assert made.metadata["table-uuid"] == metadata["table-uuid"]
    with pytest.raises(UserError, match="already exists") as caught:
        catalog.commit_table(Ident(NS, "t"), commit)
    assert code_of(caught) is ErrorCode.COMMIT_CONFLICT


def test_metadata_files_are_numbered_and_logged(catalog: EmbeddedCatalog, table: Ident) -> None:
    locations = [catalog.load_table(table).metadata_location]
    for number in range(3):
        loaded = catalog.commit_table(table, set_property("n", str(number)))
        locations.append(loaded.metadata_location)
    names = [os.path.basename(location or "") for location in locations]
    assert [name.split("-")[0] for name in names] == ["00000", "00001", "00002", "00003"]
    assert all(re.fullmatch(r"\d{5}-[0-9a-f-]{36}\.metadata\.json", name) for name in names)
    logged = [e["metadata-file"] for e in catalog.load_table(table).metadata["metadata-log"]]
    assert logged == locations[:3]


def test_old_metadata_files_go_when_the_table_says_so(
    catalog: EmbeddedCatalog, table: Ident
) -> None:
    catalog.commit_table(table, set_property("write.metadata.delete-after-commit.enabled", "true"))
    catalog.commit_table(table, set_property("write.metadata.previous-versions-max", "2"))
    for number in range(5):
        loaded = catalog.commit_table(table, set_property("n", str(number)))
    folder = Path(loaded.metadata_location or "").parent
    kept = {e["metadata-file"] for e in loaded.metadata["metadata-log"]}
    assert {str(file) for file in folder.iterdir()} == {*kept, loaded.metadata_location}
    assert len(kept) == 2


def test_metadata_can_be_compressed(catalog: EmbeddedCatalog, table: Ident) -> None:
    loaded = catalog.commit_table(table, set_property("write.metadata.compression-codec", "gzip"))
    assert (loaded.metadata_location or "").endswith(".gz.metadata.json")
    stored = Path(loaded.metadata_location or "").read_bytes()
    assert gzip.decompress(stored) == loaded.metadata_json
    assert catalog.load_table(table).metadata_json == loaded.metadata_json
    again = catalog.commit_table(table, set_property("n", "1"))
    assert "/00002-" in (again.metadata_location or "")


def test_a_refused_commit_leaves_no_file(catalog: EmbeddedCatalog, table: Ident) -> None:
    folder = Path(catalog.load_table(table).metadata_location or "").parent
    before = sorted(folder.iterdir())
    stale: Json = {
        **set_property("a", "1"),
        "requirements": [{"type": "assert-table-uuid", "uuid": "x"}],
    }
    for request in (stale, {"updates": [{"action": "nonsense"}]}):
        with pytest.raises(UserError):
            catalog.commit_table(table, request)
    first: Json = {"identifier": {"namespace": list(NS), "name": table.name}}
    second: Json = {"identifier": {"namespace": list(NS), "name": "no"}, **set_property("a", "1")}
    with pytest.raises(UserError) as caught:
        catalog.commit_transaction({"table-changes": [{**first, **set_property("a", "1")}, second]})
    assert code_of(caught) is ErrorCode.TABLE_NOT_FOUND
    assert sorted(folder.iterdir()) == before


def test_a_refused_create_leaves_no_folder(catalog: EmbeddedCatalog, home: Path) -> None:
    with pytest.raises(UserError):
        catalog.create_table(NS, {"name": "t", "schema": {"type": "struct", "fields": [{}]}})
    assert not (home / "warehouse" / "sales" / "t").exists()


def test_registering_takes_over_a_file(catalog: EmbeddedCatalog, table: Ident) -> None:
    old = catalog.load_table(table)
    new = catalog.commit_table(table, set_property("a", "1"))
    request: Json = {"name": table.name, "metadata-location": old.metadata_location}
    with pytest.raises(UserError) as caught:
        catalog.register_table(NS, request)
    assert code_of(caught) is ErrorCode.TABLE_ALREADY_EXISTS
    catalog.register_table(NS, {**request, "overwrite": True})
    assert catalog.load_table(table).metadata_json == old.metadata_json
    catalog.drop_table(table)
    catalog.register_table(NS, {**request, "metadata-location": new.metadata_location})
    assert catalog.load_table(table).metadata_json == new.metadata_json


def test_two_catalogs_in_one_file_do_not_see_each_other(home: Path, table: Ident) -> None:
    other = EmbeddedCatalog(home / "catalog.db", home / "warehouse", name="other")
    assert other.list_namespaces() == []
    other.close()


def test_ten_thousand_tables_do_not_slow_a_load(
    catalog: EmbeddedCatalog, table: Ident, home: Path
) -> None:
    loaded = catalog.load_table(table)
    with catalog._store.write() as db:
        db.executemany(
            "INSERT INTO iceberg_tables VALUES ('lake', 'sales', ?, ?, NULL, 'TABLE')",
            [(f"t{number:05d}", loaded.metadata_location) for number in range(10_000)],
        )
    started = time.perf_counter()
    assert len(catalog.list_tables(NS)) == 10_001
    listed = time.perf_counter() - started
    times = []
    for number in range(0, 10_000, 500):
        started = time.perf_counter()
        catalog.load_table(Ident(NS, f"t{number:05d}"))
        times.append(time.perf_counter() - started)
    assert sorted(times)[len(times) // 2] < 0.005
    assert listed < 0.25
