"""Paths on this machine that a statement names, and the folders they may lie in."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from sqe.errors import ErrorCode, UserError

_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]*):(?=//)")


def local_path(place: str, not_yet: str, hint: str, whole_path: str) -> str:
    """The absolute path that ``place`` spells, maybe as ``file://…``. ``not_yet`` says why another
    scheme, its ``{}``, is refused, with ``hint``; ``whole_path`` how to spell a path."""
    scheme = _SCHEME.match(place)
    if scheme is not None and scheme["scheme"].lower() != "file":
        raise UserError(ErrorCode.NOT_SUPPORTED, not_yet.format(scheme["scheme"]), hint=hint)
    path = place[len("file://") :] if scheme is not None else place
    if not os.path.isabs(path) or "\0" in path:
        raise not_whole(place, whole_path)
    return path


def not_whole(place: str, hint: str) -> UserError:
    return UserError(
        ErrorCode.INVALID_ARGUMENT, f"{place!r} is not the whole path of a file.", hint=hint
    )


def real_paths(folders: Sequence[Path]) -> list[str]:
    return [os.path.realpath(folder) for folder in folders]


def lies_in(real: str, roots: Sequence[str]) -> bool:
    """Both are real paths."""
    return any(os.path.commonpath([real, root]) == root for root in roots)
