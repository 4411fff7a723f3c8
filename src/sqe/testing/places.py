"""Where tables and views lie: in their namespace's folder, and never in or around another's."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.catalog.overlaps import inside
from sqe.catalog.protocol import Ident
from sqe.testing.answers import PolarisError
from sqe.testing.visit import Visit

_METADATA = "/metadata/"


def check_location(visit: Visit, ident: Ident, location: object) -> None:
    """A location that the client asks for must be inside the catalog's."""
    if isinstance(location, str) and not visit.lake.catalog.holds(location):
        raise PolarisError(
            403,
            "ForbiddenException",
            f"Invalid locations '[{location}]' for identifier '{ident}':"
            f" it is not in the list of allowed locations: [{visit.lake.base}]",
        )


def new_location(visit: Visit, ident: Ident, wanted: object) -> object:
    """What is asked for, or the name in the folder of its namespace, if nothing else is there."""
    default = f"{visit.lake.namespace_location(ident.namespace)}{ident.name}"
    location = wanted if wanted is not None else default
    check_overlap(visit, ident, str(location))
    return location


def check_overlap(visit: Visit, ident: Ident, location: str) -> None:
    """Polaris looks at the tables, views and namespaces beside it."""
    for other in _beside(visit, ident):
        if inside(location, other) or inside(other, location):
            raise PolarisError(
                403,
                "ForbiddenException",
                f"Unable to create entity at location '{location}' because it conflicts with"
                f" existing table or namespace at location '{other}'",
            )


def table_folder(metadata_location: str) -> str:
    """The location of what has its metadata there, as far as the address tells."""
    return metadata_location.rpartition(_METADATA)[0]


def _beside(visit: Visit, ident: Ident) -> Iterator[str]:
    catalog, namespace = visit.lake.catalog, ident.namespace
    for name in [*catalog.list_tables(namespace), *catalog.list_views(namespace)]:
        other = Ident(namespace, name)
        pointer = catalog.find(other) if other != ident else None
        folder = table_folder(pointer.metadata_location) if pointer is not None else ""
        if folder:
            yield folder
    for child in catalog.list_namespaces(namespace):
        yield visit.lake.namespace_location(child)
