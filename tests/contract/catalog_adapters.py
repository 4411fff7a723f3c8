"""The catalogs that the suite is run on: at least one of each type of the settings."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe.catalog.catalog_type import Listeners
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.embedded.store import SCHEMA
from sqe.catalog.folder.entry import FILES
from sqe.catalog.glue.entry import GLUE
from sqe.catalog.hive.entry import HIVE
from sqe.catalog.jdbc.entry import JDBC
from sqe.catalog.protocol import Catalog
from sqe.model.identity import Identity
from sqe.settings import (
    FilesCatalogSettings,
    GlueCatalogSettings,
    HiveCatalogSettings,
    JdbcCatalogSettings,
    Settings,
)
from tests.unit.catalog.remote.serving import opened, person, served, service
from tests.unit.store.postgresql import schema_in

PostgreSQL = Callable[[], str]  # starts one at the first call
Open = Callable[[Path, PostgreSQL], AbstractContextManager[Catalog]]


@dataclass(frozen=True)
class CatalogAdapter:
    """``type``: as in the settings. ``open`` makes an empty one in a folder."""

    type: str
    open: Open
    views: bool = True
    schema: tuple[str, ...] = ("a", "b")
    odd: str = "ä b+c/d%2e?#"  # a name with all that there may be in one
    renames: bool = True
    atomic: bool = True  # several tables change at once


@contextmanager
def _embedded(folder: Path, postgresql: PostgreSQL) -> Iterator[Catalog]:
    with closing(EmbeddedCatalog(folder / "c.db", folder / "w")) as own:
        yield own


def _behind_rest(prefix: str) -> Open:
    @contextmanager
    def over(folder: Path, postgresql: PostgreSQL) -> Iterator[Catalog]:
        with (
            closing(EmbeddedCatalog(folder / "c.db", folder / "w")) as own,
            served({"ann": own}, prefix) as server,
            service(server.url) as made,
        ):
            yield opened(made, person("ann"))

    return over


@contextmanager
def jdbc(folder: Path, url: str, **more: Any) -> Iterator[Catalog]:
    """As a server opens it."""
    values = {"url": url, "warehouse": folder / "w", "auth": "shared", **more}
    settings = Settings(home=folder / "home")
    made = JDBC.make("lake", JdbcCatalogSettings(**values), settings, Listeners())
    with closing(made):
        yield made.open(Identity("ann"))


def _jdbc_on_sqlite(folder: Path, postgresql: PostgreSQL) -> AbstractContextManager[Catalog]:
    return jdbc(folder, f"sqlite:///{folder}/c.db")


def _jdbc_of_layout_v0(folder: Path, postgresql: PostgreSQL) -> AbstractContextManager[Catalog]:
    make_v0(folder / "c.db")
    return jdbc(folder, f"sqlite:///{folder}/c.db")


def _jdbc_on_postgresql(folder: Path, postgresql: PostgreSQL) -> AbstractContextManager[Catalog]:
    return jdbc(folder, schema_in(postgresql()))


@contextmanager
def _files(folder: Path, postgresql: PostgreSQL) -> Iterator[Catalog]:
    (folder / "w").mkdir(exist_ok=True)
    values = FilesCatalogSettings(warehouse=folder / "w", auth="shared")
    with closing(FILES.make("lake", values, Settings(home=folder / "home"), Listeners())) as made:
        yield made.open(Identity("ann"))


def make_v0(file: Path) -> None:
    """The tables as JDBC catalogs made them at first."""
    with closing(sqlite3.connect(file)) as db:
        for statement in SCHEMA:
            db.execute(statement.replace("        iceberg_type VARCHAR(5),\n", ""))


ADAPTERS: Mapping[str, CatalogAdapter] = {
    "embedded": CatalogAdapter("embedded", _embedded),
    "remote": CatalogAdapter("rest", _behind_rest("")),
    "remote with a prefix": CatalogAdapter("rest", _behind_rest("lake")),
    "jdbc on SQLite": CatalogAdapter("jdbc", _jdbc_on_sqlite),
    "jdbc of layout V0": CatalogAdapter("jdbc", _jdbc_of_layout_v0, views=False),
    "jdbc on PostgreSQL": CatalogAdapter("jdbc", _jdbc_on_postgresql),
}
# Of those that nothing can be made in; tests/contract/test_files.py.
READ_ONLY: Mapping[str, CatalogAdapter] = {
    "files": CatalogAdapter("files", _files, views=False),
}


def hive(uri: str, schema: str, **more: Any) -> CatalogAdapter:
    """On a metastore that runs; ``schema`` is one that it has not."""

    @contextmanager
    def on_metastore(folder: Path, postgresql: PostgreSQL) -> Iterator[Catalog]:
        values = {"uri": uri, "warehouse": str(folder / "w"), "auth": "shared", **more}
        settings = HiveCatalogSettings(**values)
        with closing(HIVE.make("lake", settings, Settings(home=folder / "home"), Listeners())) as m:
            yield m.open(Identity("ann"))

    return CatalogAdapter("hive", on_metastore, schema=(schema,), odd="a_1", atomic=False)


def glue(schema: str, **values: Any) -> CatalogAdapter:
    """``values``: its settings."""

    @contextmanager
    def in_cloud(folder: Path, postgresql: PostgreSQL) -> Iterator[Catalog]:
        settings = GlueCatalogSettings(**values)
        with closing(GLUE.make("lake", settings, Settings(home=folder / "home"), Listeners())) as m:
            yield m.open(Identity("ann"))

    return CatalogAdapter(
        "glue", in_cloud, schema=(schema,), odd="a_1", renames=False, atomic=False
    )


# Of those that need a service of the stack: tests/stack/test_hive.py, test_glue.py.
ON_STACK = {"hive": hive, "glue": glue}
