"""The entries of Glue: what each operation of the catalog reads and writes.

A change of a table is compared by Glue with the version that SQE has read (``VersionId``)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from sqe.catalog.commit.failures import invalid
from sqe.catalog.embedded.store import Pointer
from sqe.catalog.glue.client import GlueClient, GlueError
from sqe.catalog.hive.names import check_name, check_namespace, is_name
from sqe.catalog.hive.tables import LOCATION, PREVIOUS, kind_of, parameters_of, type_of
from sqe.catalog.protocol import Ident, Loaded, Namespace
from sqe.catalog.schemas import current_schema
from sqe.errors import ErrorCode, SqeError, UserError

_ABSENT, _THERE = "EntityNotFoundException", "AlreadyExistsException"
_STALE = ("ConcurrentModificationException", "VersionMismatchException")
_LOOKS_S = (0.0, 0.5, 1.0, 2.0)  # after a change that was not answered
_COMMENT, _PLACE = "comment", "location"
# Of an entry, what may be sent back with a change of it.
_INPUT = (
    "Name",
    "Description",
    "Owner",
    "Retention",
    "StorageDescriptor",
    "PartitionKeys",
    "ViewOriginalText",
    "ViewExpandedText",
    "TableType",
    "Parameters",
)


class GlueRows:
    """Implements ``embedded.store.PointerRows``. Thread-safe: it keeps nothing."""

    def __init__(self, root: str, holds: Callable[[str], bool], *, skip_archive: bool) -> None:
        self._root = root
        self._holds = holds
        self._skip_archive = skip_archive

    def namespace_exists(self, db: GlueClient, namespace: Namespace) -> bool:
        return _database(db, namespace) is not None

    def namespaces(self, db: GlueClient, below: Namespace) -> list[Namespace]:
        if below:
            return []
        return sorted((str(one["Name"]),) for one in db.pages("GetDatabases", {}, "DatabaseList"))

    def properties(self, db: GlueClient, namespace: Namespace) -> dict[str, str]:
        database = _database(db, namespace) or {}
        properties = dict(database.get("Parameters") or {})
        if database.get("Description"):
            properties[_COMMENT] = database["Description"]
        location = str(database.get("LocationUri") or "").rstrip("/")
        if self._holds(location) and location != self._folder(namespace):
            properties[_PLACE] = location
        return properties

    def put_properties(
        self, db: GlueClient, namespace: Namespace, properties: Mapping[str, str]
    ) -> None:
        name = check_namespace(namespace)
        there = _database(db, namespace)
        before = self.properties(db, namespace) if there is not None else {}
        given = {**before, **properties}
        entry = _database_input(name, given, self._folder(namespace))
        if there is not None:
            db.call("UpdateDatabase", {"Name": name, "DatabaseInput": entry})
            return
        try:
            db.call("CreateDatabase", {"DatabaseInput": entry})
        except GlueError as error:
            if error.kind != _THERE:
                raise
            message = f"Namespace already exists: {name}"
            raise UserError(ErrorCode.SCHEMA_ALREADY_EXISTS, message) from None

    def remove_properties(self, db: GlueClient, namespace: Namespace, keys: set[str]) -> None:
        kept = {k: v for k, v in self.properties(db, namespace).items() if k not in keys}
        entry = _database_input(namespace[0], kept, self._folder(namespace))
        db.call("UpdateDatabase", {"Name": namespace[0], "DatabaseInput": entry})

    def remove_namespace(self, db: GlueClient, namespace: Namespace) -> None:
        if next(db.pages("GetTables", {"DatabaseName": namespace[0]}, "TableList"), None):
            message = f"Namespace {namespace[0]} is not empty: Glue has other tables in it."
            raise UserError(ErrorCode.SCHEMA_NOT_EMPTY, message)
        db.call("DeleteDatabase", {"Name": namespace[0]})

    def names(self, db: GlueClient, namespace: Namespace, *, views: bool) -> list[str]:
        entries = db.pages("GetTables", {"DatabaseName": namespace[0]}, "TableList")
        return sorted(e["Name"] for e in entries if kind_of(e.get("Parameters")) is views)

    def pointer(self, db: GlueClient, ident: Ident) -> Pointer | None:
        parameters = (_entry(db, ident) or {}).get("Parameters") or {}
        view = kind_of(parameters)
        return None if view is None else Pointer(str(parameters.get(LOCATION, "")), view)

    def lives_in(self, db: GlueClient, location: str) -> bool:
        """Maybe: nobody could look through all databases for it."""
        return True

    def insert(self, db: GlueClient, ident: Ident, new: Loaded, *, is_view: bool) -> None:
        check_name(ident.name)
        kind = "VIRTUAL_VIEW" if is_view else "EXTERNAL_TABLE"
        entry = {"Name": ident.name, "TableType": kind, "Parameters": {"EXTERNAL": "TRUE"}}
        fields = {"TableInput": _point_to(entry, new, "", is_view=is_view)}
        try:
            self._change(db, ident, new, "CreateTable", fields)
        except GlueError as error:
            if error.kind != _THERE:
                raise
            message = f"Table already exists: {ident}, perhaps one that is not Iceberg's"
            raise UserError(ErrorCode.TABLE_ALREADY_EXISTS, message) from None

    def swap(self, db: GlueClient, ident: Ident, old: str, new: Loaded, *, is_view: bool) -> bool:
        entry = _entry(db, ident)
        if entry is None or (entry.get("Parameters") or {}).get(LOCATION) != old:
            return False
        version = str(entry.get("VersionId") or "")
        if not version:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                "Glue does not say which version of the table it has, so that nobody could tell "
                "whether others change it, too.",
            )
        changed = {key: entry[key] for key in _INPUT if key in entry}
        fields = {
            "TableInput": _point_to(changed, new, old, is_view=is_view),
            "VersionId": version,
            "SkipArchive": self._skip_archive,
        }
        try:
            self._change(db, ident, new, "UpdateTable", fields)
        except GlueError as error:
            if error.kind not in _STALE:
                raise
            return False
        return True

    def rename(self, db: GlueClient, source: Ident, target: Ident) -> None:
        """Glue could only make a second entry and remove the first, and a commit in between would
        be lost."""
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            "Glue cannot rename a table or view.",
            hint="Register its metadata file under the new name while nobody writes, and drop the "
            "old one.",
        )

    def remove(self, db: GlueClient, ident: Ident) -> None:
        db.call("DeleteTable", {"DatabaseName": ident.namespace[0], "Name": ident.name})

    def _change(
        self, db: GlueClient, ident: Ident, new: Loaded, action: str, fields: Mapping[str, Any]
    ) -> None:
        """A change that is not answered is looked for: if it is there, all is well; if it is not,
        it may still come."""
        try:
            db.call(action, {"DatabaseName": ident.namespace[0], **fields})
        except SqeError as error:
            if error.code is not ErrorCode.CATALOG_UNAVAILABLE:
                raise
            if not _look_for(db, ident, new.metadata_location or ""):
                raise

    def _folder(self, namespace: Namespace) -> str:
        return f"{self._root}/{namespace[0]}"


def _look_for(db: GlueClient, ident: Ident, location: str) -> bool:
    for pause in _LOOKS_S:
        time.sleep(pause)
        with suppress(SqeError, GlueError):
            parameters = (_entry(db, ident) or {}).get("Parameters") or {}
            return location in (parameters.get(LOCATION), parameters.get(PREVIOUS))
    return False


def _database(db: GlueClient, namespace: Namespace) -> Any:
    if len(namespace) != 1 or not is_name(namespace[0]):
        return None
    database = _get(db, "GetDatabase", {"Name": namespace[0]}, "Database")
    return database if database and database.get("Name") == namespace[0] else None


def _entry(db: GlueClient, ident: Ident) -> Any:
    """None where there is none of exactly this name."""
    if len(ident.namespace) != 1 or not all(map(is_name, (*ident.namespace, ident.name))):
        return None
    names = {"DatabaseName": ident.namespace[0], "Name": ident.name}
    entry = _get(db, "GetTable", names, "Table")
    return entry if entry and entry.get("Name") == ident.name else None


def _get(db: GlueClient, action: str, fields: Mapping[str, Any], key: str) -> Any:
    try:
        return db.call(action, fields).get(key)
    except GlueError as error:
        if error.kind != _ABSENT:
            raise
        return None


def _database_input(name: str, properties: Mapping[str, str], folder: str) -> dict[str, Any]:
    parameters = dict(properties)
    comment, location = parameters.pop(_COMMENT, ""), parameters.pop(_PLACE, folder)
    entry = {"Name": name, "LocationUri": location, "Parameters": parameters}
    return {**entry, "Description": comment} if comment else entry


def _point_to(entry: dict[str, Any], new: Loaded, old: str, *, is_view: bool) -> dict[str, Any]:
    fields = current_schema(new.metadata)["fields"]
    columns = [{"Name": f["name"], "Type": type_of(f["type"])} for f in fields]
    parameters = parameters_of(entry.get("Parameters") or {}, new, old, is_view=is_view)
    location = str(new.metadata["location"])
    storage = {"Columns": columns, "Location": location}
    if any(len(one["Type"]) > 131_072 for one in columns):
        raise invalid("A column's type is longer than Glue can hold.")
    return {**entry, "Parameters": parameters, "StorageDescriptor": storage}
