"""A file that may take so much of the disk and no more."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.errors import ErrorCode, ResourceError, disk_full

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

MB = 1024 * 1024
RESERVE = 256 * MB  # left free for everybody else: who writes ends before the disk is full


class LimitedFile(io.FileIO):
    """Empty and private at first; for what goes to an object store when it is whole."""

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(path, "x+b")
        self._folder = path.parent
        self._most = most

    def write(self, data: ReadableBuffer, /) -> int:
        if self.tell() + memoryview(data).nbytes > self._most:
            raise ResourceError(
                ErrorCode.DISK_FULL,
                f"The rows take more than {self._most // MB:,} MB: no object may be larger.",
                hint="Write fewer rows, or raise unload.object_mb in the settings.",
            )
        if shutil.disk_usage(self._folder).free < RESERVE:
            raise disk_full("the rows")
        return super().write(data)
