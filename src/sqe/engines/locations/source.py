"""What a COPY names in an object store: an object, a folder, or a pattern below a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sqe.errors import ErrorCode, UserError
from sqe.model.object_paths import ObjectPath, before_pattern, has_pattern, object_path

_HIDDEN = (".", "_")  # Spark's and Hadoop's own files, as in folders of this machine


@dataclass(frozen=True, slots=True)
class ObjectSource:
    """``path`` is spelled as in the statement, signs of a pattern included."""

    path: ObjectPath

    @property
    def is_pattern(self) -> bool:
        return has_pattern(self.path.key)

    @property
    def is_folder(self) -> bool:
        return not self.is_pattern and self.path.folder == self.path

    @property
    def prefix(self) -> str:
        """What the keys of all its objects begin with."""
        return before_pattern(self.path.key)

    @property
    def fixed_part(self) -> ObjectPath:
        """What has to lie in a location: the place itself, or the folder above a pattern."""
        if not self.is_pattern:
            return self.path
        return ObjectPath(self.path.bucket, self.prefix[: self.prefix.rfind("/") + 1])

    @property
    def is_deep(self) -> bool:
        """Whether it has objects in folders below ``fixed``."""
        parts = self.path.key[len(self.fixed_part.key) :].split("/")
        return self.is_pattern and (len(parts) > 1 or parts[-1] == "**")

    def matches(self, key: str) -> bool:
        """Of a listed key, by the rules for files of this machine: hidden ones are left out, and
        ``**`` stands for any folders."""
        if key.endswith("/") or key.rpartition("/")[2].startswith(_HIDDEN):
            return False
        if self.is_pattern:
            return _fits(key.split("/"), self.path.key.split("/"))
        return key.rpartition("/")[0] == self.path.folder.key.rstrip("/")


def object_source(text: str) -> ObjectSource:
    try:
        return ObjectSource(object_path(text))
    except ValueError as error:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{text!r} cannot be loaded: {error}.",
            hint="Write it as s3://bucket/folder/file.",
        ) from None


def _fits(parts: Sequence[str], patterns: Sequence[str]) -> bool:
    """Keeps all places in the patterns that the parts so far may have led to, so that its time
    does not grow with the ways in which several ``**`` can share the folders."""
    if patterns[-1] == "**":  # all files in all folders
        patterns = [*patterns, "*"]
    places = _with_skipped({0}, patterns)
    for part in parts:
        reached = set()
        for place in places:
            pattern = patterns[place] if place < len(patterns) else None
            if pattern is None or (part.startswith(".") and not pattern.startswith(".")):
                continue
            if pattern == "**":
                reached.add(place)
            elif fnmatchcase(part, pattern):
                reached.add(place + 1)
        places = _with_skipped(reached, patterns)
    return len(patterns) in places


def _with_skipped(places: set[int], patterns: Sequence[str]) -> set[int]:
    """``**`` may stand for no folder at all."""
    all_places = set(places)
    for place in range(len(patterns)):
        if place in all_places and patterns[place] == "**":
            all_places.add(place + 1)
    return all_places
