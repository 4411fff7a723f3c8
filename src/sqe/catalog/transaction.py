"""A transaction: changes of tables that nobody else sees until all of them are made at once.

The changes that a catalog would get are applied to the tables' metadata in memory, and the
statements of the transaction, whatever engine runs them, are shown that. ``publish`` sends them to
the catalog in one request, which holds only if the tables are still as they were found. Until then
the catalog knows nothing, so that nothing is left if this process dies, but for unused files.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from sqe.catalog.commit.draft import DEFAULT_FORMAT_VERSION, MAIN, empty_metadata
from sqe.catalog.commit.requirements import check_table, is_create
from sqe.catalog.commit.table_updates import apply_updates
from sqe.catalog.protocol import Catalog, Ident, Json, Loaded, snapshots_of_commit
from sqe.errors import ErrorCode, UserError
from sqe.model.names import RelationName, SchemaName

_REFS = ("set-snapshot-ref", "remove-snapshot-ref")


@runtime_checkable
class ForgetsFiles(Protocol):
    """A catalog that keeps the files of its tables, and can remove those of no table."""

    def forget_staged(self, location: str) -> None: ...
    def forget_snapshots(self, snapshots: list[Json]) -> None: ...


@dataclass
class HeldTable:
    """A table as the transaction has changed it. ``base`` is None where it was made by it."""

    base: Loaded | None
    now: Loaded
    updates: list[Json] = field(default_factory=list)

    @property
    def snapshots(self) -> list[Json]:
        """Those that the transaction brings."""
        return list(snapshots_of_commit({"updates": self.updates}))

    def request(self, ident: Ident) -> Json:
        """All of it as one commit. Its snapshots are as old as the commit: before that, nobody
        could have seen them."""
        now = int(time.time() * 1000)
        return {
            "identifier": {"namespace": list(ident.namespace), "name": ident.name},
            "requirements": self._requirements(),
            "updates": [_set_time(update, now) for update in self.updates],
        }

    def _requirements(self) -> list[Json]:
        if self.base is None:
            return [{"type": "assert-create"}]
        base = self.base.metadata
        refs = {MAIN, *(u["ref-name"] for u in self.updates if u.get("action") in _REFS)}
        numbers = {
            "assert-current-schema-id": ("current-schema-id", base.get("current-schema-id", 0)),
            "assert-last-assigned-field-id": (
                "last-assigned-field-id",
                base.get("last-column-id", 0),
            ),
            "assert-default-spec-id": ("default-spec-id", base.get("default-spec-id", 0)),
            "assert-last-assigned-partition-id": (
                "last-assigned-partition-id",
                base.get("last-partition-id", 999),
            ),
            "assert-default-sort-order-id": (
                "default-sort-order-id",
                base.get("default-sort-order-id", 0),
            ),
        }
        uuid = base.get("table-uuid")  # not in every table of format version 1
        return [
            *([{"type": "assert-table-uuid", "uuid": uuid}] if uuid else []),
            *(_head_requirement(base, ref) for ref in sorted(refs)),
            *({"type": kind, key: value} for kind, (key, value) in numbers.items()),
        ]


def _head_requirement(base: Json, ref: str) -> Json:
    reference = (base.get("refs") or {}).get(ref)
    head = reference["snapshot-id"] if reference else None
    if reference is None and ref == MAIN:
        current = base.get("current-snapshot-id")
        head = None if current in (None, -1) else current
    return {"type": "assert-ref-snapshot-id", "ref": ref, "snapshot-id": head}


def _set_time(update: Json, now: int) -> Json:
    if update.get("action") != "add-snapshot":
        return update
    return {**update, "snapshot": {**update["snapshot"], "timestamp-ms": now}}


class Transaction:
    """One transaction, on the tables of one catalog. Thread-safe.

    A statement that fails has changed nothing of it, and it goes on.
    """

    def __init__(self, *, read_only: bool = False, one_statement: bool = False) -> None:
        self.id = secrets.token_urlsafe(18)
        self.read_only = read_only
        self.one_statement = one_statement  # to its user; it is run as several
        self._mark = secrets.token_hex(16)  # not the id: it is seen in messages
        self._lock = threading.RLock()
        self._held: dict[Ident, HeldTable] = {}
        self._staged: dict[Ident, Loaded] = {}
        self._catalog: tuple[str, Catalog] | None = None
        self._ended = False

    @property
    def changed(self) -> bool:
        """Whether there is something to commit."""
        with self._lock:
            return bool(self._held)

    def find_table(self, catalog: str, ident: Ident) -> HeldTable | None:
        """The table, if this transaction has changed it."""
        with self._lock:
            ours = self._catalog is not None and self._catalog[0] == catalog
            return self._held.get(ident) if ours else None

    def list_made(self, catalog: str) -> list[Ident]:
        """The tables that it has made."""
        with self._lock:
            ours = self._catalog is not None and self._catalog[0] == catalog
            held = self._held.items() if ours else ()
            return [ident for ident, table in held if table.base is None]

    def keep_staged(self, ident: Ident, staged: Loaded) -> None:
        """A table that is about to be made, as the catalog has prepared it: the keys to its files
        came with that, and the catalog has no such table that it would give others for."""
        with self._lock:
            self._staged[ident] = staged

    def change(self, name: str, catalog: Catalog, ident: Ident, request: Json) -> Loaded:
        """Takes a commit that would go to the catalog. COMMIT_CONFLICT where it does not fit."""
        requirements, updates = request.get("requirements") or (), request.get("updates") or ()
        with self._change(name, catalog):
            held = self._held.get(ident)
            if is_create(requirements):
                if held is not None:
                    raise UserError(ErrorCode.COMMIT_CONFLICT, f"{ident} already exists.")
                metadata = _create_metadata(updates)
                held = HeldTable(None, self._staged.pop(ident, Loaded(b"{}")))
            else:
                held = held or _hold_table(catalog.load_table(ident))
                check_table(held.now.metadata, requirements)
                metadata = apply_updates(held.now.metadata, updates)
            if metadata is not None:
                held.updates += updates
                held.now = self._load_held(held, metadata)
                self._held[ident] = held
            return held.now

    @contextmanager
    def _change(self, name: str, catalog: Catalog) -> Iterator[None]:
        with self._lock:
            if self._ended:
                raise transaction_ended()
            if self._catalog is not None and self._catalog[0] != name:
                raise UserError(
                    ErrorCode.NOT_SUPPORTED,
                    f"The transaction has changed tables of catalog {self._catalog[0]}; those of"
                    f" {name} cannot be changed with them.",
                    hint="End the transaction first.",
                )
            yield
            if self._held:
                self._catalog = (name, catalog)

    def _load_held(self, held: HeldTable, metadata: Json) -> Loaded:
        """No such file exists; engines tell versions of a table by its address."""
        address = f"{metadata['location']}/metadata/{self._mark}-{len(held.updates)}.metadata.json"
        config = held.base or held.now
        return Loaded(
            json.dumps(metadata).encode(),
            address,
            config.config,
            config.storage_credentials,
            config.restrictions,
        )

    def snapshots(self) -> list[tuple[RelationName, Json]]:
        """Those that the commit brings, each with its table."""
        with self._lock:
            catalog = self._catalog[0] if self._catalog is not None else ""
            return [
                (RelationName(SchemaName(catalog, ident.namespace), ident.name), snapshot)
                for ident, table in self._held.items()
                for snapshot in table.snapshots
            ]

    def publish(self) -> None:
        """The one commit. From here on no statement changes anything in this transaction."""
        with self._lock:
            self._ended = True
            held, place = dict(self._held), self._catalog
        if place is None:
            return
        requests = [(ident, table.request(ident)) for ident, table in held.items()]
        if len(requests) == 1:
            place[1].commit_table(*requests[0])
        else:
            place[1].commit_transaction({"table-changes": [request for _, request in requests]})

    def load_one(self) -> Loaded:
        """One of the changed tables, as the catalog has it now."""
        with self._lock:
            place, ident = self._catalog, next(iter(self._held), None)
        if place is None or ident is None:
            raise transaction_ended()
        return place[1].load_table(ident)

    def end(self) -> None:
        """From here on no statement changes anything in this transaction."""
        with self._lock:
            self._ended = True

    def discard(self) -> None:
        """Ends it without a trace, unless it was published."""
        with self._lock:
            self._ended = True
            held, place = dict(self._held), self._catalog
            self._held.clear()
        if place is None or not isinstance(place[1], ForgetsFiles):
            return
        for table in held.values():
            if table.base is None:
                place[1].forget_staged(str(table.now.metadata["location"]))
            else:
                place[1].forget_snapshots(table.snapshots)


def transaction_ended() -> UserError:
    return UserError(
        ErrorCode.TRANSACTION_NOT_FOUND,
        "The transaction does not exist or has ended.",
        hint="Begin a new one.",
    )


def _hold_table(loaded: Loaded) -> HeldTable:
    return HeldTable(loaded, loaded)


def _create_metadata(updates: list[Json] | tuple[Json, ...]) -> Json | None:
    versions = [u["format-version"] for u in updates if u.get("format-version") is not None]
    version = versions[0] if versions else DEFAULT_FORMAT_VERSION
    return apply_updates(empty_metadata(version), updates, creating=True)


# Not a parameter: whatever opens a catalog gets the transaction's view of it, and nobody can forget
# to hand it on and write past the transaction (see ``TransactionalCatalogs``).
_CURRENT: ContextVar[Transaction | None] = ContextVar("transaction", default=None)


def current() -> Transaction | None:
    """The transaction that this thread's statement is part of."""
    return _CURRENT.get()


def step_out() -> None:
    """The rest of this thread's statement is not part of the transaction after all."""
    _CURRENT.set(None)  # until ``inside`` ends


@contextmanager
def inside(transaction: Transaction | None) -> Iterator[None]:
    """What this thread opens of catalogs in the block is as the transaction sees it."""
    token = _CURRENT.set(transaction)
    try:
        yield
    finally:
        _CURRENT.reset(token)
