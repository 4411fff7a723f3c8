"""PyIceberg on the same lakehouse: through the SQLite file, and through the REST endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError, RESTError
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import SortField, SortOrder
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident
from sqe.catalog.rest.routes import catalog_app
from sqe.http.serving import HttpThread
from tests.embedded.catalog.test_embedded_catalog import NS, set_property

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "note": ["a", "b", None]})
SCHEMA = Schema(NestedField(10, "id", LongType()), NestedField(20, "note", StringType()))


@pytest.fixture
def rest(catalog: EmbeddedCatalog) -> Iterator[RestCatalog]:
    server = HttpThread(catalog_app(lambda bearer: catalog, prefix="lake"))
    server.start()
    client = RestCatalog("sqe", uri=server.url, token="any")
    yield client
    client.close()
    server.stop()


@pytest.fixture
def sql(home: Path, catalog: EmbeddedCatalog) -> Iterator[SqlCatalog]:
    client = SqlCatalog(
        "lake", uri=f"sqlite:///{home}/catalog.db", warehouse=str(home / "warehouse")
    )
    yield client
    client.close()


def test_create_append_read_evolve_delete(rest: RestCatalog, catalog: EmbeddedCatalog) -> None:
    spec = PartitionSpec(PartitionField(20, 1000, IdentityTransform(), "note_part"))
    order = SortOrder(SortField(20, IdentityTransform()))
    table = rest.create_table("sales.t", SCHEMA, partition_spec=spec, sort_order=order)
    assert table.schema().find_field("note").field_id == 2
    assert table.spec().fields[0].source_id == 2
    table.append(ROWS)
    table.append(ROWS)
    with table.update_schema() as update:
        update.add_column("more", LongType())
    with table.update_spec() as update:
        update.add_field("id", IdentityTransform(), "id_part")
    table.delete("id = 1")
    again = rest.load_table("sales.t")
    assert again.scan().to_arrow().num_rows == 4
    assert again.scan().to_arrow().column_names == ["id", "note", "more"]
    first = again.history()[0].snapshot_id
    assert again.scan(snapshot_id=first).to_arrow().num_rows == 3
    assert catalog.load_table(Ident(NS, "t")).metadata["current-schema-id"] == 1


def test_a_staged_create_with_data_is_one_commit(rest: RestCatalog) -> None:
    with rest.create_table_transaction("sales.t", SCHEMA) as transaction:
        transaction.append(ROWS)
        with pytest.raises(NoSuchTableError):
            rest.load_table("sales.t")
    assert rest.load_table("sales.t").scan().to_arrow().num_rows == 3


def test_branches_tags_and_expiry(rest: RestCatalog) -> None:
    table = rest.create_table("sales.t", SCHEMA)
    table.append(ROWS)
    first = table.current_snapshot()
    assert first is not None
    table.manage_snapshots().create_tag(first.snapshot_id, "v1").commit()
    table.manage_snapshots().create_branch(first.snapshot_id, "work").commit()
    table.append(ROWS)
    table.append(ROWS, branch="work")
    assert table.scan().use_ref("work").to_arrow().num_rows == 6
    assert rest.load_table("sales.t").refs()["v1"].snapshot_id == first.snapshot_id
    table.manage_snapshots().remove_tag("v1").commit()
    table.maintenance.expire_snapshots().by_id(first.snapshot_id).commit()
    left = {s.snapshot_id for s in rest.load_table("sales.t").snapshots()}
    assert left == {ref.snapshot_id for ref in table.refresh().refs().values()}


def test_a_writer_with_old_metadata_gets_a_conflict(rest: RestCatalog) -> None:
    table = rest.create_table("sales.t", SCHEMA, properties={"commit.retry.num-retries": "0"})
    stale = rest.load_table("sales.t")
    with table.update_schema() as update:
        update.add_column("a", LongType())
    with pytest.raises(CommitFailedException), stale.update_schema() as update:
        update.add_column("b", LongType())


def test_purging_removes_the_data(rest: RestCatalog, home: Path) -> None:
    table = rest.create_table("sales.t", SCHEMA)
    table.append(ROWS)
    table.overwrite(ROWS)
    assert list((home / "warehouse").rglob("*.parquet"))
    rest.purge_table("sales.t")
    assert not list((home / "warehouse" / "sales").iterdir())


def test_a_damaged_table_does_not_look_like_none(
    rest: RestCatalog, catalog: EmbeddedCatalog, table: Ident
) -> None:
    Path(catalog.load_table(table).metadata_location or "").write_text("{")
    with pytest.raises(RESTError, match=r"sales\.orders"):
        rest.load_table("sales.orders")


@pytest.mark.parametrize("version", ["1", "2", "3"])
def test_the_file_is_a_sql_catalog(catalog: EmbeddedCatalog, sql: SqlCatalog, version: str) -> None:
    catalog.create_namespace(("a", "b"), {"owner": "ann"})
    schema = SCHEMA.model_dump(by_alias=True)
    request = {"name": "t", "schema": schema, "properties": {"format-version": version}}
    catalog.create_table(("a", "b"), request)
    assert sql.load_namespace_properties(("a", "b"))["owner"] == "ann"
    assert sql.list_tables(("a", "b")) == [("a", "b", "t")]
    assert sql.load_table("a.b.t").metadata.format_version == int(version)
    assert sql.load_table("a.b.t").scan().to_arrow().num_rows == 0


def test_tables_of_the_sql_catalog_are_ours(catalog: EmbeddedCatalog, sql: SqlCatalog) -> None:
    sql.create_namespace("theirs", {"owner": "bob"})
    table = sql.create_table("theirs.t", SCHEMA)
    table.append(ROWS)
    assert catalog.load_namespace(("theirs",)) == {"owner": "bob"}
    ident = Ident(("theirs",), "t")
    assert catalog.list_tables(("theirs",)) == ["t"]
    assert len(catalog.load_table(ident).metadata["snapshots"]) == 1
    catalog.commit_table(ident, set_property("by", "sqe"))
    sql.load_table("theirs.t").append(ROWS)
    assert sql.load_table("theirs.t").properties["by"] == "sqe"
    assert sql.load_table("theirs.t").scan().to_arrow().num_rows == 6
