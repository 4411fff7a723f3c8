"""The entries of a Hive metastore: what each operation of the catalog reads and writes.

A change of a table is a compare-and-swap of its ``metadata_location``. The metastore compares where
it can (HIVE-26882); under its lock SQE compares as well, with all who take the lock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from sqe.catalog.commit.failures import conflict
from sqe.catalog.embedded.store import Pointer
from sqe.catalog.hive.locks import lock_table
from sqe.catalog.hive.names import check_name, check_namespace, is_name
from sqe.catalog.hive.store import HiveClient, HiveStore
from sqe.catalog.hive.tables import LOCATION, entry_of, is_view, location_of, point_to
from sqe.catalog.protocol import Ident, Loaded, Namespace
from sqe.errors import ErrorCode, SqeError, UserError

_BATCH = 500  # entries in one answer
_LOOKS_S = (0.0, 0.5, 1.0, 2.0, 4.0)  # at a metastore that went in the middle of a change
_EXPECTED = {"expected_parameter_key": LOCATION}
_COMMENT, _OWNER, _PLACE = "comment", "owner", "location"
_MODIFIED = "has been modified"  # what a metastore says that has compared


class HiveRows:
    """Implements ``embedded.store.PointerRows``. Thread-safe: it keeps nothing.

    ``root`` is where databases are put; ``holds`` says which locations SQE reads at all."""

    def __init__(self, store: HiveStore, root: str, holds: Callable[[str], bool]) -> None:
        self._store = store
        self._root = root
        self._holds = holds

    def namespace_exists(self, db: HiveClient, namespace: Namespace) -> bool:
        return self._database(db, namespace) is not None

    def namespaces(self, db: HiveClient, below: Namespace) -> list[Namespace]:
        return [] if below else sorted((name,) for name in db.calls.get_all_databases())

    def properties(self, db: HiveClient, namespace: Namespace) -> dict[str, str]:
        database = self._database(db, namespace)
        if database is None:
            return {}
        properties = dict(database.parameters or {})
        if database.description:
            properties[_COMMENT] = database.description
        location = _plain(database.locationUri or "")
        if self._holds(location) and location != self._folder(namespace):
            properties[_PLACE] = location
        return properties

    def put_properties(
        self, db: HiveClient, namespace: Namespace, properties: Mapping[str, str]
    ) -> None:
        from hive_metastore import ttypes

        name = check_namespace(namespace)
        there = self._database(db, namespace)
        database = there or ttypes.Database(name=name, locationUri=self._folder(namespace))
        given = dict(properties)
        database.description = given.pop(_COMMENT, database.description or "")
        database.locationUri = given.pop(_PLACE, database.locationUri)
        database.parameters = {**(database.parameters or {}), **given}
        if there is not None:
            db.calls.alter_database(name, database)
            return
        try:
            db.calls.create_database(database)
        except ttypes.AlreadyExistsException:
            message = f"Namespace already exists: {name}"
            raise UserError(ErrorCode.SCHEMA_ALREADY_EXISTS, message) from None

    def remove_properties(self, db: HiveClient, namespace: Namespace, keys: set[str]) -> None:
        database = self._database(db, namespace)
        if database is None or not keys:
            return
        kept = {k: v for k, v in (database.parameters or {}).items() if k not in keys}
        database.parameters = kept
        if _COMMENT in keys:
            database.description = ""
        db.calls.alter_database(namespace[0], database)

    def remove_namespace(self, db: HiveClient, namespace: Namespace) -> None:
        from hive_metastore import ttypes

        try:
            db.calls.drop_database(namespace[0], False, False)
        except ttypes.InvalidOperationException:
            message = (
                f"Namespace {namespace[0]} is not empty: the metastore has other tables in it."
            )
            raise UserError(ErrorCode.SCHEMA_NOT_EMPTY, message) from None

    def names(self, db: HiveClient, namespace: Namespace, *, views: bool) -> list[str]:
        everything = db.calls.get_all_tables(namespace[0])
        found: list[str] = []
        for start in range(0, len(everything), _BATCH):
            batch = everything[start : start + _BATCH]
            entries = _get_tables(db, namespace[0], batch)
            found += (entry.tableName for entry in entries if is_view(entry) is views)
        return sorted(found)

    def pointer(self, db: HiveClient, ident: Ident) -> Pointer | None:
        entry = _entry(db, ident)
        view = None if entry is None else is_view(entry)
        return None if view is None else Pointer(_plain(location_of(entry)), view)

    def lives_in(self, db: HiveClient, location: str) -> bool:
        """Maybe: nobody could look through all databases for it."""
        return True

    def insert(self, db: HiveClient, ident: Ident, new: Loaded, *, is_view: bool) -> None:
        from hive_metastore import ttypes

        check_name(ident.name)
        entry = entry_of(ident, new, db.options.user, is_view=is_view)
        with self._resolve_outcome(db, ident, new):
            try:
                db.calls.create_table(entry)
            except ttypes.AlreadyExistsException:
                message = f"Table already exists: {ident}, perhaps one that is not Iceberg's"
                raise UserError(ErrorCode.TABLE_ALREADY_EXISTS, message) from None

    def swap(self, db: HiveClient, ident: Ident, old: str, new: Loaded, *, is_view: bool) -> bool:
        with self._take_lock(db, ident):
            entry = _entry(db, ident)
            if entry is None or _plain(location_of(entry)) != old:
                return False
            before = location_of(entry)  # as it stands there, perhaps with file: in front
            changed = point_to(entry, new, before, is_view=is_view)
            moved = True  # also where only reading again has told it
            with self._resolve_outcome(db, ident, new):
                moved = self._alter(db, ident, changed, before)
            return moved

    def rename(self, db: HiveClient, source: Ident, target: Ident) -> None:
        check_name(target.name)
        with self._take_lock(db, source):
            entry = _entry(db, source)
            if entry is None:
                raise conflict(f"Somebody else has removed {source} at the same moment.")
            entry.dbName, entry.tableName = target.namespace[0], target.name
            if not self._alter(db, source, entry, location_of(entry)):
                raise conflict(f"Somebody else has changed {source} at the same moment.")

    def remove(self, db: HiveClient, ident: Ident) -> None:
        db.calls.drop_table(ident.namespace[0], ident.name, False)

    def _alter(self, db: HiveClient, ident: Ident, entry: Any, before: str) -> bool:
        """False where the metastore has compared, and it is another one by now."""
        from hive_metastore import ttypes

        expected = {**_EXPECTED, "expected_parameter_value": before, "DO_NOT_UPDATE_STATS": "true"}
        context = ttypes.EnvironmentContext(properties=expected)
        try:
            db.calls.alter_table_with_environment_context(
                ident.namespace[0], ident.name, entry, context
            )
        except (ttypes.MetaException, ttypes.InvalidOperationException) as error:
            if _MODIFIED in str(error.message):
                return False
            raise
        return True

    def _take_lock(self, db: HiveClient, ident: Ident) -> AbstractContextManager[None]:
        return lock_table(db, ident) if db.options.locks else nullcontext()

    @contextmanager
    def _resolve_outcome(self, db: HiveClient, ident: Ident, new: Loaded) -> Iterator[None]:
        """Around a change. A metastore that goes in the middle of it is asked again what is there:
        if the change is, all is well; if it is not, it may still come."""
        from thrift.transport.TTransport import TTransportException

        try:
            yield
        except (OSError, EOFError, TTransportException):
            db.broken = True
            if not self._look_for(ident, new.metadata_location or ""):
                raise

    def _look_for(self, ident: Ident, location: str) -> bool:
        for pause in _LOOKS_S:
            time.sleep(pause)
            try:
                with self._store.read() as db:
                    entry = _entry(db, ident)
            except SqeError:
                continue
            parameters = (entry.parameters or {}) if entry is not None else {}
            return location in map(_plain, parameters.values())
        return False

    def _database(self, db: HiveClient, namespace: Namespace) -> Any:
        """None where there is none of exactly this name."""
        from hive_metastore import ttypes

        if len(namespace) != 1 or not is_name(namespace[0]):
            return None
        try:
            database = db.calls.get_database(namespace[0])
        except ttypes.NoSuchObjectException:
            return None
        return database if database.name == namespace[0] else None

    def _folder(self, namespace: Namespace) -> str:
        return f"{self._root}/{namespace[0]}"


def _entry(db: HiveClient, ident: Ident) -> Any:
    """None where there is none of exactly this name."""
    from hive_metastore import ttypes

    if len(ident.namespace) != 1 or not all(map(is_name, (*ident.namespace, ident.name))):
        return None
    try:
        return _get_table(db, ident.namespace[0], ident.name)
    except ttypes.NoSuchObjectException:
        return None


def _get_table(db: HiveClient, database: str, name: str) -> Any:
    """Metastores of Hive 4 know only the second form."""
    from hive_metastore import ttypes
    from thrift.Thrift import TApplicationException

    try:
        return db.calls.get_table(database, name)
    except TApplicationException as error:
        if error.type != TApplicationException.UNKNOWN_METHOD:
            raise
        request = ttypes.GetTableRequest(dbName=database, tblName=name)
        return db.calls.get_table_req(request).table


def _get_tables(db: HiveClient, database: str, names: list[str]) -> list[Any]:
    from hive_metastore import ttypes
    from thrift.Thrift import TApplicationException

    try:
        return list(db.calls.get_table_objects_by_name(database, names))
    except TApplicationException as error:
        if error.type != TApplicationException.UNKNOWN_METHOD:
            raise
        request = ttypes.GetTablesRequest(dbName=database, tblNames=names)
        return list(db.calls.get_table_objects_by_name_req(request).tables)


def _plain(location: str) -> str:
    """As SQE writes places of this machine: without file: in front."""
    if location.startswith("file:/"):
        return "/" + location.removeprefix("file:").lstrip("/")
    return location
