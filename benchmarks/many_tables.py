"""A catalog of 10,000 tables, each with metadata of its own."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.iceberg_tables import open_catalog
from sqe.catalog.embedded.entry import CATALOG_FILE
from sqe.catalog.protocol import Ident
from sqe.model.identity import Identity
from sqe.server.build import Server, build
from sqe.sessions.session import Session
from sqe.settings.settings import Settings

COUNT = 10_000
_NAMESPACE = ("default",)
_MODEL = "t00000"
_COLUMNS = 16  # as many as lineitem
_INSERT = """INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name,
    metadata_location, previous_metadata_location, iceberg_type) VALUES (?, ?, ?, ?, NULL, ?)"""


@dataclass(frozen=True)
class ManyTables:
    server: Server
    session: Session
    names: list[str]


def many_tables(bench: Bench) -> ManyTables:
    """Share it: ``bench.once(many_tables)``."""
    home = bench.folder()
    names = _make(home)
    server = bench.enter(closing(build(Settings(home=home))))
    return ManyTables(server, server.gateway.open_session(Identity("bench")), names)


def _make(home: Path) -> list[str]:
    """One table through the catalog; the others are its copies, with their own name, place and id.

    Made one by one they would take a minute, for the disk has to confirm each.
    """
    with closing(open_catalog(home)) as catalog:
        catalog.create_namespace(_NAMESPACE, {})
        catalog.create_table(_NAMESPACE, {"name": _MODEL, "schema": _schema()})
        model = catalog.load_table(Ident(_NAMESPACE, _MODEL))
    location = model.metadata["location"]
    names = [f"t{number:05d}" for number in range(COUNT)]
    rows = []
    for name in names[1:]:
        place = location.replace(_MODEL, name)
        text = model.metadata_json.decode()
        text = text.replace(location, place)
        text = text.replace(model.metadata["table-uuid"], str(uuid.uuid4()))
        address = str(model.metadata_location).replace(location, place)
        path = Path(address.removeprefix("file://"))
        path.parent.mkdir(parents=True)
        path.write_text(text)
        rows.append(("lake", _NAMESPACE[0], name, address, "TABLE"))
    with closing(sqlite3.connect(home / CATALOG_FILE)) as database, database:
        database.executemany(_INSERT, rows)
    return names


def _schema() -> dict[str, object]:
    fields = [
        {"id": number, "name": f"c{number}", "required": False, "type": "long"}
        for number in range(1, _COLUMNS + 1)
    ]
    return {"type": "struct", "schema-id": 0, "fields": fields}
