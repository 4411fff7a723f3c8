"""The catalogs as a user may know of them: what the policy does not show is not there.

Only lists are cut. What a statement names is loaded and then decided on, by the pipe, so that the
refusal says the same whether it is there or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import TypeVar

from sqe.catalog.protocol import Catalog, Catalogs, Ident, Json, Loaded, Namespace, Signed
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object
from sqe.policy.policy import Policy

_T = TypeVar("_T")


class VisibleCatalogs:
    """Implements ``Catalogs``. A list is one question to the policy, however long it is."""

    def __init__(self, catalogs: Catalogs, policy: Policy) -> None:
        self._catalogs = catalogs
        self._policy = policy

    def names(self, identity: Identity | None = None) -> list[str]:
        names = self._catalogs.names()
        if identity is None:
            return names
        return _shown(names, self._visible(identity, [*map(Object.catalog, names)]))

    def open(self, name: str, identity: Identity) -> Catalog:
        if name not in self._catalogs.names():
            close = get_close_matches(name, self.names(identity), n=1)
            raise UserError(
                ErrorCode.CATALOG_NOT_FOUND,
                f"Catalog {name} does not exist.",
                hint=f"Did you mean {close[0]}?" if close else "SHOW CATALOGS lists them.",
            )
        catalog = self._catalogs.open(name, identity)
        if not self._policy.ruled:
            return catalog
        return _VisibleCatalog(name, catalog, partial(self._visible, identity))

    def sees(self, identity: Identity, name: RelationName) -> bool:
        [shown] = self._visible(identity, [Object.table(name)])
        return shown

    def _visible(self, identity: Identity, objects: Sequence[Object]) -> list[bool]:
        """Without rules everything is, and nobody has to be asked about thousands of tables."""
        if not self._policy.ruled:
            return [True] * len(objects)
        return self._policy.visible(identity, objects)


class _VisibleCatalog:
    """Implements ``Catalog``. Lists and schemas are cut; what else a catalog does is written out
    one by one, so that a new method is nobody's until someone decides on it here."""

    def __init__(
        self, name: str, catalog: Catalog, visible: Callable[[Sequence[Object]], list[bool]]
    ) -> None:
        self._name = name
        self._catalog = catalog
        self._visible = visible

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        found = self._catalog.list_namespaces(parent)
        return _shown(found, self._visible([self._schema(path) for path in found]))

    def load_namespace(self, namespace: Namespace) -> dict[str, str]:
        if not all(self._visible([self._schema(namespace)])):
            raise UserError(
                ErrorCode.SCHEMA_NOT_FOUND, f"Schema {'.'.join(namespace)} does not exist."
            )
        return self._catalog.load_namespace(namespace)

    def list_tables(self, namespace: Namespace) -> list[str]:
        return self._relations(namespace, self._catalog.list_tables(namespace))

    def list_views(self, namespace: Namespace) -> list[str]:
        return self._relations(namespace, self._catalog.list_views(namespace))

    def create_namespace(self, namespace: Namespace, properties: Mapping[str, str]) -> None:
        self._catalog.create_namespace(namespace, properties)

    def drop_namespace(self, namespace: Namespace) -> None:
        self._catalog.drop_namespace(namespace)

    def update_namespace(
        self, namespace: Namespace, removals: list[str], updates: Mapping[str, str]
    ) -> Json:
        return self._catalog.update_namespace(namespace, removals, updates)

    def load_table(self, ident: Ident) -> Loaded:
        return self._catalog.load_table(ident)

    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        return self._catalog.load_credentials(ident)

    def sign(self, ident: Ident, config: Mapping[str, str], request: Json) -> Signed:
        return self._catalog.sign(ident, config, request)

    def create_table(self, namespace: Namespace, request: Json) -> Loaded:
        return self._catalog.create_table(namespace, request)

    def register_table(self, namespace: Namespace, request: Json) -> Loaded:
        return self._catalog.register_table(namespace, request)

    def commit_table(self, ident: Ident, request: Json) -> Loaded:
        return self._catalog.commit_table(ident, request)

    def drop_table(self, ident: Ident, *, purge: bool = False) -> None:
        self._catalog.drop_table(ident, purge=purge)

    def rename_table(self, source: Ident, target: Ident) -> None:
        self._catalog.rename_table(source, target)

    def commit_transaction(self, request: Json) -> None:
        self._catalog.commit_transaction(request)

    def load_view(self, ident: Ident) -> Loaded:
        return self._catalog.load_view(ident)

    def create_view(self, namespace: Namespace, request: Json) -> Loaded:
        return self._catalog.create_view(namespace, request)

    def replace_view(self, ident: Ident, request: Json) -> Loaded:
        return self._catalog.replace_view(ident, request)

    def drop_view(self, ident: Ident) -> None:
        self._catalog.drop_view(ident)

    def rename_view(self, source: Ident, target: Ident) -> None:
        self._catalog.rename_view(source, target)

    def _relations(self, namespace: Namespace, names: list[str]) -> list[str]:
        schema = SchemaName(self._name, namespace)
        return _shown(
            names, self._visible([Object.table(RelationName(schema, name)) for name in names])
        )

    def _schema(self, namespace: Namespace) -> Object:
        return Object.schema(SchemaName(self._name, namespace))


def _shown(things: list[_T], shown: list[bool]) -> list[_T]:
    return [thing for thing, yes in zip(things, shown, strict=True) if yes]
