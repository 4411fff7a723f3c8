"""What is in a backup: its last file, so that a backup that has one is whole.

A JSON object on each line: about the backup, about each file, and at the end how many there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Any

from sqe.errors import ErrorCode, UpstreamError, UserError

NAME = "backup.jsonl"
FORMAT = 1  # another number where an older SQE could not restore it
_END = "end"


@dataclass(frozen=True, slots=True)
class BackedUpFile:
    """``path`` is relative to the home."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Contents:
    """``warehouse``: the names of its folder when it was copied. ``store_version``: of the tables
    in SQE's own database; 0: it was not in the home."""

    sqe: str
    made_at: str
    home: str
    warehouse: tuple[str, ...]
    store_version: int
    tables: int
    views: int
    format: int = FORMAT
    files: list[BackedUpFile] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    def to_bytes(self) -> bytes:
        head = {key: value for key, value in asdict(self).items() if key != "files"}
        end = {_END: True, "files": len(self.files), "size": self.size}
        lines = [head, *(asdict(file) for file in self.files), end]
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def read_contents(content: bytes) -> Contents:
    """INVALID_ARGUMENT for a newer format, CORRUPT_DATA for what is not whole."""
    try:
        lines = [json.loads(line) for line in content.splitlines()]
        head, end = lines[0], lines[-1]
        if head["format"] > FORMAT:
            raise newer(f"of format {head['format']}")
        found = Contents(**{**head, "warehouse": tuple(head["warehouse"])})
        found.files.extend(_files(lines[1:-1]))
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise damage_of(f"its list of files, {NAME}, cannot be read") from error
    if not end.get(_END) or (len(found.files), found.size) != (end.get("files"), end.get("size")):
        raise damage_of(f"its list of files, {NAME}, is cut")
    return found


def _files(lines: list[Any]) -> Iterator[BackedUpFile]:
    seen = set()
    for line in lines:
        file = BackedUpFile(**line)
        if not is_safe(file.path) or file.path in seen:
            raise ValueError(file.path)
        seen.add(file.path)
        yield file


def is_safe(path: str) -> bool:
    """It stays inside of the folder that it is joined to."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\0" not in path


def damage_of(why: str) -> UpstreamError:
    return UpstreamError(
        ErrorCode.CORRUPT_DATA,
        f"The backup is not whole: {why}.",
        hint="Nothing was restored. Use another backup.",
    )


def newer(what: str) -> UserError:
    return UserError(
        ErrorCode.INVALID_ARGUMENT,
        f"The backup was made by a newer SQE ({what}).",
        hint="Restore it with that version.",
    )
