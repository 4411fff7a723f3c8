"""Tables in S3: each is read with the keys that came with it, and with no others."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.catalog.protocol import Loaded
from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.objects import Objects
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.storage import storage_of
from sqe.errors import ErrorCode, UpstreamError
from tests.unit.engines.local.runtime.conftest import MakeWorld
from tests.unit.engines.local.runtime.object_store import ObjectStore
from tests.unit.engines.local.runtime.world import World, scan_of

pytest.importorskip("duckdb_extension_httpfs", reason="comes with the lock file")
NUMBER = pa.schema({"n": pa.int64()})


def written(catalog: SqlCatalog, store: ObjectStore, name: str, numbers: list[int]) -> Loaded:
    """A table, and the catalog's answer for it: keys for its own folder only."""
    table = catalog.create_table(f"db.{name}", NUMBER, location=f"s3://lake/w/{name}")
    table.append(pa.table({"n": numbers}))
    metadata = (store.folder / table.metadata_location.removeprefix("s3://")).read_bytes()
    store.keys[f"lake/w/{name}"] = f"KEY{name}"
    config = store.config(f"KEY{name}")
    credential = {"prefix": f"s3://lake/w/{name}", "config": config}
    return Loaded(metadata, table.metadata_location, {}, (credential,))


def test_two_tables_are_joined_each_with_its_keys(
    world: World, store: ObjectStore, catalog: SqlCatalog
) -> None:
    left = scan_of(written(catalog, store, "left", [1, 2, 3]))
    right = scan_of(written(catalog, store, "right", [2, 3, 4]), relation="scan_2")
    sql = "SELECT count(*) FROM scan_1 JOIN scan_2 USING (n)"
    for _ in range(3):
        assert world.query(sql, NUMBER, left, right).to_pydict() == {"n": [2]}
    assert store.refused == 0


@pytest.mark.parametrize("planned", [False, True])
def test_refused_keys_are_an_error_on_every_engine(
    world: World, store: ObjectStore, catalog: SqlCatalog, planned: bool
) -> None:
    """Spark would get no other keys, so it is not asked."""
    scan = scan_of(written(catalog, store, "t", [1]))
    if planned:
        assert world.query("SELECT * FROM scan_1", NUMBER, scan).num_rows == 1
    store.keys.clear()
    with pytest.raises(UpstreamError, match=r"refuses .* to the keys") as raised:
        world.query("SELECT * FROM scan_1", NUMBER, scan)
    assert raised.value.code is ErrorCode.STORAGE_UNAVAILABLE
    assert "secret of" not in str(raised.value)


@pytest.mark.parametrize("planned", [False, True])
def test_a_file_that_is_gone_is_named(
    world: World, store: ObjectStore, catalog: SqlCatalog, planned: bool
) -> None:
    scan = scan_of(written(catalog, store, "t", [1]))
    if planned:
        assert world.query("SELECT * FROM scan_1", NUMBER, scan).num_rows == 1
    for path in store.folder.rglob("*.parquet" if planned else "*.avro"):
        path.unlink()
    with pytest.raises(UpstreamError, match="which the table needs, is missing") as raised:
        world.query("SELECT * FROM scan_1", NUMBER, scan)
    assert raised.value.code is ErrorCode.CORRUPT_DATA
    assert "lake/" not in str(raised.value)  # folders have values in their names


def test_a_store_that_hangs_is_given_up(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    world = make(remote_timeout_s=1.0)
    scan = scan_of(written(catalog, store, "t", [1]))
    world.planned(scan)
    assert world.query("SELECT * FROM scan_1", NUMBER, scan).num_rows == 1
    store.hang_s = 3.0
    with pytest.raises(UpstreamError, match="object store fails"):
        world.query("SELECT * FROM scan_1", NUMBER, scan)
    store.hang_s = 0.0


def test_no_keys_no_reading(world: World, store: ObjectStore, catalog: SqlCatalog) -> None:
    loaded = written(catalog, store, "t", [1])
    with pytest.raises(NotLocal, match="no storage credentials"):
        world.planned(scan_of(Loaded(loaded.metadata_json, loaded.metadata_location)))
    elsewhere = ({"prefix": "s3://lake/w/other", "config": store.config("KEYt")},)
    with pytest.raises(NotLocal, match="no storage credentials for a file"):
        world.planned(scan_of(Loaded(loaded.metadata_json, "s3://lake/m.json", {}, elsewhere)))


def test_keys_do_not_show(store: ObjectStore, catalog: SqlCatalog) -> None:
    storage = storage_of(written(catalog, store, "t", [1]), Objects(1.0))
    assert "KEYt" not in repr(storage)
    assert "secret of" not in repr(storage)


@pytest.mark.parametrize(
    "reading",
    [
        "read_parquet('s3://lake/w/own/../other/{other}')",
        "read_parquet('s3://lake/w/own/data/../../other/{other}')",
        "read_parquet('s3://lake/w/other/{other}')",
        "read_parquet('s3://lake/w/*/data/*.parquet')",
        "read_parquet('s3://lake/w/own/**')",
        "read_parquet('{endpoint}/lake/w/own/{own}')",
        "read_parquet('{endpoint}/lake/w/other/{other}')",
        "read_parquet('s3a://lake/w/other/{other}')",
        "read_parquet('s3://lake/w/other/{other}?s3_access_key_id=KEYother')",
        "read_text('s3://lake/w/other/{other}')",
        "read_text('/etc/passwd')",
        "glob('s3://lake/w/**')",
    ],
)
def test_only_the_planned_files_can_be_opened(
    world: World, store: ObjectStore, catalog: SqlCatalog, reading: str
) -> None:
    """Also where the keys would open more than that."""
    own = scan_of(written(catalog, store, "own", [1]))
    written(catalog, store, "other", [2])
    store.keys = {"lake/": "KEYown"}
    files = {name: _data_file(store, name) for name in ("own", "other")}
    asked = reading.format(**files, endpoint=store.endpoint)
    with pytest.raises(LocalFailed):
        world.query(f"SELECT 1 FROM {asked}", NUMBER, own)
    assert world.query("SELECT * FROM scan_1", NUMBER, own).to_pydict() == {"n": [1]}


def _data_file(store: ObjectStore, name: str) -> str:
    [found] = (store.folder / "lake/w" / name / "data").glob("*.parquet")
    return f"data/{found.name}"


@pytest.mark.parametrize("place", ["../other/a.parquet", "./a.parquet", "a//b.parquet"])
def test_names_that_some_read_otherwise_are_left_alone(
    store: ObjectStore, catalog: SqlCatalog, place: str
) -> None:
    storage = storage_of(written(catalog, store, "t", [1]), Objects(1.0))
    with pytest.raises(NotLocal, match="not read the same"):
        storage.path(f"s3://lake/w/t/{place}")
