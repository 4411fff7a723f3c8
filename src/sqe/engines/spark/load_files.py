"""Which files a COPY may read: those under the folders of the settings, as they really lie, and
copies of what the user may read in object stores."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.errors import AccessError, ErrorCode, UserError
from sqe.files.places import lies_in, local_path, real_paths

if TYPE_CHECKING:  # HTTP is not needed for files of this machine
    from sqe.engines.locations.bucket import RemoteObject
    from sqe.engines.locations.locations import FetchedObject

MOST_FILES = 10_000
UPLOAD = "upload://"
_SENT = re.compile(r"upload-\d+\.([0-9a-f]{20}(?:\.\w+)*)\Z")  # as ``gateway.uploads`` names them
_MAGIC = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class LoadFile:
    """A file by its real path, and what tells whether it is still the same one. One that is
    ``remote`` has no path until it is fetched."""

    path: str
    size: int
    changed: int  # mtime in nanoseconds
    inode: tuple[int, int]
    uploaded: bool = field(default=False, compare=False)  # SQE's own copy of what a client sent
    remote: RemoteObject | None = field(default=None, compare=False)  # what it is a copy of

    @property
    def name(self) -> str:
        """As people know it."""
        return self.remote.name if self.remote is not None else self.path

    @property
    def url(self) -> str:
        return f"file://{self.path}"

    @property
    def key(self) -> str:
        """Short, for the list of files a table has loaded: the same path with the same content."""
        place = self._client_name if self.uploaded else self.path
        text = f"{place}\0{self.size}\0{self.changed}"
        if self.remote is not None:
            text = self.remote.identity
        return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()

    @property
    def may_come_again(self) -> bool:
        """Not so the rows that a client has sent: nobody knows where they are from."""
        return not self.uploaded or bool(self._client_name)

    @property
    def _client_name(self) -> str:
        """Of a file that a client has sent as it is, what stands for its path there."""
        match = _SENT.match(os.path.basename(self.path))
        return match.group(1) if match else ""

    @property
    def unchanged(self) -> bool:
        """Whether the path still leads to this very file."""
        try:
            return os.path.realpath(self.path) == self.path and _file(self.path) == self
        except OSError:
            return False


@dataclass(frozen=True)
class LoadFolders:
    """The folders COPY may read. None: COPY is refused, but for files a request brings along.

    ``never`` wins over both. SQE's own home is there: to load a table's files would be to read the
    table without anyone deciding on it. But for ``uploads`` in it: what clients have sent lies
    there, each file for the one request that brings it along.
    """

    folders: Sequence[Path] = ()
    never: Sequence[Path] = ()
    uploads: Path | None = None

    def find(self, sources: Sequence[str], own: Collection[str] = ()) -> list[LoadFile]:
        """The files that the sources name. ``own`` are real paths the caller may read besides.

        What is not allowed is refused before anything is looked for, so that an answer never tells
        what else lies on this machine.
        """
        roots = real_paths(self.folders)
        never = real_paths(self.never)
        if not roots and not own:
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                "Loading files is not set up on this server.",
                hint="Name the folders it may read: [load] folders in the settings.",
            )
        files: dict[str, LoadFile] = {}
        for source in sources:
            path = _find_upload(source, own) or _path(source)
            for name in _matches(path, roots, own):
                real = os.path.realpath(name)
                uploaded = real in own and self._is_upload(real)
                refused = not _is_allowed(real, roots, own) or lies_in(real, never)
                if refused and not uploaded:
                    raise _denial(source)
                files.setdefault(real, replace(_regular(real, source), uploaded=uploaded))
                if len(files) > MOST_FILES:
                    raise too_many()
        return list(files.values())

    def _is_upload(self, real: str) -> bool:
        return self.uploads is not None and lies_in(real, real_paths([self.uploads]))


def too_many() -> UserError:
    return UserError(
        ErrorCode.INVALID_ARGUMENT,
        f"More than {MOST_FILES:,} files match.",
        hint="Load them in several statements.",
    )


def remote_file(remote: RemoteObject) -> LoadFile:
    """Of an object that has only been listed."""
    return LoadFile("", remote.size, 0, (0, 0), remote=remote)


def file_of_fetched(fetched: FetchedObject) -> LoadFile:
    path = str(fetched.path)
    return replace(_regular(path, fetched.remote.name), remote=fetched.remote)


def _find_upload(source: str, own: Collection[str]) -> str | None:
    """The file of the caller's that the source names as one they have sent."""
    if not source.startswith(UPLOAD):
        return None
    name = source.removeprefix(UPLOAD)
    upload = next((path for path in own if os.path.basename(path) == name), None)
    if upload is None:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{source} was not sent in this session.",
            hint="sqe load --server sends files and loads them.",
        )
    return upload


def _path(source: str) -> str:
    return local_path(
        source,
        "COPY cannot read {}://.",
        "It loads files of this server, and s3://… where the settings name locations.",
        "Begin it with /.",
    )


def _matches(path: str, roots: list[str], own: Collection[str]) -> Iterator[str]:
    """The names a path or pattern stands for; those of hidden files are left out, as Spark does."""
    magic = _MAGIC.search(path)
    fixed = os.path.dirname(path[: magic.start()]) if magic else path
    if not _is_allowed(os.path.realpath(fixed), roots, own):
        raise _denial(path)
    if os.path.lexists(path):  # a name may have the signs of a pattern in it
        names = _inside(path) if os.path.isdir(path) else [path]
    else:
        names = sorted(n for n in glob.iglob(path, recursive=True) if not os.path.isdir(n))
    shown = [name for name in names if not os.path.basename(name).startswith((".", "_"))]
    if not shown:
        raise UserError(ErrorCode.INVALID_ARGUMENT, f"There is no file {path}.")
    yield from shown


def _inside(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.path for entry in entries if not entry.is_dir())


def _is_allowed(real: str, roots: list[str], own: Collection[str]) -> bool:
    return real in own or lies_in(real, roots)


def _regular(real: str, source: str) -> LoadFile:
    try:
        regular_file = _file(real)
    except OSError as error:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT, f"{source} cannot be read: {error.strerror}."
        ) from error
    if regular_file is None:
        raise UserError(ErrorCode.INVALID_ARGUMENT, f"{source} is not a file.")
    if ":" in os.path.basename(real):
        raise UserError(
            ErrorCode.NOT_SUPPORTED, f"{real}: Spark cannot read a file with a colon in its name."
        )
    return regular_file


def _file(real: str) -> LoadFile | None:
    info = os.stat(real, follow_symlinks=False)
    if not stat.S_ISREG(info.st_mode):
        return None
    return LoadFile(real, info.st_size, info.st_mtime_ns, (info.st_dev, info.st_ino))


def _denial(source: str) -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"{source} does not lie in a folder that may be loaded from.",
        hint="[load] folders in the settings lists them.",
    )
