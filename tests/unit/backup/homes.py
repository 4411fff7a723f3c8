"""A home with tables of several snapshots, written by PyIceberg."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from sqe.auth.api_keys import NewKey, create_key
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.store.api_keys import ApiKeys
from sqe.store.database import Database

SCHEMA = Schema(NestedField(1, "id", LongType()), NestedField(2, "note", StringType()))
BY_NOTE = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "note"))


def rows_of(*ids: int) -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int64()), "note": [f"n{id}" for id in ids]})


@contextmanager
def open_catalog(home: Path, name: str = "lake") -> Iterator[SqlCatalog]:
    EmbeddedCatalog(home / "lake.db", home / "warehouse").close()
    catalog = SqlCatalog(name, uri=f"sqlite:///{home}/lake.db", warehouse=f"{home}/warehouse")
    yield catalog
    catalog.close()


def make_home(home: Path) -> Path:
    """Two tables, a view, a file that no table knows, a key, settings, a log."""
    with open_catalog(home) as catalog:
        catalog.create_namespace("sales")
        plain = catalog.create_table("sales.plain", SCHEMA)
        plain.append(rows_of(1, 2))
        plain.append(rows_of(3))
        plain.delete("id = 1")
        parted = catalog.create_table("sales.parted", SCHEMA, partition_spec=BY_NOTE)
        parted.append(rows_of(7, 8))
        (Path(plain.location()) / "data" / "orphan.parquet").write_bytes(b"left behind")
    (home / "jars").mkdir()
    (home / "jars" / "big.jar").write_bytes(b"fetched anew")
    (home / "sqe.toml").write_text(f'[load]\nfolders = ["{home}/in"]\n')
    (home / "logs").mkdir()
    (home / "logs" / "audit.jsonl").write_text('{"event": "login"}\n')
    with closing(Database(home)) as database:
        nobody: frozenset[str] = frozenset()
        new = NewKey("nightly", "loader", nobody, nobody, frozenset({"all"}), None)
        create_key(ApiKeys(database), new, 1.0)
    return home


def ids_of(table: Table, snapshot_id: int | None = None) -> list[int]:
    return sorted(table.scan(snapshot_id=snapshot_id).to_arrow()["id"].to_pylist())


def key_names(home: Path) -> list[str]:
    with closing(Database(home)) as database:
        return [key.name for key in ApiKeys(database).list_all()]


def locations_in(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as db:
        return [row[0] for row in db.execute("SELECT metadata_location FROM iceberg_tables")]
