"""Polaris's privileges: what each one is enough for, and what each operation needs."""

from __future__ import annotations

from enum import StrEnum


class Privilege(StrEnum):
    """The privileges on a catalog's content. Those on roles and principals are not played here."""

    CATALOG_MANAGE_CONTENT = "CATALOG_MANAGE_CONTENT"
    CATALOG_MANAGE_METADATA = "CATALOG_MANAGE_METADATA"

    NAMESPACE_CREATE = "NAMESPACE_CREATE"
    NAMESPACE_DROP = "NAMESPACE_DROP"
    NAMESPACE_LIST = "NAMESPACE_LIST"
    NAMESPACE_READ_PROPERTIES = "NAMESPACE_READ_PROPERTIES"
    NAMESPACE_WRITE_PROPERTIES = "NAMESPACE_WRITE_PROPERTIES"
    NAMESPACE_FULL_METADATA = "NAMESPACE_FULL_METADATA"

    TABLE_CREATE = "TABLE_CREATE"
    TABLE_DROP = "TABLE_DROP"
    TABLE_LIST = "TABLE_LIST"
    TABLE_READ_PROPERTIES = "TABLE_READ_PROPERTIES"
    TABLE_WRITE_PROPERTIES = "TABLE_WRITE_PROPERTIES"
    TABLE_READ_DATA = "TABLE_READ_DATA"
    TABLE_WRITE_DATA = "TABLE_WRITE_DATA"
    TABLE_FULL_METADATA = "TABLE_FULL_METADATA"
    TABLE_MANAGE_STRUCTURE = "TABLE_MANAGE_STRUCTURE"
    TABLE_ASSIGN_UUID = "TABLE_ASSIGN_UUID"
    TABLE_UPGRADE_FORMAT_VERSION = "TABLE_UPGRADE_FORMAT_VERSION"
    TABLE_ADD_SCHEMA = "TABLE_ADD_SCHEMA"
    TABLE_SET_CURRENT_SCHEMA = "TABLE_SET_CURRENT_SCHEMA"
    TABLE_ADD_PARTITION_SPEC = "TABLE_ADD_PARTITION_SPEC"
    TABLE_REMOVE_PARTITION_SPECS = "TABLE_REMOVE_PARTITION_SPECS"
    TABLE_ADD_SORT_ORDER = "TABLE_ADD_SORT_ORDER"
    TABLE_SET_DEFAULT_SORT_ORDER = "TABLE_SET_DEFAULT_SORT_ORDER"
    TABLE_ADD_SNAPSHOT = "TABLE_ADD_SNAPSHOT"
    TABLE_REMOVE_SNAPSHOTS = "TABLE_REMOVE_SNAPSHOTS"
    TABLE_SET_SNAPSHOT_REF = "TABLE_SET_SNAPSHOT_REF"
    TABLE_REMOVE_SNAPSHOT_REF = "TABLE_REMOVE_SNAPSHOT_REF"
    TABLE_SET_LOCATION = "TABLE_SET_LOCATION"
    TABLE_SET_PROPERTIES = "TABLE_SET_PROPERTIES"
    TABLE_REMOVE_PROPERTIES = "TABLE_REMOVE_PROPERTIES"
    TABLE_SET_STATISTICS = "TABLE_SET_STATISTICS"
    TABLE_REMOVE_STATISTICS = "TABLE_REMOVE_STATISTICS"

    VIEW_CREATE = "VIEW_CREATE"
    VIEW_DROP = "VIEW_DROP"
    VIEW_LIST = "VIEW_LIST"
    VIEW_READ_PROPERTIES = "VIEW_READ_PROPERTIES"
    VIEW_WRITE_PROPERTIES = "VIEW_WRITE_PROPERTIES"
    VIEW_FULL_METADATA = "VIEW_FULL_METADATA"


# What a commit's updates are called, and the smallest privilege that each needs. Whatever is not
# here is UPDATE_TABLE and needs TABLE_WRITE_PROPERTIES.
UPDATES: dict[str, tuple[str, Privilege]] = {
    "assign-uuid": ("ASSIGN_TABLE_UUID", Privilege.TABLE_ASSIGN_UUID),
    "upgrade-format-version": (
        "UPGRADE_TABLE_FORMAT_VERSION",
        Privilege.TABLE_UPGRADE_FORMAT_VERSION,
    ),
    "add-schema": ("ADD_TABLE_SCHEMA", Privilege.TABLE_ADD_SCHEMA),
    "set-current-schema": ("SET_TABLE_CURRENT_SCHEMA", Privilege.TABLE_SET_CURRENT_SCHEMA),
    "add-spec": ("ADD_TABLE_PARTITION_SPEC", Privilege.TABLE_ADD_PARTITION_SPEC),
    "remove-partition-specs": (
        "REMOVE_TABLE_PARTITION_SPECS",
        Privilege.TABLE_REMOVE_PARTITION_SPECS,
    ),
    "add-sort-order": ("ADD_TABLE_SORT_ORDER", Privilege.TABLE_ADD_SORT_ORDER),
    "set-default-sort-order": (
        "SET_TABLE_DEFAULT_SORT_ORDER",
        Privilege.TABLE_SET_DEFAULT_SORT_ORDER,
    ),
    "add-snapshot": ("ADD_TABLE_SNAPSHOT", Privilege.TABLE_ADD_SNAPSHOT),
    "remove-snapshots": ("REMOVE_TABLE_SNAPSHOTS", Privilege.TABLE_REMOVE_SNAPSHOTS),
    "set-snapshot-ref": ("SET_TABLE_SNAPSHOT_REF", Privilege.TABLE_SET_SNAPSHOT_REF),
    "remove-snapshot-ref": ("REMOVE_TABLE_SNAPSHOT_REF", Privilege.TABLE_REMOVE_SNAPSHOT_REF),
    "set-location": ("SET_TABLE_LOCATION", Privilege.TABLE_SET_LOCATION),
    "set-properties": ("SET_TABLE_PROPERTIES", Privilege.TABLE_SET_PROPERTIES),
    "remove-properties": ("REMOVE_TABLE_PROPERTIES", Privilege.TABLE_REMOVE_PROPERTIES),
    "set-statistics": ("SET_TABLE_STATISTICS", Privilege.TABLE_SET_STATISTICS),
    "remove-statistics": ("REMOVE_TABLE_STATISTICS", Privilege.TABLE_REMOVE_STATISTICS),
}
OTHER_UPDATE = ("UPDATE_TABLE", Privilege.TABLE_WRITE_PROPERTIES)
_NOT_STRUCTURE = {Privilege.TABLE_ADD_SNAPSHOT, Privilege.TABLE_SET_SNAPSHOT_REF}


def _metadata_of(kind: str) -> dict[Privilege, set[Privilege]]:
    """What is enough for the privileges on the metadata of a kind of object, besides itself."""
    create, listed, read, write, full = (
        Privilege[f"{kind}_{what}"]
        for what in ("CREATE", "LIST", "READ_PROPERTIES", "WRITE_PROPERTIES", "FULL_METADATA")
    )
    return {
        create: {full},
        Privilege[f"{kind}_DROP"]: {full},
        listed: {full, create, read, write},
        read: {full, write},
        write: {full},
        full: set(),
    }


def _enough() -> dict[Privilege, frozenset[Privilege]]:
    sufficient: dict[Privilege, set[Privilege]] = {}
    for kind in ("NAMESPACE", "TABLE", "VIEW"):
        sufficient |= _metadata_of(kind)
    data = {Privilege.TABLE_READ_DATA, Privilege.TABLE_WRITE_DATA}
    sufficient[Privilege.TABLE_LIST] |= data
    sufficient[Privilege.TABLE_READ_PROPERTIES] |= data
    sufficient[Privilege.TABLE_WRITE_PROPERTIES] |= {Privilege.TABLE_WRITE_DATA}
    writers = {Privilege.TABLE_WRITE_PROPERTIES, *sufficient[Privilege.TABLE_WRITE_PROPERTIES]}
    for _, privilege in UPDATES.values():
        structure = set() if privilege in _NOT_STRUCTURE else {Privilege.TABLE_MANAGE_STRUCTURE}
        sufficient[privilege] = writers | structure
    for supers in sufficient.values():
        supers |= {Privilege.CATALOG_MANAGE_METADATA}
    sufficient[Privilege.TABLE_READ_DATA] = {Privilege.TABLE_WRITE_DATA}
    for privilege in Privilege:
        sufficient.setdefault(privilege, set())
        sufficient[privilege] |= {privilege, Privilege.CATALOG_MANAGE_CONTENT}
    return {privilege: frozenset(supers) for privilege, supers in sufficient.items()}


# Each privilege with those that imply it, itself included. Metadata never implies data.
ENOUGH = _enough()
