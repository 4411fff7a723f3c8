"""The rows of the JDBC layout: what each operation reads and writes, inside a transaction."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.catalog.commit.failures import invalid
from sqe.catalog.embedded.store import TYPE_COLUMN, Connection, Pointer, SqlStore
from sqe.catalog.protocol import Ident, Loaded, Namespace
from sqe.errors import ErrorCode, UserError

_KEY = ("catalog_name", "table_namespace", "table_name")
_TABLE, _VIEW = "TABLE", "VIEW"
_EXISTS = "exists"  # the JDBC catalog's marker for a namespace without properties
_NAMES = """SELECT table_namespace, table_name, {type} FROM iceberg_tables
    WHERE catalog_name = ? AND table_namespace = ?"""
_POINTER = """SELECT table_namespace, table_name, metadata_location, {type} FROM iceberg_tables
    WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?"""
# The first finds what is there by an index.
_NAMESPACE = """SELECT DISTINCT namespace FROM iceberg_namespace_properties
    WHERE catalog_name = ? AND namespace = ?"""
_NAMESPACES = """SELECT DISTINCT namespace FROM iceberg_namespace_properties
    WHERE catalog_name = ? AND (namespace = ? OR namespace LIKE ? ESCAPE '!') UNION
    SELECT DISTINCT table_namespace FROM iceberg_tables
    WHERE catalog_name = ? AND (table_namespace = ? OR table_namespace LIKE ? ESCAPE '!')"""
_ALL_NAMESPACES = """SELECT DISTINCT namespace FROM iceberg_namespace_properties
    WHERE catalog_name = ? UNION
    SELECT DISTINCT table_namespace FROM iceberg_tables WHERE catalog_name = ?"""
_REMOVE_PROPERTY = """DELETE FROM iceberg_namespace_properties
    WHERE catalog_name = ? AND namespace = ? AND property_key = ?"""
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


def _starts_with(text: str) -> str:
    """The pattern of LIKE, with ``!`` as its escape. Some databases ignore case in it."""
    escaped = text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return escaped + "%"


def _is_possible(namespace: Namespace) -> bool:
    """What cannot be stored is not there: no error to somebody who only asks."""
    return bool(namespace) and all(level and "." not in level for level in namespace)


def check_name(name: object) -> str:
    if not isinstance(name, str) or not name or any(ord(c) < 32 or ord(c) == 127 for c in name):
        raise invalid(f"Invalid name: {name!r} is not a usable table or view name.")
    return name


class Rows:
    """The rows of one catalog name. Every method runs in the caller's transaction.

    Databases differ in which texts they hold to be equal: some ignore case, or spaces at the end.
    A rule for ``emp`` must not be got round by asking for ``EMP``, so what is found is compared
    once more, exactly."""

    def __init__(self, catalog_name: str, store: SqlStore) -> None:
        self._catalog = catalog_name
        self._store = store  # is asked for its layout only once it is used

    def _with_type(self, statement: str) -> str:
        return statement.format(type=TYPE_COLUMN if self._store.has_types else "NULL")

    def _key(self, ident: Ident) -> tuple[str, str, str]:
        return (self._catalog, encode_namespace(ident.namespace), check_name(ident.name))

    def namespace_exists(self, db: Connection, namespace: Namespace) -> bool:
        if not _is_possible(namespace):
            return False
        text = encode_namespace(namespace)
        there = db.execute(_NAMESPACE, (self._catalog, text))
        return any(name == text for (name,) in there) or bool(self._below(db, text))

    def namespaces(self, db: Connection, below: Namespace) -> list[Namespace]:
        """The direct children, sorted."""
        depth = len(below) + 1
        if below:
            text = encode_namespace(below)
            names = [name for name in self._below(db, text) if name != text]
        else:
            names = [name for (name,) in db.execute(_ALL_NAMESPACES, (self._catalog,) * 2)]
        return sorted({tuple(name.split("."))[:depth] for name in names})

    def _below(self, db: Connection, text: str) -> list[str]:
        """The namespaces with rows that are this one or in it."""
        found = db.execute(_NAMESPACES, (self._catalog, text, _starts_with(text + ".")) * 2)
        return [name for (name,) in found if name == text or name.startswith(text + ".")]

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
        values = {_EXISTS: "true", **properties}
        text = encode_namespace(namespace)
        db.executemany(_REMOVE_PROPERTY, [(self._catalog, text, key) for key in values])
        db.executemany(
            "INSERT INTO iceberg_namespace_properties"
            " (catalog_name, namespace, property_key, property_value) VALUES (?, ?, ?, ?)",
            [(self._catalog, text, key, value) for key, value in values.items()],
        )

    def remove_properties(self, db: Connection, namespace: Namespace, keys: set[str]) -> None:
        text = encode_namespace(namespace)
        rows = [(self._catalog, text, key) for key in keys - {_EXISTS}]
        db.executemany(_REMOVE_PROPERTY, rows)

    def remove_namespace(self, db: Connection, namespace: Namespace) -> None:
        db.execute(
            "DELETE FROM iceberg_namespace_properties WHERE catalog_name = ? AND namespace = ?",
            (self._catalog, encode_namespace(namespace)),
        )

    def names(self, db: Connection, namespace: Namespace, *, views: bool) -> list[str]:
        text = encode_namespace(namespace)
        found = db.execute(self._with_type(_NAMES), (self._catalog, text))
        # Old JDBC catalogs leave the type of a table empty.
        return sorted(
            name for inside, name, type_ in found if inside == text and (type_ == _VIEW) is views
        )

    def pointer(self, db: Connection, ident: Ident) -> Pointer | None:
        if not _is_possible(ident.namespace):
            return None
        key = self._key(ident)
        row = db.execute(self._with_type(_POINTER), key).fetchone()
        if row is None or (row[0], row[1]) != key[1:]:
            return None
        return Pointer(row[2] or "", row[3] == _VIEW)

    def lives_in(self, db: Connection, location: str) -> bool:
        """Whether a table's or view's metadata is below the location, in any catalog name."""
        row = db.execute(
            "SELECT 1 FROM iceberg_tables WHERE metadata_location LIKE ? ESCAPE '!' LIMIT 1",
            ("%" + _starts_with(location.rstrip("/") + "/"),),
        ).fetchone()
        return row is not None

    def insert(self, db: Connection, ident: Ident, new: Loaded, *, is_view: bool) -> None:
        if is_view and not self._store.has_types:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                "The catalog's tables are of the JDBC catalog's layout V0, which has no views.",
                hint='Its administrator can change the layout: schema_version = "V1".',
            )
        values: dict[str, str | None] = {
            **dict(zip(_KEY, self._key(ident), strict=True)),
            "metadata_location": new.metadata_location,
            "previous_metadata_location": None,
        }
        if self._store.has_types:
            values[TYPE_COLUMN] = _VIEW if is_view else _TABLE
        columns, marks = ", ".join(values), ", ".join("?" * len(values))
        db.execute(
            f"INSERT INTO iceberg_tables ({columns}) VALUES ({marks})",  # noqa: S608  constants
            tuple(values.values()),
        )

    def swap(self, db: Connection, ident: Ident, old: str, new: Loaded, *, is_view: bool) -> bool:
        """False where the pointer is no longer the old one."""
        changed = db.execute(_SWAP, (new.metadata_location, old, *self._key(ident), old))
        return changed.rowcount == 1

    def rename(self, db: Connection, source: Ident, target: Ident) -> None:
        db.execute(_RENAME, (*self._key(target)[1:], *self._key(source)))

    def remove(self, db: Connection, ident: Ident) -> None:
        db.execute(_REMOVE, self._key(ident))
