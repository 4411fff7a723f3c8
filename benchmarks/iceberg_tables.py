"""Arrow tables as ordinary Iceberg tables, in a home of the cache: made once, and kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.embedded.entry import CATALOG_FILE, WAREHOUSE
from sqe.catalog.rest.routes import catalog_app
from sqe.http.serving import HttpThread

Tables = Iterable[tuple[str, pa.Table]]
# PyIceberg's own is a million rows, so that a table of a million rows is read by one processor.
# The generators of these tables write groups of about this size.
_ROWS_OF_GROUP = 122_880


def open_catalog(home: Path) -> EmbeddedCatalog:
    return EmbeddedCatalog(home / CATALOG_FILE, home / WAREHOUSE)


def made_home(folder: Path, schema: str, make: Callable[[Path], Tables]) -> Path:
    """The home whose catalog ``lake`` has the schema. Half-made ones are made again.

    ``make`` gets a folder for its own files, which is removed afterwards.
    """
    home, source = folder / "home", folder / "parquet"
    loaded = home / f"{schema}-in-groups-of-{_ROWS_OF_GROUP}"
    if not loaded.exists():
        shutil.rmtree(folder, ignore_errors=True)
        source.mkdir(parents=True)
        _load(make(source), home, schema)
        shutil.rmtree(source)
        loaded.touch()
    return home


def _load(tables: Tables, home: Path, schema: str) -> None:
    """Through SQE's own REST catalog, by PyIceberg: ordinary Iceberg files, one snapshot each."""
    from pyiceberg.catalog.rest import RestCatalog

    catalog = open_catalog(home)
    http = HttpThread(catalog_app(lambda _: catalog))
    http.start()
    try:
        lake = RestCatalog("lake", uri=http.url)
        lake.create_namespace(schema)
        layout = {"write.parquet.row-group-limit": str(_ROWS_OF_GROUP)}
        for name, rows in tables:
            table = lake.create_table(f"{schema}.{name}", schema=rows.schema, properties=layout)
            table.append(rows)
    finally:
        http.stop()
        catalog.close()
