"""Which tables lie inside of a location. Deleting by folder must know."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from contextlib import contextmanager

from sqe.catalog.protocol import Catalog, Ident, Namespace
from sqe.errors import AccessError, ErrorCode, SqeError

_SCHEME = re.compile(r"^(?:file:(?://)?|(?P<store>s3[an]?://))")
_GONE = (ErrorCode.TABLE_NOT_FOUND, ErrorCode.SCHEMA_NOT_FOUND)


def inside(place: str, location: str) -> bool:
    """Whether the place is the location or below it, by name."""
    return _folder(place).startswith(_folder(location))


def table_within(
    catalog: Catalog, location: str, own: Ident | None, hidden: list[Namespace]
) -> Ident | None:
    """A table, other than ``own``, that lies in the location. Looks at every table that the user
    may see; ``hidden`` gets the schemas where there may be others."""
    for ident, other in _locations(catalog, (), hidden):
        if ident != own and inside(other, location):
            return ident
    return None


def table_around(catalog: Catalog, place: str) -> Ident | None:
    """A table whose location holds the place. Looks at every table."""
    return next((i for i, location in _locations(catalog, ()) if inside(place, location)), None)


def _locations(
    catalog: Catalog, parent: Namespace, hidden: list[Namespace] | None = None
) -> Iterator[tuple[Ident, str]]:
    with _note_hidden(hidden, parent):
        for namespace in catalog.list_namespaces(parent):
            yield from _locations(catalog, namespace, hidden)
            with _note_hidden(hidden, namespace):
                for name in catalog.list_tables(namespace):
                    ident = Ident(namespace, name)
                    location = _location(catalog, ident, hidden)
                    if location:
                        yield ident, location


def _location(catalog: Catalog, ident: Ident, hidden: list[Namespace] | None) -> str:
    try:
        return str(catalog.load_table(ident).metadata.get("location") or "")
    except SqeError as error:
        if error.code not in _GONE:
            raise
    if hidden is not None:  # what is not the user's to load looks as if it were not there
        hidden.append(ident.namespace)
    return ""


@contextmanager
def _note_hidden(hidden: list[Namespace] | None, namespace: Namespace) -> Iterator[None]:
    """Where it is asked for, a schema that may not be listed is noted and left out."""
    try:
        yield
    except AccessError as error:
        if hidden is None or error.code is not ErrorCode.ACCESS_DENIED:
            raise
        hidden.append(namespace)


def _folder(place: str) -> str:
    """One spelling for each place, with a slash behind it."""
    store = ""
    scheme = _SCHEME.match(place)
    if scheme:
        store = "s3:/" if scheme["store"] else ""
        place = place[scheme.end() :]
    return store + posixpath.normpath("/" + place.strip("/")).rstrip("/") + "/"
