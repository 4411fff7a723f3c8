"""What a test may do to its catalog: make things, grant, count, break and heal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe.catalog.protocol import Ident, Json, Namespace
from sqe.testing.access import Target
from sqe.testing.app import Gate
from sqe.testing.faults import Fault, FaultKind
from sqe.testing.lake import Lake, StoredCatalog
from sqe.testing.privileges import Privilege
from sqe.testing.vending import S3Storage


@dataclass(frozen=True, slots=True)
class Admin:
    """Every argument but ``storage`` is text, a number or a list, so that all of it can also be
    asked for over HTTP. A namespace of several levels is a list."""

    gate: Gate
    home: Path

    def add_catalog(
        self,
        name: str,
        namespaces: Iterable[str | list[str]] = (),
        properties: dict[str, str] | None = None,
        storage: S3Storage | None = None,
    ) -> None:
        """Without a storage its files are in a folder of the home."""
        if name in self.gate.lakes:
            raise ValueError(f"there is a catalog {name}")
        folder = self.home / name
        disk = storage.disk() if storage is not None else folder / "warehouse"
        catalog = StoredCatalog(folder / "catalog.db", disk, name)
        base = storage.root if storage is not None else str((folder / "warehouse").absolute())
        lake = Lake(catalog, base, storage, properties)
        for namespace in map(_levels, namespaces):
            if not _exists(catalog, namespace):
                catalog.create_namespace(namespace, {})
        self.gate.lakes[name] = lake

    def add_principal(self, name: str, roles: Iterable[str] = ()) -> None:
        """A user that the catalog knows, with the principal roles that a token may activate."""
        self.gate.access.add_principal(name, roles)

    def remove_principal(self, name: str) -> None:
        self.gate.access.remove_principal(name)

    def grant(self, role: str, privileges: Iterable[str], **on: Any) -> None:
        """To a principal role, on a ``catalog``, or a ``namespace``, ``table``, ``view`` of it."""
        self.gate.access.grant(role, map(Privilege, privileges), _target(**on))

    def revoke(self, role: str, privileges: Iterable[str], **on: Any) -> None:
        self.gate.access.revoke(role, map(Privilege, privileges), _target(**on))

    def restrict_reads(
        self,
        catalog: str,
        namespace: str | list[str],
        table: str,
        principal: str,
        restrictions: Json | None,
    ) -> None:
        """What this principal's loads of the table carry as ``read-restrictions``; None: nothing.

        They are only told: a reader has to obey them."""
        ident = Ident(_levels(namespace), table)
        self.gate.lakes[catalog].restrict(ident, principal, restrictions)

    def set(self, **options: Any) -> None:
        """Fields of ``Options``, from the next request on."""
        self.gate.switches.set(**options)

    def inject(self, kind: str, **fault: Any) -> str:
        """A fault (see ``Fault``); the answer is its id."""
        return self.gate.faults.inject(Fault(FaultKind(kind), **fault))

    def heal(self, fault: str = "") -> None:
        """One fault, or all."""
        self.gate.faults.heal(fault)

    def revoke_credentials(self, catalog: str) -> None:
        """The storage refuses whatever was vended, and gives nothing new."""
        self._storage(catalog).set_vending(enabled=False)

    def restore_credentials(self, catalog: str) -> None:
        self._storage(catalog).set_vending(enabled=True)

    def calls(self, endpoint: str = "", principal: str = "") -> int:
        """How many requests there were since the start or ``reset_calls``."""
        return self.gate.calls.count_calls(endpoint, principal)

    def all_calls(self) -> list[list[Any]]:
        """Endpoint, principal, number."""
        return [[*key, number] for key, number in sorted(self.gate.calls.counts().items())]

    def reset_calls(self) -> None:
        self.gate.calls.reset()

    def _storage(self, catalog: str) -> S3Storage:
        storage = self.gate.lakes[catalog].storage
        if storage is None:
            raise ValueError(f"the catalog {catalog} vends no credentials")
        return storage


# What may be asked for over HTTP.
METHODS = frozenset(
    {
        "add_catalog",
        "add_principal",
        "all_calls",
        "calls",
        "grant",
        "heal",
        "inject",
        "remove_principal",
        "reset_calls",
        "restore_credentials",
        "restrict_reads",
        "revoke",
        "revoke_credentials",
        "set",
    }
)


def _target(
    catalog: str, namespace: str | list[str] = "", table: str = "", view: str = ""
) -> Target:
    if (table or view) and not namespace:
        raise ValueError("a table or view is in a namespace")
    return Target(catalog, _levels(namespace), table or view, bool(view))


def _levels(namespace: str | list[str]) -> Namespace:
    if isinstance(namespace, str):
        return (namespace,) if namespace else ()
    return tuple(namespace)


def _exists(catalog: StoredCatalog, namespace: Namespace) -> bool:
    return namespace in catalog.list_namespaces(namespace[:-1])
