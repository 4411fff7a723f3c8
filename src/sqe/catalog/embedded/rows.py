"""The rows of the JDBC layout: what each operation reads and writes, inside a transaction."""

from __future__ import annotations

from collections.abc import Mapping
from sqlite3 import Connection

from sqe.catalog.commit.failures import invalid
from sqe.catalog.embedded.store import Pointer
from sqe.catalog.protocol import Ident, Namespace

_EXISTS = "exists"  # the JDBC catalog's marker for a namespace without properties
_LIST_VIEWS = """SELECT table_name FROM iceberg_tables
    WHERE catalog_name = ? AND table_namespace = ? AND iceberg_type = 'VIEW'
    ORDER BY table_name"""
# Old JDBC catalogs leave the type of a table empty.
_LIST_TABLES = """SELECT table_name FROM iceberg_tables
    WHERE catalog_name = ? AND table_namespace = ?
    AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL) ORDER BY table_name"""
_POINTER = """SELECT metadata_location, iceberg_type FROM iceberg_tables
    WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?"""
_SWAP = """UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ?
    WHERE catalog_name = ? AND table_namespace = ? AND table_name = ? AND metadata_location = ?"""
_RENAME = """UPDATE iceberg_tables SET table_namespace = ?, table_name = ?
    WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?"""
_REMOVE = """DELETE FROM iceberg_tables
    WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?"""


def encode_namespace(namespace: Namespace) -> str:
    """The namespace as the layout stores it: levels joined by dots."""
    if not namespace:
        raise invalid("Invalid namespace: it has no levels.", hint="Name a schema.")
    for level in namespace:
        if not level or any(ord(char) < 32 or ord(char) == 127 for char in level):
            raise invalid(f"Invalid namespace: {level!r} is not a usable name.")
        if "." in level:
            raise invalid(
                f"Invalid namespace: {level!r} holds a dot.",
                hint="The catalog file separates the levels of a namespace by dots.",
            )
    return ".".join(namespace)


def _is_possible(namespace: Namespace) -> bool:
    """What cannot be stored is not there: no error to somebody who only asks."""
    return bool(namespace) and all(level and "." not in level for level in namespace)


def check_name(name: object) -> str:
    if not isinstance(name, str) or not name or any(ord(c) < 32 or ord(c) == 127 for c in name):
        raise invalid(f"Invalid name: {name!r} is not a usable table or view name.")
    return name


class Rows:
    """The rows of one catalog name. Every method runs in the caller's transaction."""

    def __init__(self, catalog_name: str) -> None:
        self._catalog = catalog_name

    def _key(self, ident: Ident) -> tuple[str, str, str]:
        return (self._catalog, encode_namespace(ident.namespace), check_name(ident.name))

    def namespace_exists(self, db: Connection, namespace: Namespace) -> bool:
        if not _is_possible(namespace):
            return False
        text = encode_namespace(namespace)
        # "." sorts just before "/": the range holds exactly the namespaces below this one.
        row = db.execute(
            "SELECT 1 FROM iceberg_namespace_properties WHERE catalog_name = ?"
            " AND (namespace = ? OR (namespace >= ? AND namespace < ?)) UNION ALL "
            "SELECT 1 FROM iceberg_tables WHERE catalog_name = ?"
            " AND (table_namespace = ? OR (table_namespace >= ? AND table_namespace < ?)) LIMIT 1",
            (self._catalog, text, text + ".", text + "/") * 2,
        ).fetchone()
        return row is not None

    def namespaces(self, db: Connection, below: Namespace) -> list[Namespace]:
        """The direct children, sorted."""
        low, high = (
            (encode_namespace(below) + ".", encode_namespace(below) + "/")
            if below
            else ("", "\U0010ffff")
        )
        depth = len(below) + 1
        rows = db.execute(
            "SELECT DISTINCT namespace FROM iceberg_namespace_properties"
            " WHERE catalog_name = ? AND namespace >= ? AND namespace < ? UNION "
            "SELECT DISTINCT table_namespace FROM iceberg_tables"
            " WHERE catalog_name = ? AND table_namespace >= ? AND table_namespace < ?",
            (self._catalog, low, high) * 2,
        )
        return sorted({tuple(text.split("."))[:depth] for (text,) in rows})

    def properties(self, db: Connection, namespace: Namespace) -> dict[str, str]:
        rows = db.execute(
            "SELECT property_key, property_value FROM iceberg_namespace_properties"
            " WHERE catalog_name = ? AND namespace = ?",
            (self._catalog, encode_namespace(namespace)),
        )
        return {key: value for key, value in rows if key != _EXISTS}

    def put_properties(
        self, db: Connection, namespace: Namespace, properties: Mapping[str, str]
    ) -> None:
        """Also makes the namespace, where it was not there."""
        if _EXISTS in properties:
            raise invalid(f"Cannot set reserved property: {_EXISTS}")
        db.executemany(
            "INSERT INTO iceberg_namespace_properties VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET property_value = excluded.property_value",
            [
                (self._catalog, encode_namespace(namespace), key, value)
                for key, value in {_EXISTS: "true", **properties}.items()
            ],
        )

    def remove_properties(self, db: Connection, namespace: Namespace, keys: set[str]) -> None:
        db.executemany(
            "DELETE FROM iceberg_namespace_properties"
            " WHERE catalog_name = ? AND namespace = ? AND property_key = ?",
            [(self._catalog, encode_namespace(namespace), key) for key in keys - {_EXISTS}],
        )

    def remove_namespace(self, db: Connection, namespace: Namespace) -> None:
        db.execute(
            "DELETE FROM iceberg_namespace_properties WHERE catalog_name = ? AND namespace = ?",
            (self._catalog, encode_namespace(namespace)),
        )

    def names(self, db: Connection, namespace: Namespace, *, views: bool) -> list[str]:
        statement = _LIST_VIEWS if views else _LIST_TABLES
        return [
            name for (name,) in db.execute(statement, (self._catalog, encode_namespace(namespace)))
        ]

    def pointer(self, db: Connection, ident: Ident) -> Pointer | None:
        if not _is_possible(ident.namespace):
            return None
        row = db.execute(_POINTER, self._key(ident)).fetchone()
        return Pointer(row[0] or "", row[1] == "VIEW") if row else None

    def lives_in(self, db: Connection, location: str) -> bool:
        """Whether a table's or view's metadata is below the location, in any catalog name."""
        row = db.execute(
            "SELECT 1 FROM iceberg_tables WHERE instr(metadata_location, ?) > 0 LIMIT 1",
            (location.rstrip("/") + "/",),
        ).fetchone()
        return row is not None

    def insert(self, db: Connection, ident: Ident, pointer: Pointer) -> None:
        db.execute(
            "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name,"
            " metadata_location, previous_metadata_location, iceberg_type)"
            " VALUES (?, ?, ?, ?, NULL, ?)",
            (*self._key(ident), pointer.metadata_location, "VIEW" if pointer.is_view else "TABLE"),
        )

    def swap(self, db: Connection, ident: Ident, old: str, new: str) -> bool:
        """False where the pointer is no longer the old one."""
        changed = db.execute(_SWAP, (new, old, *self._key(ident), old))
        return changed.rowcount == 1

    def rename(self, db: Connection, source: Ident, target: Ident) -> None:
        db.execute(_RENAME, (*self._key(target)[1:], *self._key(source)))

    def remove(self, db: Connection, ident: Ident) -> None:
        db.execute(_REMOVE, self._key(ident))
