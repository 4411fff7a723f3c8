"""The catalogs as a user may know of them: what the policy does not show is not there.

Only lists are cut. What a statement names is loaded and then decided on, by the pipe, so that the
refusal says the same whether it is there or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from sqe.catalog.configured import no_such_catalog
from sqe.catalog.protocol import Catalog, Catalogs, Namespace
from sqe.catalog.proxy import hand_on
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
        return _select(names, self._visible(identity, [*map(Object.catalog, names)]))

    def open(self, name: str, identity: Identity) -> Catalog:
        if name not in self._catalogs.names():
            raise no_such_catalog(name, self.names(identity))
        catalog = self._catalogs.open(name, identity)
        if not self._policy.ruled:
            return catalog
        return _VisibleCatalog(name, catalog, partial(self._visible, identity))

    def sees(self, identity: Identity, name: RelationName) -> bool:
        [shown] = self._visible(identity, [Object.table(name)])
        return shown

    def _visible(self, identity: Identity, objects: Sequence[Object]) -> list[bool]:
        """Without rules everything is visible, and the policy is not asked about thousands of
        tables."""
        if not self._policy.ruled:
            return [True] * len(objects)
        return self._policy.visible(identity, objects)


class _VisibleCatalog:
    """Implements ``Catalog``. Lists of tables, views and schemas are cut. All other methods are
    written out one by one, so that a new method of ``Catalog`` shows nothing until it is added
    here."""

    def __init__(
        self, name: str, catalog: Catalog, visible: Callable[[Sequence[Object]], list[bool]]
    ) -> None:
        self._name = name
        self._catalog = catalog
        self._visible = visible

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        namespaces = self._catalog.list_namespaces(parent)
        return _select(namespaces, self._visible([self._schema(path) for path in namespaces]))

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

    create_namespace = hand_on(Catalog.create_namespace)
    drop_namespace = hand_on(Catalog.drop_namespace)
    update_namespace = hand_on(Catalog.update_namespace)
    load_table = hand_on(Catalog.load_table)
    load_credentials = hand_on(Catalog.load_credentials)
    sign = hand_on(Catalog.sign)
    create_table = hand_on(Catalog.create_table)
    register_table = hand_on(Catalog.register_table)
    check_change = hand_on(Catalog.check_change)
    commit_table = hand_on(Catalog.commit_table)
    drop_table = hand_on(Catalog.drop_table)
    rename_table = hand_on(Catalog.rename_table)
    commit_transaction = hand_on(Catalog.commit_transaction)
    load_view = hand_on(Catalog.load_view)
    create_view = hand_on(Catalog.create_view)
    replace_view = hand_on(Catalog.replace_view)
    drop_view = hand_on(Catalog.drop_view)
    rename_view = hand_on(Catalog.rename_view)

    def _relations(self, namespace: Namespace, names: list[str]) -> list[str]:
        schema = SchemaName(self._name, namespace)
        return _select(
            names, self._visible([Object.table(RelationName(schema, name)) for name in names])
        )

    def _schema(self, namespace: Namespace) -> Object:
        return Object.schema(SchemaName(self._name, namespace))


def _select(things: list[_T], shown: list[bool]) -> list[_T]:
    return [thing for thing, yes in zip(things, shown, strict=True) if yes]
