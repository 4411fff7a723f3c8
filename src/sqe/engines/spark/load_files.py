"""Which files a COPY may read: those under the folders of the settings, as they really lie."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

from sqe.errors import AccessError, ErrorCode, UserError

MOST_FILES = 10_000
_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]*):(?=//)")
_MAGIC = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class LoadFile:
    """A file by its real path, and what tells whether it is still the same one."""

    path: str
    size: int
    changed: int  # mtime in nanoseconds
    inode: tuple[int, int]
    uploaded: bool = field(default=False, compare=False)  # SQE's own copy of what a client sent

    @property
    def url(self) -> str:
        return f"file://{self.path}"

    @property
    def key(self) -> str:
        """Short, for the list of files a table has loaded: the same path with the same content."""
        text = f"{self.path}\0{self.size}\0{self.changed}"
        return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()

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
        roots = _real(self.folders)
        never = _real(self.never)
        if not roots and not own:
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                "Loading files is not set up on this server.",
                hint="Name the folders it may read: [load] folders in the settings.",
            )
        found: dict[str, LoadFile] = {}
        for source in sources:
            path = _path(source)
            for name in _matches(path, roots, own):
                real = os.path.realpath(name)
                uploaded = real in own and self._is_upload(real)
                refused = not _allowed(real, roots, own) or _lies_in(real, never)
                if refused and not uploaded:
                    raise _denied(source)
                found.setdefault(real, replace(_regular(real, source), uploaded=uploaded))
                if len(found) > MOST_FILES:
                    raise UserError(
                        ErrorCode.INVALID_ARGUMENT,
                        f"More than {MOST_FILES:,} files match.",
                        hint="Load them in several statements.",
                    )
        return list(found.values())

    def _is_upload(self, real: str) -> bool:
        return self.uploads is not None and _lies_in(real, _real([self.uploads]))


def _path(source: str) -> str:
    scheme = _SCHEME.match(source)
    if scheme is not None and scheme.group("scheme").lower() != "file":
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"COPY cannot read {scheme.group('scheme')}:// yet: nothing says which of it you may"
            " read.",
            hint="Load files from a folder of this server.",
        )
    path = source[len("file://") :] if scheme is not None else source
    if not os.path.isabs(path) or "\0" in path:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{source!r} is not the whole path of a file.",
            hint="Begin it with /.",
        )
    return path


def _matches(path: str, roots: list[str], own: Collection[str]) -> Iterator[str]:
    """The names a path or pattern stands for; those of hidden files are left out, as Spark does."""
    magic = _MAGIC.search(path)
    fixed = os.path.dirname(path[: magic.start()]) if magic else path
    if not _allowed(os.path.realpath(fixed), roots, own):
        raise _denied(path)
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


def _real(folders: Sequence[Path]) -> list[str]:
    return [os.path.realpath(folder) for folder in folders]


def _allowed(real: str, roots: list[str], own: Collection[str]) -> bool:
    return real in own or _lies_in(real, roots)


def _lies_in(real: str, roots: list[str]) -> bool:
    return any(os.path.commonpath([real, root]) == root for root in roots)


def _regular(real: str, source: str) -> LoadFile:
    try:
        found = _file(real)
    except OSError as error:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT, f"{source} cannot be read: {error.strerror}."
        ) from error
    if found is None:
        raise UserError(ErrorCode.INVALID_ARGUMENT, f"{source} is not a file.")
    if ":" in os.path.basename(real):
        raise UserError(
            ErrorCode.NOT_SUPPORTED, f"{real}: Spark cannot read a file with a colon in its name."
        )
    return found


def _file(real: str) -> LoadFile | None:
    info = os.stat(real, follow_symlinks=False)
    if not stat.S_ISREG(info.st_mode):
        return None
    return LoadFile(real, info.st_size, info.st_mtime_ns, (info.st_dev, info.st_ino))


def _denied(source: str) -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"{source} does not lie in a folder that may be loaded from.",
        hint="[load] folders in the settings lists them.",
    )
