"""``s3://bucket/key``: the places in object stores that settings and statements name."""

from __future__ import annotations

import re
from dataclasses import dataclass

SCHEME = "s3://"
_BUCKET = re.compile(r"[a-z0-9](?:[a-z0-9-]|\.(?!\.)){1,61}[a-z0-9]")
_LONGEST_KEY = 1024  # bytes, S3's own limit
_PATTERN_SIGN = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class ObjectPath:
    """A key that ends in a slash (or is empty) is a folder."""

    bucket: str
    key: str

    def __str__(self) -> str:
        return f"{SCHEME}{self.bucket}/{self.key}"

    @property
    def folder(self) -> ObjectPath:
        """The same place as a folder."""
        key = self.key if self.key.endswith("/") or not self.key else f"{self.key}/"
        return ObjectPath(self.bucket, key)

    def is_below(self, folder: ObjectPath) -> bool:
        """By whole parts: ``s3://b/inbox`` is not below ``s3://b/in/``, ``s3://b/in`` is."""
        return self.bucket == folder.bucket and self.folder.key.startswith(folder.folder.key)


def object_path(text: str) -> ObjectPath:
    """Only spellings that every store, proxy and policy reads alike. ValueError says what is wrong
    with another one."""
    if not text.startswith(SCHEME):
        raise ValueError(f"it does not begin with {SCHEME}")
    bucket, _, key = text.removeprefix(SCHEME).partition("/")
    if not _BUCKET.fullmatch(bucket):
        raise ValueError(f"{bucket[:80]!r} is not the name of a bucket")
    if not key.isprintable() or "\\" in key:
        raise ValueError("it has control characters or a backslash in it")
    if "%" in key:
        raise ValueError("it has a percent sign in it: write the name itself, not encoded")
    if "${" in key:  # a variable, in the store's policies
        raise ValueError("it has ${ in it")
    parts = key.split("/")
    if any(part in (".", "..") for part in parts) or "" in parts[:-1]:
        raise ValueError("it has a part that is empty, . or ..")
    if len(key.encode("utf-8", "surrogatepass")) > _LONGEST_KEY:
        raise ValueError(f"it is longer than {_LONGEST_KEY} bytes")
    return ObjectPath(bucket, key)


def has_pattern(key: str) -> bool:
    return _PATTERN_SIGN.search(key) is not None


def before_pattern(key: str) -> str:
    """What is before the first sign of a pattern; all of it where there is none."""
    sign = _PATTERN_SIGN.search(key)
    return key if sign is None else key[: sign.start()]
