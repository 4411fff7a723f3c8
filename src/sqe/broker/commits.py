"""What a query commits through the broker: seen here, and completed here, in one request."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sqe.catalog.protocol import Json, Loaded, snapshots_of_commit
from sqe.model.query import WrittenSnapshot

QUERY_ID = "sqe.query-id"  # in a snapshot's summary


class CommitAddition(Protocol):
    """What SQE adds to every commit of a table: either all of the commit holds or nothing."""

    def add_to(self, request: Json, load: Callable[[], Loaded]) -> Json:
        """The whole request. ``load`` gives the table as it is now; an error ends the query."""
        ...

    def add_to_create(self, request: Json) -> Json:
        """The same for the request that makes the table, or prepares to."""
        ...


@dataclass(frozen=True)
class CommitExtras:
    """The same addition to every commit. Shapes are those of Iceberg's REST protocol."""

    updates: tuple[Json, ...] = ()
    requirements: tuple[Json, ...] = ()
    schema: Callable[[Json], Json] | None = None  # what becomes of every schema Spark sends

    def add_to(self, request: Json, load: Callable[[], Loaded]) -> Json:
        updates = [self._with_schema(update) for update in request.get("updates") or ()]
        return {
            **request,
            "requirements": [*(request.get("requirements") or ()), *self.requirements],
            "updates": [*updates, *self.updates],
        }

    def add_to_create(self, request: Json) -> Json:
        return self._with_schema(request)

    def _with_schema(self, holder: Json) -> Json:
        if self.schema is None or "schema" not in holder:
            return holder
        return {**holder, "schema": self.schema(holder["schema"])}


def sign_request(request: Json, query_id: str) -> Json:
    """The request with the query's id in every new snapshot: who looks can tell which wrote it."""
    if not query_id:
        return request
    return {**request, "updates": [_sign_update(u, query_id) for u in request.get("updates") or ()]}


def _sign_update(update: Json, query_id: str) -> Json:
    if update.get("action") != "add-snapshot":
        return update
    snapshot = update["snapshot"]
    summary = {**(snapshot.get("summary") or {}), QUERY_ID: query_id}
    return {**update, "snapshot": {**snapshot, "summary": summary}}


@dataclass(frozen=True)
class Written:
    """One snapshot that a query added to a table."""

    snapshot_id: int
    operation: str
    summary: Mapping[str, str] = field(repr=False)

    def count(self, key: str) -> int:
        """A figure of the summary. Iceberg leaves out those that are nought."""
        return int(self.summary.get(key, 0))

    def at(self, table: str, query_id: str = "") -> WrittenSnapshot:
        """For the record. Whoever makes a commit can write anything into its summary."""
        return WrittenSnapshot(
            table,
            self.snapshot_id,
            self.operation,
            query_id,
            files=_figure(self.summary.get("added-data-files")),
            bytes=_figure(self.summary.get("added-files-size")),
        )


class CommitLog:
    """One query's commits to one table, and what it was shown before the first of them.

    Thread-safe: Spark's requests come on threads of the broker's server.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._written: list[Written] = []
        self._sent: dict[int, Written] = {}
        self._shown: list[Mapping[str, int]] = []
        self._loaded: dict[str | None, Loaded] = {}
        self._attempted = False

    def note_shown(self, loaded: Loaded) -> None:
        with self._lock:
            if not self._attempted:
                self._shown.append(_heads(loaded))
                self._loaded[loaded.metadata_location] = loaded

    def note_attempt(self, request: Json) -> None:
        with self._lock:
            self._attempted = True
            for snapshot in map(read_snapshot, snapshots_of_commit(request)):
                self._sent[snapshot.snapshot_id] = snapshot

    def note_commit(self, snapshots: Iterable[int]) -> None:
        """Snapshots of what was attempted that are in the table."""
        with self._lock:
            self._written += [
                self._sent.pop(snapshot) for snapshot in snapshots if snapshot in self._sent
            ]

    @property
    def snapshots(self) -> tuple[Written, ...]:
        with self._lock:
            return tuple(self._written)

    def base(self) -> Loaded | None:
        """The table that the query worked on. None if it was shown more than one."""
        with self._lock:
            shown = list(self._loaded.values())
        return shown[0] if len(shown) == 1 else None

    def branch_requirements(self, request: Json) -> list[Json] | None:
        """Requirements that the branches a commit moves are where the query has read them. None
        if it was shown more than one place."""
        updates = request.get("updates") or ()
        branches = {u["ref-name"] for u in updates if u.get("action") == "set-snapshot-ref"}
        requirements = []
        with self._lock:
            for branch in sorted(branches):
                heads = {shown.get(branch) for shown in self._shown}
                if len(heads) != 1:
                    return None
                kind = {"type": "assert-ref-snapshot-id", "ref": branch}
                requirements.append({**kind, "snapshot-id": heads.pop()})
        return requirements


def _figure(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _heads(loaded: Loaded) -> dict[str, int]:
    """The newest snapshot of each branch."""
    refs = loaded.metadata.get("refs") or {}
    heads = {name: int(ref["snapshot-id"]) for name, ref in refs.items()}
    current = loaded.metadata.get("current-snapshot-id")
    if current is not None and current >= 0:  # older metadata says -1 for none
        heads.setdefault("main", int(current))
    return heads


def read_snapshot(snapshot: Json) -> Written:
    summary = {key: str(value) for key, value in (snapshot.get("summary") or {}).items()}
    return Written(int(snapshot["snapshot-id"]), summary.get("operation", ""), summary)
