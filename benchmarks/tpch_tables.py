"""The TPC-H tables as Iceberg, in a home of their own in the cache: made once per scale factor."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.bench import Bench
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.rest.routes import catalog_app
from sqe.catalog.rest.serving import HttpThread
from sqe.server.build import CATALOG_FILE, WAREHOUSE

SCHEMA = "tpch"
TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")
_LOADED = "tpch-loaded"


def tpch_home(bench: Bench) -> Path:
    """The home whose catalog ``lake`` has the schema ``tpch``. Half-made ones are made again."""
    folder = bench.cache / f"tpch-sf{bench.options.scale:g}"
    home = folder / "home"
    if not (home / _LOADED).exists():
        shutil.rmtree(folder, ignore_errors=True)
        bench.note(f"making TPC-H at scale {bench.options.scale:g} in {folder}, once")
        _generate(folder / "parquet", bench.options.scale)
        _load(folder / "parquet", home)
        shutil.rmtree(folder / "parquet")
        (home / _LOADED).touch()
    return home


def open_catalog(home: Path) -> EmbeddedCatalog:
    return EmbeddedCatalog(home / CATALOG_FILE, home / WAREHOUSE)


def _generate(folder: Path, scale: float) -> None:
    folder.mkdir(parents=True)
    generator = Path(sys.executable).parent / "tpchgen-cli"
    command = [str(generator), "parquet", "-s", f"{scale:g}", "--output-dir", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _load(source: Path, home: Path) -> None:
    """Through SQE's own REST catalog, by PyIceberg: ordinary Iceberg files, one snapshot each."""
    from pyiceberg.catalog.rest import RestCatalog

    catalog = open_catalog(home)
    http = HttpThread(catalog_app(lambda _: catalog))
    http.start()
    try:
        lake = RestCatalog("lake", uri=http.url)
        lake.create_namespace(SCHEMA)
        for name in TABLES:
            rows = _plain_strings(pq.read_table(source / f"{name}.parquet"))
            lake.create_table(f"{SCHEMA}.{name}", schema=rows.schema).append(rows)
    finally:
        http.stop()
        catalog.close()


def _plain_strings(rows: pa.Table) -> pa.Table:
    """The generator writes string views, which PyIceberg does not know."""
    fields = [
        field.with_type(pa.string()) if field.type == pa.string_view() else field
        for field in rows.schema
    ]
    return rows.cast(pa.schema(fields))
