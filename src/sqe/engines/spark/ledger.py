"""Which files a table has loaded: kept in the table, changed by the very commit that loads them.

A property of the table lists them by the snapshot they came with. A snapshot that is no part of the
table's history any more (it was rolled back, or the table replaced) took its files along, so they
are loaded again; one that has expired still counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqe.catalog.protocol import Json, Loaded, snapshots_of_commit
from sqe.engines.spark.load_files import MOST_FILES, LoadFile
from sqe.errors import ErrorCode, UserError

PROPERTY = "sqe.loaded-files"


def read_ledger(metadata: Mapping[str, Any]) -> dict[str, list[str]]:
    """The keys of files by snapshot, oldest first; only those that count."""
    try:
        listed = json.loads((metadata.get("properties") or {}).get(PROPERTY, "{}"))
        kept = {str(snapshot): [str(key) for key in keys] for snapshot, keys in listed.items()}
    except (ValueError, AttributeError, TypeError):
        return {}  # somebody else has written it
    parents = {
        str(snapshot["snapshot-id"]): str(snapshot.get("parent-snapshot-id"))
        for snapshot in metadata.get("snapshots") or ()
    }
    history = set()
    at = str(metadata.get("current-snapshot-id"))
    while at in parents and at not in history:
        history.add(at)
        at = parents[at]
    return {key: files for key, files in kept.items() if key in history or key not in parents}


def already_loaded(metadata: Mapping[str, Any]) -> set[str]:
    return {key for keys in read_ledger(metadata).values() for key in keys}


@dataclass
class LedgerEntry:
    """Added to the commit of a COPY. ``refusal`` is why the commit was not made, if it was not:
    on its way through Spark an error loses its shape."""

    files: tuple[LoadFile, ...]
    again: bool = False  # loaded before or not
    alone: bool = False  # what was loaded before is not in the table any more
    refusal: UserError | None = None

    def add_to(self, request: Json, load: Callable[[], Loaded]) -> Json:
        snapshot = next(snapshots_of_commit(request), None)
        if snapshot is None:
            return request
        changed = next((file.name for file in self.files if not file.unchanged), "")
        if changed:
            raise self._refuse(ErrorCode.INVALID_FILE, f"{changed} was changed while it was read.")
        mine = [file.key for file in self.files if file.may_come_again]
        creating = any(r.get("type") == "assert-create" for r in request.get("requirements") or ())
        metadata = {} if creating or not (mine or self.alone) else load().metadata
        if not mine and not (self.alone and read_ledger(metadata)):
            return request
        before = {} if self.alone else read_ledger(metadata)
        if not self.again and already_loaded(metadata) & set(mine):
            raise self._refuse(
                ErrorCode.COMMIT_CONFLICT, "Someone else has just loaded one of these files."
            )
        if mine:
            before[str(snapshot["snapshot-id"])] = mine
        entry = {PROPERTY: _text(before)}
        update = {"action": "set-properties", "updates": entry}
        return {**request, "updates": [*(request.get("updates") or ()), update]}

    def _refuse(self, code: ErrorCode, message: str) -> UserError:
        self.refusal = UserError(code, message, hint="Nothing was loaded. Run the statement again.")
        # A status that tells Iceberg not to try the same commit again.
        return UserError(ErrorCode.USER_ERROR, message)

    def add_to_create(self, request: Json) -> Json:
        return request


def _text(listed: dict[str, list[str]]) -> str:
    """The newest files only: a table's metadata is rewritten with every commit."""
    count = sum(len(keys) for keys in listed.values())
    for snapshot in list(listed)[:-1]:
        if count <= MOST_FILES:
            break
        count -= len(listed.pop(snapshot))
    return json.dumps(listed, separators=(",", ":"))
