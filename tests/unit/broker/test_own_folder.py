"""What a query writes goes into a folder of its own, which is removed if nothing was committed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sqe.broker.broker import BrokerSession
from sqe.broker.handles import GrantedTable, HandleGrant
from sqe.broker.own_folder import OwnFolder
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.errors import ErrorCode, UpstreamError
from sqe.sql.statement import Access
from tests.unit.broker.emp import EMP, NAME, SCHEMA
from tests.unit.broker.test_commit_outcome import append, handle

PATH = "write.data.path"
METADATA_PATH = "write.metadata.path"


@contextmanager
def writing(
    catalog: EmbeddedCatalog, *accesses: Access
) -> Iterator[tuple[BrokerSession, HandleGrant]]:
    session = BrokerSession()
    granted = GrantedTable(NAME, EMP, catalog, frozenset(accesses or {Access.WRITE}))
    with session.grant([granted]) as grant:
        grant.begin()
        yield session, grant


def write_file(loaded: Loaded) -> Path:
    """As Iceberg does, where the table says."""
    manifests = Path(loaded.metadata["properties"][METADATA_PATH])
    manifests.mkdir(parents=True)
    (manifests / "uuid-m0.avro").write_bytes(b"x")
    folder = Path(loaded.metadata["properties"][PATH]) / "p=1"
    folder.mkdir(parents=True)
    file = folder / "00000-1-uuid.parquet"
    file.write_bytes(b"x")
    return file


def test_what_was_written_in_vain_is_removed_and_nothing_else(catalog: EmbeddedCatalog) -> None:
    with writing(catalog) as (other, others):
        kept = write_file(other.catalog.load_table(handle(others)))
        with writing(catalog) as (session, grant):
            file = write_file(session.catalog.load_table(handle(grant)))
        folder = Path(catalog.load_table(EMP).metadata["location"])
        assert not file.parent.parent.exists()
        assert len(list(folder.glob("metadata/*/*.avro"))) == 1
        assert kept.exists(), "the files of who still writes"
        assert kept.is_relative_to(folder / "data")


def test_what_was_committed_stays(catalog: EmbeddedCatalog) -> None:
    with writing(catalog) as (session, grant):
        base = session.catalog.load_table(handle(grant))
        file = write_file(base)
        session.catalog.commit_table(handle(grant), append(base, 1))
    assert file.exists()


def test_what_may_have_been_committed_stays(catalog: EmbeddedCatalog) -> None:
    with writing(catalog) as (session, grant):
        file = write_file(session.catalog.load_table(handle(grant)))
        [table] = grant.tables.values()
        with pytest.raises(UpstreamError), table.fate.change([7]):
            raise UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "gone")
    assert file.exists()


def test_all_loads_of_a_query_show_the_same_folder_and_each_query_its_own(
    catalog: EmbeddedCatalog,
) -> None:
    seen = []
    for _ in range(2):
        with writing(catalog) as (session, grant):
            loads = (session.catalog.load_table(handle(grant)) for _ in range(2))
            seen.append({loaded.metadata["properties"][PATH] for loaded in loads})
    assert [len(paths) for paths in seen] == [1, 1] and seen[0] != seen[1]


@pytest.mark.parametrize("access", [Access.READ, Access.ALTER])
def test_who_writes_no_rows_is_shown_the_table_as_it_is(
    catalog: EmbeddedCatalog, access: Access
) -> None:
    with writing(catalog, access) as (session, grant):
        shown = session.catalog.load_table(handle(grant))
    assert PATH not in (shown.metadata.get("properties") or {})


def test_the_folder_is_no_property_of_the_table(catalog: EmbeddedCatalog) -> None:
    """Who replaces a table sends all its properties back."""
    with writing(catalog, Access.CREATE) as (session, grant):
        shown = session.catalog.load_table(handle(grant))
        properties = {**shown.metadata["properties"], "a": "b"}
        update = {"action": "set-properties", "updates": properties}
        session.catalog.commit_table(handle(grant), {"requirements": [], "updates": [update]})
    stored = catalog.load_table(EMP).metadata["properties"]
    assert stored["a"] == "b" and not {PATH, METADATA_PATH} & stored.keys()


def test_a_table_that_is_made_has_its_folder_inside_of_its_own(catalog: EmbeddedCatalog) -> None:
    name = type(NAME)(NAME.schema, "new")
    session = BrokerSession()
    new = GrantedTable(name, Ident(EMP.namespace, "new"), catalog, frozenset({Access.CREATE}))
    with session.grant([new]) as grant:
        request = {"name": "new", "schema": SCHEMA, "stage-create": True}
        staged = session.catalog.create_table((grant.spell(name)[1],), request)
        file = write_file(staged)
        assert str(file).startswith(staged.metadata["location"])
    assert not file.exists()


@pytest.mark.parametrize(
    ("properties", "place"),
    [
        ({}, "s3://b/t/data"),
        ({PATH: "s3://b/other/"}, "s3://b/other"),
        ({"write.folder-storage.path": "s3://b/old"}, "s3://b/old"),
        ({"write.object-storage.path": "s3://b/o"}, "s3://b/t/data"),
        (
            {"write.object-storage.enabled": "true", "write.object-storage.path": "s3://b/o"},
            "s3://b/o",
        ),
        ({"write.location-provider.impl": "com.example.Own"}, None),
    ],
)
def test_it_is_where_iceberg_would_write(properties: Json, place: str | None) -> None:
    metadata = {"location": "s3://b/t/", "properties": properties}
    shown = (
        OwnFolder().table_for_spark(Loaded(json.dumps(metadata).encode())).metadata["properties"]
    )
    if place is not None:
        assert shown.pop(METADATA_PATH).rpartition("/")[0] == "s3://b/t/metadata"
    assert shown == properties if place is None else shown[PATH].rpartition("/")[0] == place
