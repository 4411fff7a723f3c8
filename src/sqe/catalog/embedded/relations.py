"""What tables and views of the embedded catalog have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from sqe.catalog.commit.failures import need, shape_failures
from sqe.catalog.embedded.commits import Change, Commits, not_found
from sqe.catalog.embedded.files import Warehouse
from sqe.catalog.embedded.rows import check_name
from sqe.catalog.embedded.store import Connection, Pointer, PointerRows, Store
from sqe.catalog.protocol import Ident, Json, Loaded, Namespace
from sqe.errors import SqeError


class Relations(ABC):
    kind: ClassVar[str]  # table, view
    needed: ClassVar[tuple[str, ...]]  # in the metadata of one that is registered

    def __init__(
        self, store: Store, rows: PointerRows, warehouse: Warehouse, commits: Commits
    ) -> None:
        self._store = store
        self._rows = rows
        self._warehouse = warehouse
        self._commits = commits

    @property
    def _is_view(self) -> bool:
        return self.kind == "view"

    @abstractmethod
    def _new_metadata(self, request: Json, location: str) -> Json: ...

    def names(self, namespace: Namespace) -> list[str]:
        with self._store.read() as db:
            self._commits.require_namespace(db, namespace)
            return self._rows.names(db, namespace, views=self._is_view)

    def load(self, ident: Ident) -> Loaded:
        with self._store.read() as db:
            pointer = self._pointer(db, ident)
        return self._warehouse.read(ident, self.kind, pointer.metadata_location)

    def _pointer(self, db: Connection, ident: Ident) -> Pointer:
        pointer = self._rows.pointer(db, ident)
        if pointer is None or pointer.is_view is not self._is_view:
            raise not_found(ident, is_view=self._is_view)
        return pointer

    def create(self, namespace: Namespace, request: Json) -> Loaded:
        ident = Ident(namespace, check_name(request.get("name")))
        with self._store.read() as db:
            self._commits.require_free(db, ident, is_view=self._is_view)
            namespace_location = self._rows.properties(db, namespace).get("location")
        given = request.get("location")
        if given is not None:
            location = self._warehouse.check_inside(given, "location")
        else:
            location = self._warehouse.new_location(ident, namespace_location)
        try:
            metadata = self._new_metadata(request, location)
            self._warehouse.check_metadata(metadata)
            return self._publish(ident, metadata, request)
        except SqeError:
            if given is None:
                self._warehouse.disk.release(location)
            raise

    def _publish(self, ident: Ident, metadata: Json, request: Json) -> Loaded:
        loaded = self._warehouse.write(ident, metadata, None)
        self._commits.publish([Change(ident, loaded, is_view=self._is_view)])
        return loaded

    def register(self, namespace: Namespace, request: Json) -> Loaded:
        ident = Ident(namespace, check_name(request.get("name")))
        location = self._warehouse.check_inside(
            request.get("metadata-location"), "metadata-location"
        )
        loaded = self._warehouse.read(ident, self.kind, location)
        for key in self.needed:
            need(loaded.metadata.get(key), f"Invalid {self.kind} metadata: no {key} in {location}.")
        with shape_failures(f"{self.kind} metadata"):
            self._warehouse.check_metadata(loaded.metadata)
        overwrite = bool(request.get("overwrite")) and not self._is_view
        self._commits.register(ident, loaded, is_view=self._is_view, overwrite=overwrite)
        return loaded

    def rename(self, source: Ident, target: Ident) -> None:
        self._commits.rename(source, target, is_view=self._is_view)
