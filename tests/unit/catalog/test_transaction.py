"""A transaction over the embedded catalog: seen by nobody until it is published, in one commit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.overlay import Overlay, TransactionalCatalogs
from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.catalog.transaction import Transaction, inside
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity

NS = ("s",)
T, U = Ident(NS, "t"), Ident(NS, "u")
SCHEMA = {
    "type": "struct",
    "fields": [{"id": 1, "name": "a", "type": "int", "required": False}],
}


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[EmbeddedCatalog]:
    made = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w")
    made.create_namespace(NS, {})
    for ident in (T, U):
        made.create_table(NS, {"name": ident.name, "schema": SCHEMA})
    yield made
    made.close()


@pytest.fixture
def transaction() -> Transaction:
    return Transaction()


@pytest.fixture
def overlay(catalog: EmbeddedCatalog, transaction: Transaction) -> Overlay:
    return Overlay("lake", catalog, transaction)


def appended(catalog: Any, ident: Ident, snapshot_id: int) -> Json:
    """The commit of an append to the table as the catalog shows it."""
    metadata = catalog.load_table(ident).metadata
    head = metadata.get("current-snapshot-id")
    parent = None if head in (None, -1) else head
    snapshot = {
        "snapshot-id": snapshot_id,
        "sequence-number": metadata["last-sequence-number"] + 1,
        "timestamp-ms": 1,
        "manifest-list": f"{metadata['location']}/metadata/snap-{snapshot_id}.avro",
        "summary": {"operation": "append"},
        "schema-id": 0,
        **({"parent-snapshot-id": parent} if parent else {}),
    }
    return {
        "requirements": [
            {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": parent},
        ],
        "updates": [
            {"action": "add-snapshot", "snapshot": snapshot},
            {
                "action": "set-snapshot-ref",
                "ref-name": "main",
                "type": "branch",
                "snapshot-id": snapshot_id,
            },
        ],
    }


def append(catalog: Any, ident: Ident, *snapshot_ids: int) -> None:
    for snapshot_id in snapshot_ids:
        catalog.commit_table(ident, appended(catalog, ident, snapshot_id))


def head(catalog: Any, ident: Ident = T) -> int:
    return int(catalog.load_table(ident).metadata.get("current-snapshot-id") or -1)


def code(call: Any, *arguments: Any) -> ErrorCode:
    with pytest.raises(SqeError) as raised:
        call(*arguments)
    return raised.value.code


def test_changes_are_seen_inside_and_published_as_one(
    catalog: EmbeddedCatalog, overlay: Overlay, transaction: Transaction
) -> None:
    append(overlay, T, 11, 12)
    assert (head(overlay), head(catalog)) == (12, -1)
    addresses = {catalog.load_table(T).metadata_location, overlay.load_table(T).metadata_location}
    append(overlay, T, 13)
    addresses.add(overlay.load_table(T).metadata_location)
    assert len(addresses) == 3  # caches tell versions by the address
    brought = [(str(table), one["snapshot-id"]) for table, one in transaction.snapshots()]
    assert brought == [("lake.s.t", 11), ("lake.s.t", 12), ("lake.s.t", 13)]
    transaction.publish()
    stored = catalog.load_table(T).metadata
    assert head(catalog) == 13
    assert [one["snapshot-id"] for one in stored["snapshots"]] == [11, 12, 13]
    assert [entry["snapshot-id"] for entry in stored["snapshot-log"]] == [13]
    assert len({one["timestamp-ms"] for one in stored["snapshots"]}) == 1
    assert stored["snapshots"][0]["timestamp-ms"] > 1  # the time of the commit
    assert len(stored["metadata-log"]) == 1
    assert code(append, overlay, T, 14) is ErrorCode.TRANSACTION_NOT_FOUND


def test_one_of_two_that_change_the_same_table_wins(
    catalog: EmbeddedCatalog, overlay: Overlay, transaction: Transaction
) -> None:
    other = Transaction()
    append(overlay, T, 11)
    append(Overlay("lake", catalog, other), T, 21)
    other.publish()
    assert head(overlay) == 11
    assert code(transaction.publish) is ErrorCode.COMMIT_CONFLICT
    assert head(catalog) == 21


def test_a_table_that_is_only_read_is_the_newest(
    catalog: EmbeddedCatalog, overlay: Overlay
) -> None:
    append(catalog, U, 31)
    assert head(overlay, U) == 31
    append(catalog, U, 32)
    assert head(overlay, U) == 32


def test_several_tables_are_published_together_or_not_at_all(
    catalog: EmbeddedCatalog, overlay: Overlay, transaction: Transaction
) -> None:
    append(overlay, T, 11)
    overlay.create_table(NS, {"name": "new", "schema": SCHEMA, "properties": {"p": "1"}})
    append(overlay, Ident(NS, "new"), 12)
    assert overlay.list_tables(NS) == ["new", "t", "u"]
    assert catalog.list_tables(NS) == ["t", "u"]
    uuid = overlay.load_table(Ident(NS, "new")).metadata["table-uuid"]
    transaction.publish()
    stored = catalog.load_table(Ident(NS, "new")).metadata
    assert (stored["table-uuid"], stored["properties"]["p"]) == (uuid, "1")
    assert (head(catalog), head(catalog, Ident(NS, "new"))) == (11, 12)

    second = Transaction()
    inner = Overlay("lake", catalog, second)
    append(inner, T, 13)
    append(inner, U, 14)
    append(catalog, U, 15)
    assert code(second.publish) is ErrorCode.COMMIT_CONFLICT
    assert (head(catalog, T), head(catalog, U)) == (11, 15)


def test_a_commit_that_does_not_fit_changes_nothing(
    catalog: EmbeddedCatalog, overlay: Overlay, transaction: Transaction
) -> None:
    stale = appended(overlay, T, 12)
    append(overlay, T, 11)
    assert code(overlay.commit_table, T, stale) is ErrorCode.COMMIT_CONFLICT
    assert head(overlay) == 11
    assert code(append, overlay, Ident(NS, "none"), 5) is ErrorCode.TABLE_NOT_FOUND
    taken = {"name": "t", "schema": SCHEMA}
    assert code(overlay.create_table, NS, taken) is ErrorCode.TABLE_ALREADY_EXISTS
    assert code(overlay.create_table, NS, {"name": "x"}) is ErrorCode.INVALID_ARGUMENT
    assert transaction.list_made("lake") == []


def test_what_was_written_in_vain_is_removed(
    catalog: EmbeddedCatalog, overlay: Overlay, transaction: Transaction, tmp_path: Path
) -> None:
    before = set((tmp_path / "w").rglob("*"))
    location = overlay.create_table(NS, {"name": "new", "schema": SCHEMA}).metadata["location"]
    data = Path(location) / "data" / "x.parquet"
    data.parent.mkdir(parents=True)
    data.touch()
    append(overlay, T, 11)  # its manifests are not there: nothing that could be removed
    transaction.discard()
    assert set((tmp_path / "w").rglob("*")) == before
    assert code(append, overlay, T, 12) is ErrorCode.TRANSACTION_NOT_FOUND
    transaction.discard()  # again does no harm


def test_tables_of_two_catalogs_do_not_change_together(
    catalog: EmbeddedCatalog, overlay: Overlay, transaction: Transaction
) -> None:
    other = Overlay("other", catalog, transaction)
    append(overlay, T, 11)
    assert code(append, other, U, 12) is ErrorCode.NOT_SUPPORTED
    assert head(other) == -1  # the same name in another catalog is another table


REFUSED: list[tuple[str, tuple[Any, ...]]] = [
    ("create_namespace", (("n",), {})),
    ("drop_namespace", (NS,)),
    ("update_namespace", (NS, [], {})),
    ("register_table", (NS, {})),
    ("drop_table", (T,)),
    ("rename_table", (T, U)),
    ("commit_transaction", ({},)),
    ("create_view", (NS, {})),
    ("replace_view", (T, {})),
    ("drop_view", (T,)),
    ("rename_view", (T, U)),
]


@pytest.mark.parametrize(("method", "arguments"), REFUSED, ids=[name for name, _ in REFUSED])
def test_what_takes_effect_at_once_is_refused(
    overlay: Overlay, method: str, arguments: tuple[Any, ...]
) -> None:
    assert code(getattr(overlay, method), *arguments) is ErrorCode.NOT_SUPPORTED


def test_catalogs_are_opened_as_the_transaction_sees_them(
    catalog: EmbeddedCatalog, transaction: Transaction
) -> None:
    catalogs = TransactionalCatalogs(ConfiguredCatalogs({"lake": catalog}))
    ann = Identity("ann")
    with inside(transaction):
        opened = catalogs.open("lake", ann)
        append(opened, T, 11)
        assert head(catalogs.open("lake", ann)) == 11
        with inside(None):
            assert head(catalogs.open("lake", ann)) == -1
    assert catalogs.open("lake", ann) is catalog
    assert opened.list_namespaces() == [NS]


def test_what_is_changed_keeps_what_the_catalog_demands_of_readers(
    catalog: EmbeddedCatalog, transaction: Transaction
) -> None:
    class Demanding(EmbeddedCatalog):
        def __init__(self) -> None:
            """Only what is asked of the other."""

        def load_table(self, ident: Ident) -> Loaded:
            return replace(catalog.load_table(ident), restrictions='{"a": 1}')

    overlay = Overlay("lake", Demanding(), transaction)
    append(overlay, T, 1)
    assert head(overlay) == 1
    assert overlay.load_table(T).restrictions == '{"a": 1}'


@pytest.mark.parametrize("staged", [False, True])
def test_a_table_made_in_a_transaction_keeps_the_keys_that_came_with_it(
    catalog: EmbeddedCatalog, transaction: Transaction, staged: bool
) -> None:
    keys = {"prefix": "s3://w", "config": {"s3.access-key-id": "a"}}

    class Vending(EmbeddedCatalog):
        def __init__(self) -> None:
            """Only what is asked of the other."""

        def create_table(self, namespace: Any, request: Json) -> Loaded:
            made = catalog.create_table(namespace, request)
            return replace(made, config={"client.region": "eu"}, storage_credentials=(keys,))

    overlay = Overlay("lake", Vending(), transaction)
    new = Ident(NS, "new")
    made = overlay.create_table(NS, {"name": "new", "schema": SCHEMA, "stage-create": staged})
    if staged:
        made = overlay.commit_table(new, creation(made.metadata))
    for loaded in (made, overlay.load_table(new)):
        assert loaded.storage_credentials == (keys,)
        assert loaded.config == {"client.region": "eu"}
    append(overlay, new, 1)
    assert overlay.load_credentials(new) == (keys,)


def creation(staged: Json) -> Json:
    """The commit that makes a staged table."""
    updates = [
        {"action": "add-schema", "schema": staged["schemas"][0]},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": staged["partition-specs"][0]},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": staged["sort-orders"][0]},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-location", "location": staged["location"]},
    ]
    return {"requirements": [{"type": "assert-create"}], "updates": updates}
