"""The views of the embedded catalog."""

from __future__ import annotations

from sqe.catalog.commit.failures import need, shape_failures
from sqe.catalog.commit.requirements import check_view
from sqe.catalog.commit.view_updates import apply_view_updates, new_view
from sqe.catalog.embedded.commits import Change, Commits, not_found
from sqe.catalog.embedded.files import Warehouse
from sqe.catalog.embedded.rows import Rows, checked_name
from sqe.catalog.embedded.store import Store
from sqe.catalog.protocol import Ident, Json, Loaded, Namespace
from sqe.errors import SqeError


class Views:
    def __init__(self, store: Store, rows: Rows, warehouse: Warehouse, commits: Commits) -> None:
        self._store = store
        self._rows = rows
        self._warehouse = warehouse
        self._commits = commits

    def names(self, namespace: Namespace) -> list[str]:
        with self._store.read() as db:
            self._commits.require_namespace(db, namespace)
            return self._rows.names(db, namespace, views=True)

    def load(self, ident: Ident) -> Loaded:
        with self._store.read() as db:
            pointer = self._rows.pointer(db, ident)
        if pointer is None or not pointer.is_view:
            raise not_found(ident, is_view=True)
        return self._warehouse.read(ident, "view", pointer.metadata_location)

    def create(self, namespace: Namespace, request: Json) -> Loaded:
        ident = Ident(namespace, checked_name(request.get("name")))
        with self._store.read() as db:
            self._commits.require_free(db, ident, is_view=True)
            namespace_location = self._rows.properties(db, namespace).get("location")
        given = request.get("location")
        if given is not None:
            location = self._warehouse.check_inside(given, "location")
        else:
            location = self._warehouse.new_location(ident, namespace_location)
        try:
            metadata = new_view(request, location)
            self._warehouse.check_metadata(metadata)
            loaded = self._warehouse.write(ident, metadata, None)
            self._commits.publish([Change(ident, loaded, is_view=True)])
        except SqeError:
            if given is None:
                self._warehouse.disk.release(location)
            raise
        return loaded

    def replace(self, ident: Ident, request: Json) -> Loaded:
        changes = self._commits.retry(lambda: self._prepare(ident, request))
        return changes[0].new if changes else self.load(ident)

    def _prepare(self, ident: Ident, request: Json) -> list[Change]:
        base = self.load(ident)
        check_view(base.metadata, request.get("requirements") or [])
        metadata = apply_view_updates(base.metadata, request.get("updates") or [])
        if metadata is None:
            return []
        self._warehouse.check_metadata(metadata)
        loaded = self._warehouse.write(ident, metadata, base.metadata_location)
        return [Change(ident, loaded, base, is_view=True)]

    def drop(self, ident: Ident) -> None:
        with self._store.write() as db:
            pointer = self._rows.pointer(db, ident)
            if pointer is None or not pointer.is_view:
                raise not_found(ident, is_view=True)
            self._rows.remove(db, ident)

    def rename(self, source: Ident, target: Ident) -> None:
        self._commits.rename(source, target, is_view=True)

    def register(self, namespace: Namespace, request: Json) -> Loaded:
        ident = Ident(namespace, checked_name(request.get("name")))
        location = self._warehouse.check_inside(
            request.get("metadata-location"), "metadata-location"
        )
        loaded = self._warehouse.read(ident, "view", location)
        for key in ("view-uuid", "current-version-id", "location"):
            need(loaded.metadata.get(key), f"Invalid view metadata: no {key} in {location}.")
        with shape_failures("view metadata"):
            self._warehouse.check_metadata(loaded.metadata)
        self._commits.register(ident, location, is_view=True, overwrite=False)
        return loaded
