"""Tables inside of another's location: remove_orphan_files would take their files for orphans."""

from __future__ import annotations

import os
from collections.abc import Iterator

from sqe.binding.bound import BoundTable
from sqe.broker.s3_folder import S3Folder
from sqe.broker.storage import for_spark
from sqe.catalog.embedded.disks import local_path
from sqe.catalog.overlaps import table_within
from sqe.catalog.protocol import Catalog, Loaded, Namespace
from sqe.catalog.s3_place import s3_url
from sqe.errors import ErrorCode, UserError

_METADATA = (".metadata.json", ".metadata.json.gz")
_LISTING_S = 600.0


def check_neighbours(table: BoundTable, location: str, catalog: Catalog) -> None:
    """Files of a table inside of this one's location are not this one's, yet no orphans."""
    hidden: list[Namespace] = []
    within = table_within(catalog, location, table.ident, hidden)
    if within is not None or (hidden and _has_metadata_of_others(table, location)):
        # Which one it is may not be the user's to know.
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"Another table lies inside of {table.name}'s location: its files would be taken for "
            "orphans.",
            hint="Give location => … a folder of this table's own, such as its data folder.",
        )


def _has_metadata_of_others(table: BoundTable, location: str) -> bool:
    """Tables that the user may not see are found by their files: each has metadata files, in
    another folder than this one's."""
    assert table.loaded is not None  # noqa: S101  it is there
    own = _spell(_metadata_folder(table.loaded))
    return any(
        file.endswith(_METADATA) and file.rpartition("/")[0] != own
        for file in _files(table, table.loaded, location)
    )


def _metadata_folder(loaded: Loaded) -> str:
    properties = loaded.metadata.get("properties") or {}
    folder = properties.get("write.metadata.path") or f"{_root(loaded)}/metadata"
    return str(folder).rstrip("/")


def _root(loaded: Loaded) -> str:
    return str(loaded.metadata["location"]).rstrip("/")


def _spell(location: str) -> str:
    """As ``_files`` spells it."""
    return s3_url(location) or local_path(location) or location


def _files(table: BoundTable, loaded: Loaded, location: str) -> Iterator[str]:
    path = local_path(location)
    if path is None:
        config = for_spark(loaded, table.ident, table.name).config
        yield from S3Folder(location, config).names(_LISTING_S)
        return
    for folder, _, names in os.walk(path):
        yield from (f"{folder}/{name}" for name in names)
