"""Where COPY … TO may write: into the folders of the settings, as they really lie."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sqe.engines.locations.bucket import name_taken
from sqe.errors import AccessError, ErrorCode, ResourceError, UserError, is_disk_full
from sqe.files.places import lies_in, local_path, not_whole, real_paths

_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK)


@dataclass(frozen=True)
class UnloadFolders:
    """None: COPY … TO is refused. ``never`` wins: SQE's own home is there."""

    folders: Sequence[Path] = ()
    never: Sequence[Path] = ()

    @contextmanager
    def new_file(self, place: str, *, overwrite: bool) -> Iterator[BinaryIO]:
        """A file that is there under its name when the block has ended well, whole and at once;
        else nothing is. What is there already is replaced only with ``overwrite``."""
        folder, name = self._open_folder(place)
        try:
            if not overwrite and _exists(name, folder):
                raise name_taken(place)
            part = f".{secrets.token_hex(8)}.part"
            try:
                with _disk_failures(place), _new_file(part, folder) as file:
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
                with _disk_failures(place):
                    _name_it(part, name, folder, place, overwrite=overwrite)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(part, dir_fd=folder)
        finally:
            os.close(folder)

    def _open_folder(self, place: str) -> tuple[int, str]:
        """The folder, opened, and the name in it. What is not allowed is refused before anything is
        looked for, so that an answer never tells what else lies on this machine."""
        if not self.folders:
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                "Writing files is not set up on this server.",
                hint="Name the folders it may write to: [unload] folders in the settings.",
            )
        path = _path(place)
        real = os.path.realpath(os.path.dirname(path))
        if not self._allows(real):
            raise _refusal(place)
        try:
            folder = os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError as error:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"The folder of {place} cannot be opened: {error.strerror}.",
                hint="SQE makes no folders: make it first.",
            ) from error
        # It is this folder that is written to, whatever becomes of its name.
        if not self._allows(os.path.realpath(f"/proc/self/fd/{folder}")):
            os.close(folder)
            raise _refusal(place)
        return folder, os.path.basename(path)

    def _allows(self, real: str) -> bool:
        allowed, never = real_paths(self.folders), real_paths(self.never)
        return lies_in(real, allowed) and not lies_in(real, never)


def _path(place: str) -> str:
    how = "Begin it with /, and end it with the name of the file."
    path = local_path(
        place,
        "COPY cannot write to {}://.",
        "It writes to folders of this server, and to s3://… where the settings name locations.",
        how,
    )
    name = os.path.basename(path)
    if name in ("", ".", ".."):
        raise not_whole(place, how)
    if name.startswith((".", "_")):
        raise UserError(
            ErrorCode.INVALID_ARGUMENT, f"{name!r} is hidden: nothing would load such a file."
        )
    return path


@contextmanager
def _new_file(name: str, folder: int) -> Iterator[BinaryIO]:
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW
    with os.fdopen(os.open(name, flags, 0o640, dir_fd=folder), "wb") as file:
        yield file


def _name_it(part: str, name: str, folder: int, place: str, *, overwrite: bool) -> None:
    if overwrite:
        if _exists(name, folder) and not stat.S_ISREG(
            os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        ):
            raise UserError(ErrorCode.INVALID_ARGUMENT, f"{place} is there, and is no file.")
        os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        os.link(part, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise name_taken(place) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if _exists(name, folder):
            raise name_taken(place) from None
        os.rename(part, name, src_dir_fd=folder, dst_dir_fd=folder)


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def _disk_failures(place: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if is_disk_full(error) or error.errno == errno.EFBIG:
            raise ResourceError(
                ErrorCode.DISK_FULL,
                f"{place} cannot be written: {error.strerror}.",
                hint="Nothing is left of it. Write fewer rows, or free some space.",
            ) from error
        raise UserError(
            ErrorCode.INVALID_ARGUMENT, f"{place} cannot be written: {error.strerror}."
        ) from error


def _refusal(place: str) -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"{place} does not lie in a folder that may be written to.",
        hint="[unload] folders in the settings lists them.",
    )
