"""What a file is by its first bytes. Its name may say something else."""

from __future__ import annotations

import json
import re

from sqe.errors import ErrorCode, UserError

HEAD = 4096  # bytes that tell
_SIGNS: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "a Parquet file"),
    (b"ORC", "an ORC file"),
    (b"ARROW1", "an Arrow file"),
    (b"Obj\x01", "an Avro file"),
    (b"\x1f\x8b", "a gzip file"),
    (b"BZh", "a bzip2 file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"PK\x03\x04", "a ZIP file or an Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"%PDF", "a PDF"),
    (b"SQLite format 3\0", "an SQLite database"),
)
_HTML = re.compile(r"\s*<(?:!doctype html|html|head|body)\b", re.IGNORECASE)
_ADVICE = {
    "a gzip file": "Let its name end in .gz.",
    "a bzip2 file": "Let its name end in .bz2.",
    "a zstd file": "Let its name end in .zst.",
    "a ZIP file or an Excel workbook": "Unpack it, or save the sheet as CSV.",
    "an old Excel workbook": "Save the sheet as CSV.",
    "an HTML page": "Was it downloaded without a login? Look into it.",
}
_EXPECTED = {"parquet": "a Parquet file", "orc": "an ORC file"}
_FILE_FORMATS = {
    "a Parquet file": "PARQUET",
    "an ORC file": "ORC",
    "JSON": "JSON",
}


def kind_of(head: bytes) -> str:
    """In words, with its article."""
    for sign, kind in _SIGNS:
        if head.startswith(sign) and not (kind == "an ORC file" and _reads_as_text(head)):
            return kind
    text = head.decode("utf-8", "ignore").lstrip("\ufeff")
    if _HTML.match(text):
        return "an HTML page"
    if text.lstrip().startswith("<?xml"):
        return "XML"
    if _is_json(text):
        return "JSON"
    return "text"


def check_contents(path: str, file_format: str, head: bytes) -> None:
    """An INVALID_FILE error where ``head``, unpacked, is not the beginning of such a file."""
    if not head.strip():
        raise UserError(
            ErrorCode.INVALID_FILE, f"{path} is empty.", hint="Nothing was loaded: leave it out."
        )
    kind = kind_of(head)
    expected = _EXPECTED.get(file_format)
    if kind == expected:
        return
    if expected is None:
        # Text of some kind is a matter for the reader; a CSV file may well begin with "[".
        allowed = {"JSON", "text"} if file_format == "json" else {"text"}
        if kind in allowed:
            return
    wanted = {"csv": "CSV", "json": "JSON", **_EXPECTED}[file_format]
    hint = _ADVICE.get(kind, "")
    if not hint and kind in _FILE_FORMATS:
        word = _FILE_FORMATS[kind]
        hint = f"Load it as what it is: FILEFORMAT = {word} (sqe load --format {word.lower()})."
    seems = "some kind of text" if kind == "text" else kind
    raise UserError(
        ErrorCode.INVALID_FILE, f"{path} is not {wanted}: it seems to be {seems}.", hint=hint
    )


def _reads_as_text(head: bytes) -> bool:
    """A CSV file may begin with the three letters of ORC; an ORC file goes on with bytes."""
    return not any(byte < 9 for byte in head[3:64])


def _is_json(text: str) -> bool:
    """An object on the first line, or a list that begins with one."""
    first = text.lstrip()
    if not first.startswith(("{", "[")):
        return False
    line = first.splitlines()[0]
    try:
        return isinstance(json.loads(line), dict | list)
    except ValueError:
        return bool(re.match(r'\[?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:', first))
