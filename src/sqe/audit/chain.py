"""Lines that are chained: each has a digest of itself and of the line before it.

Who changes, removes or moves a line breaks the chain there, and nobody mends it without writing all
lines behind it anew. That, and a file that is cut at its end, shows where a digest that was seen
earlier is not in the file any more.

A file that has grown large enough gets a number behind its name. The first line of the next one
holds the last digest of it, so the chain goes on from file to file.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import logging
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

_log = logging.getLogger(__name__)
CONTINUED = "file_continued"  # the event of a file's first line, if it goes on after another
START = "0" * 64  # in place of a digest before the first line
_CHAIN = re.compile(rb', "chain": "([0-9a-f]{64})"\}\Z')
_BEFORE = re.compile(rb'"event": "' + CONTINUED.encode() + rb'", "before": "([0-9a-f]{64})"')
_TAIL = 1 << 20  # bytes of the end that are read: a line is shorter


def chain_line(body: str, before: str) -> tuple[bytes, str]:
    """A line of a JSON object, and its digest. ``before``: the digest of the line before it."""
    raw = body.encode("utf-8", "replace")
    digest = hashlib.sha256(before.encode() + raw).hexdigest()
    return raw[:-1] + f', "chain": "{digest}"}}\n'.encode(), digest


class ChainedFile:
    """Appends to a file that only its owner may read. Processes may share it, with the same
    ``most_bytes``; threads of one must not call it at once. A file of ``most_bytes`` or more is
    followed by another; 0: never."""

    def __init__(self, path: Path, most_bytes: int = 0) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._most_bytes = most_bytes
        self._file = _open(path)
        self._end = -1  # of what ``_digest`` is about
        self._digest = START
        self._cannot_rotate = False

    def append(self, body: str) -> None:
        try:
            self._lock()
            if os.fstat(self._file).st_size != self._end:
                self._read_end()
            if 0 < self._most_bytes <= self._end:
                self._rotate()
            line, digest = chain_line(body, self._digest)
            self._write(line)
            self._digest, self._end = digest, self._end + len(line)
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def _lock(self) -> None:
        """The file that has the name now: another process may have begun a new one."""
        fcntl.flock(self._file, fcntl.LOCK_EX)
        while self._most_bytes and not self._has_the_name():
            current, old = _open(self._path), self._file
            self._file, self._end, self._digest = current, -1, START
            os.close(old)
            fcntl.flock(current, fcntl.LOCK_EX)

    def _has_the_name(self) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._file))
        except FileNotFoundError:
            return False

    def _rotate(self) -> None:
        """Where that fails the old file goes on: a long one is better than a lost line."""
        fresh_path = self._path.with_name(self._path.name + ".new")
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        body = json.dumps({"time": now, "event": CONTINUED, "before": self._digest})
        line, digest = chain_line(body, self._digest)
        fresh = -1
        try:
            fresh_path.unlink(missing_ok=True)  # of a process that was killed
            fresh = _open(fresh_path)
            fcntl.flock(fresh, fcntl.LOCK_EX)
            _write_whole(fresh, line, 0)
            files = list_files(self._path)
            if len(files) == 1 or not os.path.samefile(files[-2], self._path):
                os.link(self._path, _next_name(files))
            os.rename(fresh_path, self._path)  # at no time there is no file of the name
        except OSError as error:
            if fresh >= 0:
                os.close(fresh)
            with suppress(OSError):
                fresh_path.unlink(missing_ok=True)
            if not self._cannot_rotate:
                _log.error("%s cannot be followed by a new file: %s", self._path, error)
            self._cannot_rotate = True
            return
        old, self._file = self._file, fresh
        self._digest, self._end, self._cannot_rotate = digest, len(line), False
        os.close(old)

    def _write(self, line: bytes) -> None:
        _write_whole(self._file, line, self._end)

    def close(self) -> None:
        os.close(self._file)

    def _read_end(self) -> None:
        """Somebody else has written, or wrote when this process was not there."""
        size = os.fstat(self._file).st_size
        tail = os.pread(self._file, min(size, _TAIL), max(0, size - _TAIL))
        if tail and not tail.endswith(b"\n"):  # the disk was full, or its process killed
            size += os.write(self._file, b"\n")
        self._end = size
        last = tail.rstrip(b"\n").rpartition(b"\n")[2]
        self._digest = _digest_of(last) or START


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)


def _write_whole(file: int, line: bytes, before: int) -> None:
    """All of it, or nothing: of a line that fits in part, the beginning is taken back. ``before``:
    the size of the file."""
    if os.write(file, line) < len(line):
        os.ftruncate(file, before)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def list_files(path: Path) -> list[Path]:
    """The files of a chain, the oldest first; ``path`` is the last."""
    pattern = re.compile(re.escape(path.name) + r"\.\d{6,}")
    numbered = [file for file in path.parent.iterdir() if pattern.fullmatch(file.name)]
    return [*sorted(numbered, key=_number_of), path]


def _number_of(file: Path) -> int:
    return int(file.suffix[1:])


def _next_name(files: list[Path]) -> Path:
    last = _number_of(files[-2]) if len(files) > 1 else 0
    return files[-1].with_name(f"{files[-1].name}.{last + 1:06}")


@dataclass
class Verdict:
    """``faults``: the numbers of lines that do not fit, and why. ``unchained``: lines at the
    beginning that are older than the chain."""

    lines: int = 0
    unchained: int = 0
    last: str = START
    faults: list[tuple[int, str]] = field(default_factory=list)
    contains: bool = True


def verify_all(path: Path, contains: str = "") -> list[tuple[Path, Verdict]]:
    """Each file of the chain. The oldest ones may be gone; none may be missing between others."""
    verdicts: list[tuple[Path, Verdict]] = []
    after: str | None = None
    for file in list_files(path):
        if file != path and os.path.samefile(file, path):
            continue  # its process was killed just when it was numbered
        verdict = verify(file, contains, after)
        after = verdict.last
        verdicts.append((file, verdict))
    return verdicts


def verify(path: Path, contains: str = "", after: str | None = None) -> Verdict:
    """Reads the whole file. ``contains``: a digest that must be in it. ``after``: the last digest
    of the file before it, where that is there."""
    verdict = Verdict(contains=not contains)
    before, began = START, False
    for number, line in enumerate(_lines(path), start=1):
        verdict.lines = number
        if number == 1:
            match = _BEFORE.search(line)
            before = match[1].decode() if match is not None else START
            if after is not None and after != before:
                why = "it does not go on where the file before it ends: one was changed or removed"
                verdict.faults.append((number, why))
        digest = _digest_of(line)
        if digest is None:
            if began:
                verdict.faults.append((number, "it has no digest: it was cut, or written by hand"))
            else:
                verdict.unchained += 1
            continue
        body = _CHAIN.sub(b"}", line).decode("utf-8", "replace")
        if chain_line(body, before)[1] != digest:
            why = "it, or what stood before it, was changed, removed or moved"
            verdict.faults.append((number, why))
        began, before = True, digest
        verdict.contains = verdict.contains or digest == contains
    verdict.last = before
    return verdict


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        for line in file:
            yield line.rstrip(b"\n")


def _digest_of(line: bytes) -> str | None:
    match = _CHAIN.search(line)
    return match[1].decode() if match is not None else None
