"""What SQE needs of an Iceberg catalog: the operations of the Iceberg REST specification.

Requests and answers are the specification's JSON objects, so that a catalog behind HTTP can pass
them through and the embedded one can apply them. Failures are SqeErrors: SCHEMA_NOT_FOUND,
TABLE_NOT_FOUND, VIEW_NOT_FOUND, SCHEMA_ALREADY_EXISTS, TABLE_ALREADY_EXISTS, SCHEMA_NOT_EMPTY,
COMMIT_CONFLICT, INVALID_ARGUMENT, ACCESS_DENIED, CATALOG_UNAVAILABLE, CORRUPT_DATA, DISK_FULL.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol
from urllib.parse import urlsplit

from sqe.model.identity import Identity

Json = dict[str, Any]
Namespace = tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Ident:
    """A table or view inside one catalog."""

    namespace: Namespace
    name: str

    def __str__(self) -> str:
        return ".".join((*self.namespace, self.name))


@dataclass(frozen=True)
class Loaded:
    """A table or view as the catalog stores it. ``metadata_json`` is the file's own bytes."""

    metadata_json: bytes
    metadata_location: str | None = None  # None: staged, not yet committed
    config: Mapping[str, str] = field(default_factory=dict, repr=False)  # may hold keys
    storage_credentials: tuple[Json, ...] = field(default=(), repr=False)
    restrictions: str = field(default="", repr=False)  # the JSON of read-restrictions, if any

    @property
    def scheme(self) -> str:
        """Of the table's location: s3, file; empty for a path."""
        return urlsplit(str(self.metadata.get("location", ""))).scheme.lower()

    @property
    def on_disk(self) -> bool:
        """On a disk of this machine, that is."""
        return self.scheme in ("", "file")

    @cached_property
    def metadata(self) -> Json:
        parsed: Json = json.loads(self.metadata_json)
        return parsed


@dataclass(frozen=True)
class Signed:
    """A request to an object store as the catalog allows it: to be sent with these headers.
    ``reusable``: for a while, the same request may be sent with them again."""

    uri: str
    headers: Mapping[str, str] = field(repr=False)
    reusable: bool = False


def credentials_of(loaded: Loaded) -> tuple[Json, ...]:
    """What ``load_credentials`` answers where the table has just been loaded."""
    if loaded.storage_credentials or not loaded.config:
        return loaded.storage_credentials
    return ({"prefix": str(loaded.metadata["location"]), "config": dict(loaded.config)},)


def snapshots_of_commit(request: Json) -> Iterator[Json]:
    """The snapshots that a commit brings."""
    for update in request.get("updates") or ():
        if update.get("action") == "add-snapshot":
            yield update["snapshot"]


class Catalog(Protocol):
    """One catalog, as one user sees it. Safe to call from many threads."""

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]: ...
    def load_namespace(self, namespace: Namespace) -> dict[str, str]: ...
    def create_namespace(self, namespace: Namespace, properties: Mapping[str, str]) -> None: ...
    def drop_namespace(self, namespace: Namespace) -> None: ...
    def update_namespace(
        self, namespace: Namespace, removals: list[str], updates: Mapping[str, str]
    ) -> Json: ...

    def list_tables(self, namespace: Namespace) -> list[str]: ...
    def load_table(self, ident: Ident) -> Loaded: ...
    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        """New keys to a table's files, as in ``storage_credentials``; none: they need no keys."""
        ...

    def sign(self, ident: Ident, config: Mapping[str, str], request: Json) -> Signed:
        """Remote signing, for tables whose ``config`` offers it: ``request`` is the
        specification's. ACCESS_DENIED where the catalog does not sign it."""
        ...

    def create_table(self, namespace: Namespace, request: Json) -> Loaded: ...
    def register_table(self, namespace: Namespace, request: Json) -> Loaded: ...
    def check_change(self, ident: Ident) -> None:
        """ACCESS_DENIED where the catalog would not let the user change the table. It is asked
        before files are written; a catalog that cannot say it lets the change itself say."""
        ...

    def commit_table(self, ident: Ident, request: Json) -> Loaded: ...
    def drop_table(self, ident: Ident, *, purge: bool = False) -> None: ...
    def rename_table(self, source: Ident, target: Ident) -> None: ...
    def commit_transaction(self, request: Json) -> None: ...

    def list_views(self, namespace: Namespace) -> list[str]: ...
    def load_view(self, ident: Ident) -> Loaded: ...
    def create_view(self, namespace: Namespace, request: Json) -> Loaded: ...
    def replace_view(self, ident: Ident, request: Json) -> Loaded: ...
    def drop_view(self, ident: Ident) -> None: ...
    def rename_view(self, source: Ident, target: Ident) -> None: ...


class Catalogs(Protocol):
    """The configured catalogs by name, each opened as a user."""

    def names(self, identity: Identity | None = None) -> list[str]:
        """All of them, or those that this user may know of."""
        ...

    def open(self, name: str, identity: Identity) -> Catalog:
        """CATALOG_NOT_FOUND for a name that is not configured."""
        ...
