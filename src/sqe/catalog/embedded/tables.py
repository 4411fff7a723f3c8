"""The tables of the embedded catalog."""

from __future__ import annotations

from sqe.catalog.commit.draft import DEFAULT_FORMAT_VERSION, empty_metadata
from sqe.catalog.commit.failures import check, conflict, invalid, need, shape_failures
from sqe.catalog.commit.new_table import new_table
from sqe.catalog.commit.requirements import check_table, is_create
from sqe.catalog.commit.table_updates import apply_updates, with_previous_file
from sqe.catalog.embedded.commits import Change, Commits, not_found
from sqe.catalog.embedded.files import Warehouse, staged
from sqe.catalog.embedded.purge import purge_files, unused_files
from sqe.catalog.embedded.rows import Rows, checked_name
from sqe.catalog.embedded.store import Pointer, Store
from sqe.catalog.protocol import Ident, Json, Loaded, Namespace
from sqe.errors import SqeError, UpstreamError


class Tables:
    def __init__(self, store: Store, rows: Rows, warehouse: Warehouse, commits: Commits) -> None:
        self._store = store
        self._rows = rows
        self._warehouse = warehouse
        self._commits = commits

    def names(self, namespace: Namespace) -> list[str]:
        with self._store.read() as db:
            self._commits.require_namespace(db, namespace)
            return self._rows.names(db, namespace, views=False)

    def find(self, ident: Ident) -> Pointer | None:
        with self._store.read() as db:
            return self._rows.pointer(db, ident)

    def load(self, ident: Ident) -> Loaded:
        pointer = self.find(ident)
        if pointer is None or pointer.is_view:
            raise not_found(ident, is_view=False)
        return self._warehouse.read(ident, "table", pointer.metadata_location)

    def create(self, namespace: Namespace, request: Json) -> Loaded:
        ident = Ident(namespace, checked_name(request.get("name")))
        with self._store.read() as db:
            self._commits.require_free(db, ident, is_view=False)
            namespace_location = self._rows.properties(db, namespace).get("location")
        given = request.get("location")
        if given is not None:
            location = self._warehouse.check_inside(given, "location")
        else:
            location = self._warehouse.new_location(ident, namespace_location)
        try:
            metadata = new_table(request, location)
            self._warehouse.check_metadata(metadata)
            if request.get("stage-create"):
                return staged(metadata)
            loaded = self._warehouse.write(ident, metadata, None)
            self._commits.publish([Change(ident, loaded)])
        except SqeError:
            if given is None:
                self._warehouse.disk.release(location)
            raise
        return loaded

    def register(self, namespace: Namespace, request: Json) -> Loaded:
        ident = Ident(namespace, checked_name(request.get("name")))
        location = self._warehouse.check_inside(
            request.get("metadata-location"), "metadata-location"
        )
        loaded = self._warehouse.read(ident, "table", location)
        for key in ("table-uuid", "current-schema-id", "location"):
            need(loaded.metadata.get(key), f"Invalid table metadata: no {key} in {location}.")
        with shape_failures("table metadata"):
            self._warehouse.check_metadata(loaded.metadata)
        overwrite = bool(request.get("overwrite"))
        self._commits.register(ident, location, is_view=False, overwrite=overwrite)
        return loaded

    def forget_staged(self, location: str) -> None:
        """Only a folder that staging has reserved, and no table may have come to live there."""
        with self._store.read() as db:
            if not self._rows.lives_in(db, location):
                self._warehouse.disk.remove_folder(location)

    def forget_snapshots(self, snapshots: list[Json]) -> None:
        self._warehouse.remove_files(unused_files(snapshots, self._warehouse.disk))

    def commit(self, ident: Ident, request: Json) -> Loaded:
        changes = self._commits.retry(lambda: self._prepare_all([(ident, request)]))
        return changes[0].new if changes else self.load(ident)

    def commit_all(self, request: Json) -> None:
        commits = [
            (_identifier(change.get("identifier")), change)
            for change in need(request.get("table-changes"), "Invalid table changes: null")
        ]
        idents = [ident for ident, _ in commits]
        check(
            len(set(idents)) == len(idents),
            "Invalid transaction: a table may be changed once in it.",
        )
        self._commits.retry(lambda: self._prepare_all(commits))

    def _prepare_all(self, commits: list[tuple[Ident, Json]]) -> list[Change]:
        changes: list[Change] = []
        try:
            for ident, request in commits:
                change = self._prepare(ident, request)
                if change is not None:
                    changes.append(change)
        except BaseException:
            self._commits.discard(changes)
            raise
        return changes

    def _prepare(self, ident: Ident, request: Json) -> Change | None:
        requirements = request.get("requirements") or []
        updates = request.get("updates") or []
        if is_create(requirements):
            return self._prepare_create(ident, updates)
        base = self.load(ident)
        check_table(base.metadata, requirements)
        metadata = apply_updates(base.metadata, updates)
        if metadata is None:
            return None
        known = {s["snapshot-id"] for s in base.metadata.get("snapshots") or ()}
        self._warehouse.check_metadata(metadata, known)
        old_location = base.metadata_location or ""
        metadata = with_previous_file(metadata, base.metadata, old_location)
        return Change(ident, self._warehouse.write(ident, metadata, old_location), base)

    def _prepare_create(self, ident: Ident, updates: list[Json]) -> Change:
        with self._store.read() as db:
            pointer = self._rows.pointer(db, ident)
            if pointer is not None and not pointer.is_view:
                raise conflict(f"Requirement failed: table already exists: {ident}")
            self._commits.require_free(db, ident, is_view=False)
        versions = [u["format-version"] for u in updates if u.get("format-version") is not None]
        version = versions[0] if versions else DEFAULT_FORMAT_VERSION
        metadata = apply_updates(empty_metadata(version), updates, creating=True)
        if metadata is None:
            raise invalid("Invalid table: no metadata.")
        self._warehouse.check_metadata(metadata)
        return Change(ident, self._warehouse.write(ident, metadata, None))

    def drop(self, ident: Ident, *, purge: bool) -> None:
        table: Loaded | None = None
        with self._store.write() as db:
            pointer = self._rows.pointer(db, ident)
            if pointer is None or pointer.is_view:
                raise not_found(ident, is_view=False)
            if purge:
                table = self._readable(ident, pointer.metadata_location)
            self._rows.remove(db, ident)
        if table is not None:
            purge_files(ident, table, self._warehouse)

    def _readable(self, ident: Ident, metadata_location: str) -> Loaded | None:
        """None for a table whose metadata is damaged: it must still be droppable."""
        try:
            return self._warehouse.read(ident, "table", metadata_location)
        except UpstreamError:
            return None

    def rename(self, source: Ident, target: Ident) -> None:
        self._commits.rename(source, target, is_view=False)


def _identifier(identifier: Json | None) -> Ident:
    entry = need(identifier, "Invalid table change: no identifier.")
    namespace = need(entry.get("namespace"), "Invalid identifier: no namespace.")
    return Ident(tuple(namespace), checked_name(entry.get("name")))
