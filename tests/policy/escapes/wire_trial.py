"""Plays one trick over the wire, and says what is wrong with what came of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import SecretStr

from sqe.auth.hashing import hash_password
from sqe.catalog.protocol import Catalog
from sqe.engines.spark.addresses import EmbeddedAddress
from sqe.model.decision import Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity, Secret
from sqe.model.password_hash import ScryptCost
from sqe.model.rules import Object
from sqe.server.build import Server, build
from sqe.settings import Settings
from tests.differential.sides import QUICK_CONF
from tests.policy.escapes.clients import PASSWORDS, Refused, Wires, refusal
from tests.policy.escapes.row import QUIET, SAME
from tests.policy.escapes.trial import EVE, NAMES, REAL, ROOT, VALUES, Eves
from tests.policy.escapes.wire_row import WireEscape
from tests.policy.worlds import written_to

_SHOWN = [
    (1, "ann", "it", "********", dt.date(1990, 1, 1), "10"),
    (2, "eve", "ops", "********", dt.date(1991, 1, 1), "20"),
    (5, "bob", "it", "********", dt.date(1994, 1, 1), "30"),
]
_STORED = [
    (1, "ann", "it", "S3CR3T-1", dt.date(1990, 5, 17), "10"),
    (2, "eve", "ops", "S3CR3T-2", dt.date(1991, 6, 18), "20"),
    (3, "S3CR3T-row", "hr", "S3CR3T-3", dt.date(1992, 7, 19), "S3CR3T-["),
    (4, "S3CR3T-too", "hr", "S3CR3T-4", dt.date(1993, 8, 20), "S3CR3T-("),
    (5, "bob", "it", "S3CR3T-5", dt.date(1994, 9, 21), "30"),
]
_EMP = pa.schema(
    [("id", pa.int32()), ("name", pa.string()), ("dept", pa.string()), ("ssn", pa.string()),
     ("born", pa.date32()), ("code", pa.string())]
)  # fmt: skip
_UNSEEN = ("vault", "ghost")
COPY = "zz"  # as long as the other one's, so that places in a text are the same
OWN = Restrict("test", filters=(RowFilter("dept = 'it'", check=True),))


class WireEves(Eves):
    """The rules of the SQL trials, and what eve may know of. ``own`` has rows that are hers."""

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        if str(table.name) == "lake.hr.own" and identity.user == EVE.user:
            return OWN
        if table.name.name in _UNSEEN and identity.user == EVE.user:
            return Deny("test")
        return super().decide(identity, table)

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        return [identity.user != EVE.user or not {*_UNSEEN} & {*one.parts} for one in objects]


def served(shared: Server, home: Path, loadable: Path, rules: WireEves) -> Server:
    """A server with passwords, on a Spark that another one has started."""
    assert shared.spark is not None
    users = {
        name: {"password": hash_password(Secret(password), ScryptCost(p=1)).write()}
        for name, password in PASSWORDS.items()
    }
    url = EmbeddedAddress(shared.spark).reach().url.reveal()
    given = {
        "home": home,
        "spark": {"remote": SecretStr(url), "session_conf": QUICK_CONF},
        "load": {"folders": [loadable]},
        "auth": {"users": users},
        "trino": {"allow_plain_http_credentials": True},
        "local": {"threads": 1},
        "log": {"audit": False},
    }
    return build(Settings.model_validate(given), (rules,))


def wire_world(server: Server, loadable: Path) -> None:
    """As in ``trial``, without the past; written without an engine."""
    catalog = server.catalogs.open("lake", ROOT)
    with written_to(server) as rest:
        for schema, rows in ((REAL, _STORED), (COPY, _SHOWN)):
            emp = pa.Table.from_pylist(
                [dict(zip(_EMP.names, row, strict=True)) for row in rows], _EMP
            )
            if schema == REAL:
                pay = pa.array([77700] * len(rows), pa.int32())
                info = pa.array([{"a": 7, "b": "S3CR3T"}] * len(rows))
                emp = emp.append_column(NAMES[0], pay).append_column(NAMES[1], info)
            note = pa.table({"id": pa.array([1, 3], pa.int32()), "txt": ["a", "c"]})
            rest.create_namespace(schema)
            for name, table in (("emp", emp), ("note", note), ("own", emp.select(_EMP.names[:3]))):
                rest.create_table(f"{schema}.{name}", table.schema).append(table)
            _view(catalog, schema, "emp_view", "SELECT id, name FROM emp")
        rest.create_table(f"{REAL}.vault", note.schema)
        _view(catalog, REAL, "pay_view", f"SELECT {NAMES[0]} FROM emp")
    (loadable / "rows.csv").write_text("9,x\n")
    files = server.settings.home / "warehouse" / REAL / "emp" / "data"
    (loadable / "link.parquet").symlink_to(next(files.rglob("*.parquet")))


def _view(catalog: Catalog, schema: str, name: str, text: str) -> None:
    columns = [("id", "int"), ("name", "string")] if "name" in text else [(NAMES[0], "int")]
    fields = [
        {"id": number, "name": column, "type": kind, "required": False}
        for number, (column, kind) in enumerate(columns, start=1)
    ]
    version: dict[str, Any] = {
        "version-id": 1,
        "schema-id": 0,
        "timestamp-ms": 1_700_000_000_000,
        "summary": {},
        "default-catalog": "lake",
        "default-namespace": [schema],
        "representations": [{"type": "sql", "sql": text, "dialect": "spark"}],
    }
    made = {"type": "struct", "schema-id": 0, "fields": fields}
    request = {"name": name, "schema": made, "view-version": version, "properties": {}}
    catalog.create_view((schema,), request)


@dataclass(frozen=True)
class WireTrial:
    wires: Wires

    def faults(self, escape: WireEscape) -> list[str]:
        """What is wrong; nothing where the trick has failed as it must."""
        code, told = self._played(escape, REAL)
        secret = [*VALUES, *NAMES, *_UNSEEN]
        found = [
            f"it tells {word}: {told}"
            for word in secret
            if word in told and word not in escape.shown
        ]
        if escape.must == SAME:
            expected = self._played(escape, COPY)
            if expected != (code, told):
                found.append(f"of the copy: {expected}\nof the table: {(code, told)}")
        elif escape.must != QUIET and code != escape.must:
            found.append(f"wanted {escape.must}, found {code or 'an answer'}: {told}")
        return found

    def _played(self, escape: WireEscape, schema: str) -> tuple[str, str]:
        """The code of the refusal, if it is one, and what was told."""
        try:
            found = ("", repr(escape.act(self.wires, schema)))
        except Exception as error:  # noqa: BLE001  drivers raise what they like
            refused = error if isinstance(error, Refused) else refusal(error)
            found = (refused.code, str(refused))
        self.wires.eve.close()
        self.wires.root.close()
        return found[0], found[1].replace(COPY, REAL)
