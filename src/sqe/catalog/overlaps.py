"""Which tables lie inside of a location. Deleting by folder must know."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from sqe.catalog.protocol import Catalog, Ident, Namespace
from sqe.errors import ErrorCode, SqeError

_SCHEME = re.compile(r"^(?:file:(?://)?|(?P<store>s3[an]?://))")
_GONE = (ErrorCode.TABLE_NOT_FOUND, ErrorCode.SCHEMA_NOT_FOUND)


def inside(place: str, location: str) -> bool:
    """Whether the place is the location or below it, by name."""
    return _folder(place).startswith(_folder(location))


def table_within(catalog: Catalog, location: str, own: Ident | None = None) -> Ident | None:
    """A table, other than ``own``, that lies in the location. Looks at every table."""
    for ident, other in _locations(catalog, ()):
        if ident != own and inside(other, location):
            return ident
    return None


def table_around(catalog: Catalog, place: str) -> Ident | None:
    """A table whose location holds the place. Looks at every table."""
    return next((i for i, location in _locations(catalog, ()) if inside(place, location)), None)


def _locations(catalog: Catalog, parent: Namespace) -> Iterator[tuple[Ident, str]]:
    for namespace in catalog.list_namespaces(parent):
        yield from _locations(catalog, namespace)
        for name in catalog.list_tables(namespace):
            ident = Ident(namespace, name)
            try:
                location = catalog.load_table(ident).metadata.get("location")
            except SqeError as error:
                if error.code not in _GONE:
                    raise
                continue  # dropped in the meantime
            if location:
                yield ident, str(location)


def _folder(place: str) -> str:
    """One spelling for each place, with a slash behind it."""
    store = ""
    found = _SCHEME.match(place)
    if found:
        store = "s3:/" if found["store"] else ""
        place = place[found.end() :]
    return store + posixpath.normpath("/" + place.strip("/")).rstrip("/") + "/"
