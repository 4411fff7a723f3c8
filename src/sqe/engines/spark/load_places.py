"""Where COPY finds files: in folders of this machine, and in object stores."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqe.engines.protocol import Run
from sqe.engines.spark.load_files import (
    MOST_FILES,
    LoadFile,
    LoadFolders,
    file_of_fetched,
    remote_file,
    too_many,
)
from sqe.errors import AccessError, ErrorCode
from sqe.model.object_paths import SCHEME

if TYPE_CHECKING:  # HTTP is not needed for files of this machine
    from sqe.engines.locations.bucket import RemoteObject
    from sqe.engines.locations.locations import Locations


@dataclass(frozen=True)
class LoadPlaces:
    folders: LoadFolders = field(default_factory=LoadFolders)
    locations: Locations | None = None  # None: nothing in object stores

    def find(self, sources: Sequence[str], run: Run) -> list[LoadFile]:
        """The files that the sources name, each once; those of object stores are only listed."""
        local = [source for source in sources if not source.startswith(SCHEME)]
        remote = [source for source in sources if source.startswith(SCHEME)]
        files = self.folders.find(local, run.files) if local else []
        if not remote:
            return files
        if self.locations is None:
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                "Loading from object stores is not set up on this server.",
                hint="Name what may be loaded from, and how: [locations.NAME] in the settings.",
            )
        objects: dict[str, RemoteObject] = {}
        for source in remote:
            objects.update(
                {object_file.name: object_file for object_file in self.locations.find(source, run)}
            )
            if len(objects) > MOST_FILES:
                raise too_many()
        return [*files, *map(remote_file, objects.values())]

    def fetch(self, files: Sequence[LoadFile], run: Run, stack: ExitStack) -> tuple[LoadFile, ...]:
        """The same files, with copies of those that are elsewhere; until ``stack`` closes."""
        remote = [file.remote for file in files if file.remote is not None]
        if not remote or self.locations is None:
            return tuple(files)
        fetched = stack.enter_context(self.locations.fetch(remote, run))
        here = [file for file in files if file.remote is None]
        return (*here, *map(file_of_fetched, fetched))
