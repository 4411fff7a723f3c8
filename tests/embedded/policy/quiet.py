"""A lakehouse whose statements need no Spark, a part of it hidden.

``hr.emp`` is seen in part: rows of one department, ``ssn`` masked, ``pay`` hidden. ``hr.secret``,
the schema ``vault`` and the catalog ``attic`` are not to be known of; no more are ``hr.absent``
and ``ghost``, which are not there. The view ``hr.ghosts`` is broken.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog

from sqe.catalog.protocol import Catalog
from sqe.catalog.rest.routes import catalog_app
from sqe.http.serving import HttpThread
from sqe.model.decision import Deny, Restrict, RowFilter
from sqe.model.identity import Identity
from sqe.model.masks import NullMask
from sqe.model.rules import Object
from sqe.server.build import build
from sqe.settings import Settings
from tests.embedded.pipe.lake import Lake, Rules
from tests.trino.asking import Client

NOWHERE = "127.0.0.1:9"  # a statement that needs Spark, or the other catalog, fails
SEEN = Restrict(
    "only one's own department",
    filters=(RowFilter("dept = 'it'"),),
    masks={"ssn": NullMask()},
    hidden=frozenset({"pay"}),
)
EMP = {
    "type": "struct",
    "schema-id": 0,
    "identifier-field-ids": [1],
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True, "doc": "the key"},
        {"id": 2, "name": "dept", "type": "string", "required": False},
        {"id": 3, "name": "ssn", "type": "string", "required": False, "doc": "starts with 9"},
        {"id": 4, "name": "pay", "type": "long", "required": False, "doc": "in thousands"},
    ],
}
MADE = {
    "schema": EMP,
    "partition-spec": {
        "spec-id": 0,
        "fields": [{"source-id": 4, "transform": "identity", "name": "pay_part"}],
    },
    "write-order": {
        "order-id": 1,
        "fields": [
            {"source-id": 4, "transform": "identity", "direction": "asc",
             "null-order": "nulls-first"},
        ],
    },
    "properties": {"write.metadata.metrics.column.pay": "full", "comment": "who has which PAY"},
}  # fmt: skip
PLAIN = {"type": "struct", "schema-id": 0, "fields": EMP["fields"][:2]}  # type: ignore[index]


def over(name: str, text: str) -> dict[str, object]:
    return {
        "name": name,
        "schema": PLAIN,
        "view-version": {
            "version-id": 1,
            "schema-id": 0,
            "timestamp-ms": 1_700_000_000_000,
            "summary": {},
            "default-catalog": "lake",
            "default-namespace": ["hr"],
            "representations": [{"type": "sql", "sql": text, "dialect": "spark"}],
        },
        "properties": {},
    }


@dataclass(frozen=True)
class Quiet:
    """One session and one client of Trino's protocol, both of ann's; ``flight`` is an address."""

    lake: Lake
    trino: Client
    flight: str

    @contextmanager
    def hiding(self) -> Iterator[None]:
        """What this module says of the tables holds."""
        rules = self.lake.rules
        with (
            rules.showing(lambda identity, on: is_shown(on)),
            rules.on("lake.hr.emp", SEEN, "select"),
            rules.on("lake.hr.secret", Deny("no")),
            rules.on("lake.vault.gold", Deny("no")),
            rules.on("lake.hr.absent", Deny("no")),
            rules.on("lake.hr.ghosts", Deny("no")),
            rules.on("lake.ghost.gold", Deny("no")),
            rules.on("lake.attic.hr.gold", Deny("no")),
            rules.on("lake.ghost.hr.gold", Deny("no")),
        ):
            yield


def is_shown(on: Object) -> bool:
    return not {"secret", "vault", "attic", "absent", "ghost", "ghosts"}.intersection(on.parts)


@contextmanager
def quiet_lake(home: Path) -> Iterator[Quiet]:
    settings = Settings.model_validate(
        {
            "home": home,
            "spark": {"remote": f"sc://{NOWHERE}"},
            "flight": {"port": 0},
            "trino": {"port": 0, "impersonation": ["anonymous -> ann"]},
            "catalogs": {
                "lake": {"type": "embedded"},
                "attic": {"type": "rest", "uri": f"http://{NOWHERE}"},
            },
        }
    )
    rules = Rules()
    with closing(build(settings, (rules,))) as server:
        catalog = server.catalogs.open("lake", Identity("ann"))
        for schema in ("hr", "vault"):
            catalog.create_namespace((schema,), {})
        catalog.create_table(("hr",), {"name": "emp", **MADE})
        for schema, name in (("hr", "dept"), ("hr", "secret"), ("vault", "gold")):
            catalog.create_table((schema,), {"name": name, "schema": PLAIN})
        catalog.create_view(("hr",), over("names", "SELECT id, dept FROM emp"))
        catalog.create_view(("hr",), over("paid", "SELECT id, dept FROM emp WHERE pay > 1"))
        catalog.create_view(("hr",), over("ghosts", "SELECT id, dept FROM no_such_table"))
        _fill(catalog)
        lake = Lake.open(server, rules, engine="auto")
        with closing(Client(server.listen_trino(), "lake", "hr", "ann")) as client:
            yield Quiet(lake, client, server.listen())


def _fill(catalog: Catalog) -> None:
    """Four rows, of which ann sees two."""
    http = HttpThread(catalog_app(lambda _: catalog))
    http.start()
    try:
        table = RestCatalog("lake", uri=http.url).load_table("hr.emp")
        rows = {"id": [1, 2, 3, 4], "dept": ["it", "hr", "it", "hr"]}
        rows |= {"ssn": ["91", "92", "93", "94"], "pay": [10, 20, 30, 40]}
        table.append(pa.table(rows, schema=table.schema().as_arrow()))
    finally:
        http.stop()
