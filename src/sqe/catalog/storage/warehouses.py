"""The warehouse of a catalog that hands out no keys: a folder, or a place in S3 as each user."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from sqe.catalog.embedded.disks import Disk, Folder
from sqe.errors import ErrorCode, UserError
from sqe.model.access_event import AccessRecorder
from sqe.model.identity import Identity
from sqe.settings import Settings
from sqe.settings.catalogs import WarehouseSettings


class Warehouses(Protocol):
    """One warehouse, as anybody sees it."""

    def open(self, identity: Identity) -> Disk: ...
    def close(self) -> None: ...


class FolderWarehouse:
    """SQE's own account on the machine reads and writes it for everybody."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self, identity: Identity) -> Disk:
        return Folder(self._folder)

    def close(self) -> None:
        """There is nothing to close."""


def warehouses_of(
    name: str, catalog: WarehouseSettings, settings: Settings, recorder: AccessRecorder
) -> Warehouses:
    """``name``: of the catalog. INVALID_SETTINGS."""
    if catalog.storage is None:
        folder = Path(catalog.warehouse)
        require_outside(name, folder, settings.home)
        return FolderWarehouse(folder)
    from sqe.catalog.storage.bucket_warehouse import bucket_warehouse  # HTTP is needed only there

    return bucket_warehouse(name, catalog.warehouse, catalog.storage, settings, recorder)


def describe_identity(catalog: WarehouseSettings, account: str) -> str:
    """As whom users are known, in words; ``account``: of the catalog itself."""
    if catalog.storage is None:
        return account
    files = "their tokens" if catalog.storage.auth == "user" else "mapped credentials"
    return f"{account}; files in S3 by {files}"


def require_outside(name: str, path: Path, home: Path) -> None:
    """The rules for SQE's own tables must not be got round by another catalog of their files."""
    ours, theirs = home.resolve(), path.resolve()
    if theirs.is_relative_to(ours) or ours.is_relative_to(theirs):
        raise UserError(
            ErrorCode.INVALID_SETTINGS,
            f"catalogs.{name}: {path} and SQE's home {home} are one inside the other.",
            hint="Choose a place that is for this catalog alone.",
        )
