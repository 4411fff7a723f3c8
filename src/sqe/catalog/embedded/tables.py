"""The tables of the embedded catalog."""

from __future__ import annotations

from sqe.catalog.commit.draft import DEFAULT_FORMAT_VERSION, empty_metadata
from sqe.catalog.commit.failures import check, conflict, invalid, need
from sqe.catalog.commit.new_table import new_table
from sqe.catalog.commit.requirements import check_table, is_create
from sqe.catalog.commit.table_updates import apply_updates, with_previous_file
from sqe.catalog.embedded.commits import Change
from sqe.catalog.embedded.purge import find_unused_files, purge_files
from sqe.catalog.embedded.relations import Relations
from sqe.catalog.embedded.rows import check_name
from sqe.catalog.embedded.store import Pointer
from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.errors import ErrorCode, UpstreamError, UserError


class Tables(Relations):
    kind = "table"
    needed = ("table-uuid", "current-schema-id", "location")

    def find(self, ident: Ident) -> Pointer | None:
        with self._store.read() as db:
            return self._rows.pointer(db, ident)

    def _new_metadata(self, request: Json, location: str) -> Json:
        return new_table(request, location)

    def _publish(self, ident: Ident, metadata: Json, request: Json) -> Loaded:
        if request.get("stage-create"):
            return self._warehouse.stage(metadata)
        return super()._publish(ident, metadata, request)

    def forget_staged(self, location: str) -> None:
        """Only a folder that staging has reserved, and no table may have come to live there."""
        with self._store.read() as db:
            if self._rows.lives_in(db, location):
                self._warehouse.disk.release(location)  # if it is empty
            else:
                self._warehouse.disk.remove_folder(location)

    def forget_snapshots(self, snapshots: list[Json]) -> None:
        self._warehouse.remove_files(find_unused_files(snapshots, self._warehouse.disk))

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
        if len(commits) > 1 and not self._store.atomic:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                "The catalog cannot commit changes of several tables at once.",
                hint="Change one table in a transaction.",
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

    def drop(self, ident: Ident, *, purge: bool = False) -> None:
        table: Loaded | None = None
        with self._store.write() as db:
            pointer = self._pointer(db, ident)
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


def _identifier(identifier: Json | None) -> Ident:
    entry = need(identifier, "Invalid table change: no identifier.")
    namespace = need(entry.get("namespace"), "Invalid identifier: no namespace.")
    return Ident(tuple(namespace), check_name(entry.get("name")))
