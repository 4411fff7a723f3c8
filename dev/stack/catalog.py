"""The catalog of Polaris's contract, from ``sqe.testing``."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dev.stack.minio import BUCKET, REGION, ROOT_PASSWORD, ROOT_USER, USERS
from dev.stack.people import CATALOG, MANY, PEOPLE
from dev.stack.places import ROOT, Places
from dev.stack.processes import Command
from dev.stack.service import answers

NAME = "lake"  # of the one catalog that it holds
CROWD = "crowd"  # the namespace with a table for each of the many, which nobody else may read
_READ = (
    "NAMESPACE_READ_PROPERTIES",
    "TABLE_LIST",
    "TABLE_READ_DATA",
    "VIEW_LIST",
    "VIEW_READ_PROPERTIES",
)
_WRITE = ("NAMESPACE_FULL_METADATA", "TABLE_FULL_METADATA", "TABLE_WRITE_DATA")
# Who may do what in which namespace, by role. An empty one stands for the catalog itself.
GRANTS: dict[str, dict[str, tuple[str, ...]]] = {
    "analyst": {"": ("NAMESPACE_LIST",), "sales": _READ},
    "engineer": {"": ("NAMESPACE_LIST",), "sales": _READ, "hr": (*_READ, *_WRITE)},
    "reader": {"": ("NAMESPACE_LIST",), "sales": _READ},
    "admin": {"": ("CATALOG_MANAGE_CONTENT",)},
}
NAMESPACES = ("sales", "hr", "board", CROWD)


class ContractCatalog:
    name = "catalog"
    needs = ("keycloak", "minio")

    def __init__(self, places: Places) -> None:
        self._places = places
        self.port = places.port(18181)
        self._admin_port = places.port(18182)

    def prepare(self) -> None:
        """It is part of the repository."""

    def command(self, folder: Path) -> Command:
        settings = _toml(self._settings(folder))
        file = folder / "catalog.toml"
        file.touch(mode=0o600)
        file.write_text(settings)
        arguments = (sys.executable, "-m", "sqe.testing", "--config", str(file))
        # Its code is what is being worked on here: a change of it is a reason to start it anew.
        return Command(arguments, {}, settings + _state_of_code())

    def ready(self) -> bool:
        return answers(f"{self._places.catalog_admin}/health")

    def provision(self) -> None:
        from dev.stack.tables import fill  # pyiceberg is slow to import

        fill(self._places)

    def _settings(self, folder: Path) -> dict[str, Any]:
        return {
            "home": str(folder / "home"),
            "port": self.port,
            "admin_port": self._admin_port,
            "oidc": {
                "issuer": self._places.issuer,
                "audience": [CATALOG.name],
                "user_claim": "preferred_username",
                "roles_claim": "polaris.roles",
            },
            "principals": {person.name: list(person.roles) for person in PEOPLE + MANY},
            f"catalogs.{NAME}": {"namespaces": list(NAMESPACES)},
            f"catalogs.{NAME}.s3": {
                "endpoint": self._places.minio,
                "region": REGION,
                "bucket": BUCKET,
                "prefix": NAME,
                "access_key": "testcatalog",
                "secret_key": USERS["testcatalog"],
                "admin_access_key": ROOT_USER,
                "admin_secret_key": ROOT_PASSWORD,
            },
            "grants": [*_grants()],
        }


def _grants() -> Iterator[dict[str, Any]]:
    for role, places in GRANTS.items():
        for namespace, privileges in places.items():
            where = {"namespace": namespace} if namespace else {}
            yield {"role": role, "catalog": NAME, "privileges": list(privileges), **where}
    for person in MANY:
        own = {"namespace": CROWD, "table": person.name, "privileges": ["TABLE_READ_DATA"]}
        yield {"role": person.name, "catalog": NAME, **own}


def _toml(settings: dict[str, Any]) -> str:
    """Enough of it: JSON's texts, numbers and lists are TOML's, too."""
    lines = [f"{key} = {json.dumps(v)}" for key, v in settings.items() if _is_plain(v)]
    for key, table in settings.items():
        if isinstance(table, dict):
            lines += [f"[{key}]", *(f"{name} = {json.dumps(v)}" for name, v in table.items())]
        elif not _is_plain(table):
            for entry in table:
                lines += [f"[[{key}]]", *(f"{name} = {json.dumps(v)}" for name, v in entry.items())]
    return "\n".join(lines) + "\n"


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int)


def _state_of_code() -> str:
    state = hashlib.sha256()
    for part in ("testing", "catalog"):
        for file in sorted((ROOT / "src" / "sqe" / part).rglob("*.py")):
            state.update(file.read_bytes())
    return state.hexdigest()
