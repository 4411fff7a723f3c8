"""Making changes visible: metadata files first, then all pointers in one SQLite transaction."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqe.catalog.commit.failures import conflict
from sqe.catalog.embedded.files import Warehouse
from sqe.catalog.embedded.store import Connection, PointerRows, Store
from sqe.catalog.protocol import Ident, Json, Loaded, Namespace
from sqe.errors import ErrorCode, SqeError, UserError

# Somebody else's commit between our read and our swap is not yet a conflict: the requirements say.
# Files are written before the lock is taken, so that others need not wait for them, but who
# loses this often takes the lock first.
_OPTIMISTIC_ATTEMPTS = 3
_UNLOCKED_ATTEMPTS = 8  # where there is no lock to take
_PAUSE_S = 0.02
_DELETE_OLD = "write.metadata.delete-after-commit.enabled"


@dataclass(frozen=True, slots=True)
class Change:
    """A new metadata file for a table or view, and the one it replaces."""

    ident: Ident
    new: Loaded
    old: Loaded | None = None
    is_view: bool = False


class PointerMoved(Exception):
    """Another commit was faster; read again and check the requirements again."""


class Commits:
    """The only code that moves pointers."""

    def __init__(self, store: Store, rows: PointerRows, warehouse: Warehouse) -> None:
        self._store = store
        self._rows = rows
        self._warehouse = warehouse

    def retry(self, prepare: Callable[[], list[Change]]) -> list[Change]:
        """Prepares and publishes, again where another commit came in between."""
        attempts = _OPTIMISTIC_ATTEMPTS if self._store.atomic else _UNLOCKED_ATTEMPTS
        for attempt in range(attempts):
            if attempt and not self._store.atomic:
                time.sleep(random.uniform(0, _PAUSE_S * 2**attempt))  # noqa: S311  only a pause
            changes = prepare()
            try:
                self.publish(changes)
            except PointerMoved:
                continue
            return changes
        if not self._store.atomic:
            raise conflict("Others have changed it again and again; nothing was changed.")
        changes = []
        with self._write(changes) as db:
            changes += prepare()
            self._move_all(db, changes)
        return changes

    def publish(self, changes: list[Change]) -> None:
        """All of the changes become visible, or none and their files are removed."""
        if changes:
            with self._write(changes) as db:
                self._move_all(db, changes)

    @contextmanager
    def _write(self, changes: list[Change]) -> Iterator[Connection]:
        try:
            with self._store.write() as db:
                yield db
        except (SqeError, PointerMoved) as error:
            # After a failed write to the disk nobody knows whether the new pointer is there.
            unknown = isinstance(error, SqeError) and error.code is ErrorCode.CATALOG_UNAVAILABLE
            if not unknown:
                self.discard(changes)
            raise
        for change in changes:
            self._remove_old_files(change)

    def _move_all(self, db: Connection, changes: list[Change]) -> None:
        for change in changes:
            self._move(db, change)

    def _move(self, db: Connection, change: Change) -> None:
        ident, is_view = change.ident, change.is_view
        if change.old is None:
            self.require_free(db, ident, is_view=is_view)
            self._rows.insert(db, ident, change.new, is_view=is_view)
            return
        old = change.old.metadata_location or ""
        if not self._rows.swap(db, ident, old, change.new, is_view=is_view):
            raise PointerMoved

    def discard(self, changes: list[Change]) -> None:
        locations = (change.new.metadata_location for change in changes)
        self._warehouse.remove_files(location for location in locations if location)

    def require_namespace(self, db: Connection, namespace: Namespace) -> None:
        if not self._rows.namespace_exists(db, namespace):
            name = ".".join(namespace)
            raise UserError(ErrorCode.SCHEMA_NOT_FOUND, f"Namespace does not exist: {name}")

    def require_free(self, db: Connection, ident: Ident, *, is_view: bool) -> None:
        """The namespace is there and the name is not taken."""
        self.require_namespace(db, ident.namespace)
        pointer = self._rows.pointer(db, ident)
        if pointer is None:
            return
        taken = "View" if pointer.is_view else "Table"
        same = pointer.is_view == is_view
        how = f"{taken} already exists" if same else f"{taken} with same name already exists"
        raise UserError(ErrorCode.TABLE_ALREADY_EXISTS, f"{how}: {ident}")

    def rename(self, source: Ident, target: Ident, *, is_view: bool) -> None:
        with self._store.write() as db:
            pointer = self._rows.pointer(db, source)
            if pointer is None or pointer.is_view != is_view:
                raise not_found(source, is_view=is_view)
            if source == target:
                return
            self.require_namespace(db, target.namespace)
            there = self._rows.pointer(db, target)
            if there is not None:
                kind = "View" if there.is_view else "Table"
                raise UserError(
                    ErrorCode.TABLE_ALREADY_EXISTS,
                    f"Cannot rename {source} to {target}. {kind} already exists: {target}",
                )
            self._rows.rename(db, source, target)

    def register(self, ident: Ident, loaded: Loaded, *, is_view: bool, overwrite: bool) -> None:
        """Points a name to a metadata file that is there already."""
        with self._store.write() as db:
            pointer = self._rows.pointer(db, ident)
            if overwrite and pointer is not None and pointer.is_view == is_view:
                old = pointer.metadata_location
                if not self._rows.swap(db, ident, old, loaded, is_view=is_view):
                    raise conflict(f"Somebody else has changed {ident} at the same moment.")
                return
            self.require_free(db, ident, is_view=is_view)
            self._rows.insert(db, ident, loaded, is_view=is_view)

    def _remove_old_files(self, change: Change) -> None:
        if change.old is None or change.is_view:
            return
        properties = change.new.metadata.get("properties") or {}
        if str(properties.get(_DELETE_OLD, "false")).lower() == "true":
            kept = _files_of_log(change.new.metadata)
            gone = _files_of_log(change.old.metadata) - kept
            self._warehouse.remove_files(gone - {change.new.metadata_location or ""})


def not_found(ident: Ident, *, is_view: bool) -> UserError:
    if is_view:
        return UserError(ErrorCode.VIEW_NOT_FOUND, f"View does not exist: {ident}")
    return UserError(ErrorCode.TABLE_NOT_FOUND, f"Table does not exist: {ident}")


def _files_of_log(metadata: Json) -> set[str]:
    return {entry["metadata-file"] for entry in metadata.get("metadata-log") or ()}
