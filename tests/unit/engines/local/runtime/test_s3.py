"""Tables in S3: each is read with the keys that came with it, and with no others."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.catalog.protocol import Loaded
from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.storage import storage_of
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


def test_refused_keys_are_the_engines_failure(
    world: World, store: ObjectStore, catalog: SqlCatalog
) -> None:
    scan = scan_of(written(catalog, store, "t", [1]))
    assert world.query("SELECT * FROM scan_1", NUMBER, scan).num_rows == 1
    store.keys.clear()
    with pytest.raises(LocalFailed) as raised:
        world.query("SELECT * FROM scan_1", NUMBER, scan)
    assert "secret of" not in str(raised.value)
    other = scan_of(written(catalog, store, "u", [1]))
    store.keys.clear()
    with pytest.raises(LocalFailed, match="could not be listed"):
        world.query("SELECT * FROM scan_1", NUMBER, other)


def test_a_store_that_hangs_is_given_up(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    world = make(remote_timeout_s=1.0)
    scan = scan_of(written(catalog, store, "t", [1]))
    world.planned(scan)
    assert world.query("SELECT * FROM scan_1", NUMBER, scan).num_rows == 1
    store.hang_s = 3.0
    with pytest.raises(LocalFailed):
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
    storage = storage_of(written(catalog, store, "t", [1]))
    assert "KEYt" not in repr(storage)
    assert "secret of" not in repr(storage)
