"""The namespaces of the embedded catalog."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.catalog.commit.draft import check_properties
from sqe.catalog.commit.failures import check
from sqe.catalog.embedded.commits import Commits
from sqe.catalog.embedded.files import Warehouse
from sqe.catalog.embedded.store import PointerRows, Store
from sqe.catalog.protocol import Json, Namespace
from sqe.errors import ErrorCode, UserError


class Namespaces:
    def __init__(
        self, store: Store, rows: PointerRows, warehouse: Warehouse, commits: Commits
    ) -> None:
        self._store = store
        self._rows = rows
        self._warehouse = warehouse
        self._commits = commits

    def children(self, parent: Namespace = ()) -> list[Namespace]:
        with self._store.read() as db:
            if parent:
                self._commits.require_namespace(db, parent)
            return self._rows.namespaces(db, parent)

    def load(self, namespace: Namespace) -> dict[str, str]:
        with self._store.read() as db:
            self._commits.require_namespace(db, namespace)
            return self._rows.properties(db, namespace)

    def create(self, namespace: Namespace, properties: Mapping[str, str]) -> None:
        self._check(properties)
        with self._store.write() as db:
            if self._rows.namespace_exists(db, namespace):
                name = ".".join(namespace)
                raise UserError(
                    ErrorCode.SCHEMA_ALREADY_EXISTS, f"Namespace already exists: {name}"
                )
            self._rows.put_properties(db, namespace, properties)

    def drop(self, namespace: Namespace) -> None:
        name = ".".join(namespace)
        with self._store.write() as db:
            self._commits.require_namespace(db, namespace)
            for what, inside in (
                ("schema", self._rows.namespaces(db, namespace)),
                ("table", self._rows.names(db, namespace, views=False)),
                ("view", self._rows.names(db, namespace, views=True)),
            ):
                if inside:
                    raise UserError(
                        ErrorCode.SCHEMA_NOT_EMPTY,
                        f"Namespace {name} is not empty. It holds {len(inside)} {what}(s).",
                    )
            self._rows.remove_namespace(db, namespace)

    def update(self, namespace: Namespace, removals: list[str], updates: Mapping[str, str]) -> Json:
        both = sorted(set(removals) & set(updates))
        check(not both, f"Invalid namespace update: cannot simultaneously set and remove {both}")
        self._check(updates)
        with self._store.write() as db:
            self._commits.require_namespace(db, namespace)
            before = self._rows.properties(db, namespace)
            self._rows.put_properties(db, namespace, updates)
            self._rows.remove_properties(db, namespace, set(removals))
        return {
            "updated": sorted(updates),
            "removed": sorted(set(removals) & set(before)),
            "missing": sorted(set(removals) - set(before)),
        }

    def _check(self, properties: Mapping[str, str]) -> None:
        check_properties(properties)
        if "location" in properties:
            self._warehouse.check_inside(properties["location"], "location of the namespace")
