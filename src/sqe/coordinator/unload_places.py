"""Where COPY … TO writes: into folders of this machine, and to object stores."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from sqe.coordinator.unload_folders import UnloadFolders
from sqe.engines.protocol import Run
from sqe.errors import AccessError, ErrorCode
from sqe.model.object_paths import SCHEME

if TYPE_CHECKING:  # HTTP is not needed for files of this machine
    from sqe.engines.locations.locations import Locations


@dataclass(frozen=True)
class UnloadPlaces:
    folders: UnloadFolders = field(default_factory=UnloadFolders)
    locations: Locations | None = None  # None: no object store

    def new_file(
        self, place: str, run: Run, *, overwrite: bool
    ) -> AbstractContextManager[BinaryIO]:
        """A file that is there under its name when the block has ended well, whole and at once;
        else nothing is. What is there already is replaced only with ``overwrite``."""
        if not place.startswith(SCHEME):
            return self.folders.new_file(place, overwrite=overwrite)
        if self.locations is None:
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                "Writing to object stores is not set up on this server.",
                hint="Name what may be written to, and how: [locations.NAME] in the settings.",
            )
        return self.locations.new_object(place, run, overwrite=overwrite)
