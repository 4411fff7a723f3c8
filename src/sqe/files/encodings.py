"""A file as plain UTF-8: unpacked and decoded, or refused. No character is ever replaced."""

from __future__ import annotations

import bz2
import codecs
import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from sqe.errors import ErrorCode, ResourceError, UserError, is_disk_full
from sqe.files.contents import HEAD, check_contents

_CHUNK = 1 << 20
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNPACKABLE = (".snappy", ".deflate", ".lz4", ".xz", ".zip")
_HINT = "Say how it is written, e.g. encoding=windows-1252 or encoding=latin1."


@dataclass(frozen=True)
class PlainFile:
    """``path`` is the file as the user knows it, ``plain`` where it lies in UTF-8."""

    path: str
    plain: str
    encoding: str  # of the file itself
    marked: bool = False  # ``plain`` begins with a byte order mark

    @contextmanager
    def lines(self) -> Iterator[Iterator[str]]:
        """Its lines with their ends, which are ``\\n``, ``\\r\\n`` or ``\\r``."""
        encoding = "utf-8-sig" if self.marked else "utf-8"
        with open(self.plain, encoding=encoding, newline="") as file:
            yield file


def plain_file(
    path: str, encoding: str, copy: Callable[[], Path], check: Callable[[], None]
) -> PlainFile:
    """Reads all of it once. ``encoding`` is what the user says, or empty. ``copy`` names a new
    file, where one is needed; ``check`` is called while reading and may end it."""
    with open_unpacked(path) as file:
        head = file.read(HEAD)
        known = encoding_of(path, encoding, head)
        chunks = _decode(path, head, file, known)
        if known == "utf-8" and not is_packed(path):
            for _ in chunks:
                check()
            return PlainFile(path, path, known, head.startswith(codecs.BOM_UTF8))
        target = copy()
        with open(target, "wb") as out:
            for text in chunks:
                check()
                out.write(text.encode("utf-8"))
        return PlainFile(path, str(target), known)


def head_of(path: str, encoding: str, size: int) -> tuple[str, str, bool]:
    """The beginning of the file as text, its encoding, and whether that is all of it."""
    with open_unpacked(path) as file:
        head = _read(file, size)
        known = encoding_of(path, encoding, head)
        decoder = codecs.getincrementaldecoder(known)("strict")
        whole = not file.read(1)
        try:
            return decoder.decode(head, final=whole).removeprefix("\ufeff"), known, whole
        except UnicodeDecodeError as error:
            raise _undecodable(path, known, 1 + head[: error.start].count(b"\n"), error) from error


def encoding_of(path: str, encoding: str, head: bytes) -> str:
    """By what the user says, else by the mark at the beginning, else UTF-8. Not text: an error."""
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), "")
    known = marked or "utf-8"
    if encoding:
        known = codec_name(encoding)
        if marked and known.replace("_", "-").startswith(marked):
            known = marked  # the mark also says in which order the bytes are
    if not known.startswith("utf-") or known == "utf-8":
        check_contents(path, "csv", head)
        if known == "utf-8" and head.count(0) * 4 > len(head):
            raise UserError(
                ErrorCode.INVALID_FILE,
                f"{path} is not UTF-8 text: every other byte of it is zero.",
                hint="It may be UTF-16 without a mark: encoding=utf-16le.",
            )
    return known


def codec_name(encoding: str) -> str:
    try:
        known = codecs.lookup(encoding.strip())
    except LookupError as error:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"There is no encoding {encoding!r}.",
            hint="Some that there are: utf-8, utf-16, latin1, windows-1252.",
        ) from error
    if not getattr(known, "_is_text_encoding", True):
        raise UserError(ErrorCode.INVALID_ARGUMENT, f"{encoding!r} is no encoding of text.")
    return "utf-8" if known.name == "utf-8-sig" else known.name


def is_packed(path: str) -> bool:
    return os.path.splitext(path.lower())[1] in _OPENERS


@contextmanager
def open_unpacked(path: str) -> Iterator[BinaryIO]:
    """The bytes of the file, unpacked as the end of its name says."""
    suffix = os.path.splitext(path.lower())[1]
    if suffix in _UNPACKABLE:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"{path}: a CSV file that is packed as {suffix} cannot be read.",
            hint="Use .gz, .bz2 or .zst, or unpack it.",
        )
    try:
        with _OPENERS.get(suffix, _open)(path) as file:
            yield file
    except (EOFError, zlib.error) as error:
        raise _unreadable(path, str(error)) from error
    except OSError as error:
        if is_disk_full(error):  # while a plain copy of it is written
            raise ResourceError(
                ErrorCode.DISK_FULL,
                f"There is no room on SQE's disk for {path} in UTF-8.",
                hint="Nothing was loaded. Free some space, or bring the file in UTF-8, unpacked.",
            ) from error
        raise _unreadable(path, error.strerror or str(error)) from error


def _open(path: str) -> BinaryIO:
    return open(path, "rb")


def _open_zstd(path: str) -> BinaryIO:
    import pyarrow as pa  # the standard library has no zstd yet

    stream: Any = pa.input_stream(path, compression="zstd")
    return cast("BinaryIO", stream)


_OPENERS: dict[str, Callable[[str], BinaryIO]] = {
    ".gz": lambda path: cast("BinaryIO", gzip.GzipFile(path)),
    ".bz2": lambda path: cast("BinaryIO", bz2.BZ2File(path)),
    ".zst": _open_zstd,
}


def _read(file: BinaryIO, size: int) -> bytes:
    """Unpacked files give less than they are asked for."""
    parts, wanted = [], size
    while wanted > 0 and (part := file.read(wanted)):
        parts.append(part)
        wanted -= len(part)
    return b"".join(parts)


def _decode(path: str, head: bytes, file: BinaryIO, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    line, chunk, text = 1, head, ""
    first = True
    while chunk or first:
        try:
            text = decoder.decode(chunk)
        except UnicodeDecodeError as error:
            raise _undecodable(path, encoding, line + _lines(chunk, error), error) from error
        yield text.removeprefix("\ufeff") if first else text
        line += chunk.count(b"\n")
        first, chunk = False, file.read(_CHUNK)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise _undecodable(path, encoding, line, error) from error


def _lines(chunk: bytes, error: UnicodeDecodeError) -> int:
    """Before the error; what the decoder had kept of the chunk before is less than a character."""
    return chunk[: error.start].count(b"\n")


def _undecodable(path: str, encoding: str, line: int, error: UnicodeDecodeError) -> UserError:
    what = error.object[error.start : error.start + 1].hex().upper()
    shown = "UTF-8" if encoding == "utf-8" else encoding
    where = f", line {line}: " if encoding == "utf-8" else ": "
    return UserError(
        ErrorCode.INVALID_FILE,
        f"{path}{where}the byte 0x{what} is not {shown}.",
        hint=f"Nothing was loaded. {_HINT}",
    )


def _unreadable(path: str, why: str) -> UserError:
    return UserError(ErrorCode.INVALID_FILE, f"{path} cannot be read: {why.rstrip('.')}.")
