r"""Results in files (``\g file``, ``\o file``): what is in them, their name says."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sqe.cli.formats import OutputFormat
from sqe.cli.formats.output import Output
from sqe.cli.formats.writer import ResultWriter, writer_to
from sqe.errors import ErrorCode, UserError

_ENDINGS = {
    ".txt": OutputFormat.TABLE,
    ".csv": OutputFormat.CSV,
    ".json": OutputFormat.JSON,
    ".jsonl": OutputFormat.JSONL,
    ".ndjson": OutputFormat.JSONL,
    ".parquet": OutputFormat.PARQUET,
    ".arrow": OutputFormat.ARROW,
    ".arrows": OutputFormat.ARROW,
}


class OpenFile:
    """Has its name only when it is kept: before, and where something fails, nothing of it is seen,
    and a file of that name stays as it is."""

    def __init__(self, name: str) -> None:
        self.path = Path(name).expanduser()
        ending = self.path.suffix.lower()
        if ending not in _ENDINGS:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"{name} does not say its format.",
                hint=f"End the name in {', '.join(_ENDINGS)}.",
            )
        self._part = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.part")
        try:
            self._file: BinaryIO = self._part.open("xb")
        except OSError as error:
            raise _error_of_file(self.path, error) from error
        self._format = _ENDINGS[ending]
        self._good = 0  # bytes of complete results
        self.writer: ResultWriter = writer_to(self._format, Output(self._file))

    @contextmanager
    def one_result(self) -> Iterator[ResultWriter]:
        """What a statement that fails has written is taken back."""
        try:
            yield self.writer
        except BaseException:
            self._file.seek(self._good)
            self._file.truncate()
            self.writer = writer_to(self._format, Output(self._file))
            raise
        self._good = self._file.tell()

    def keep(self) -> None:
        try:
            self._file.close()
            os.replace(self._part, self.path)
        except OSError as error:
            self.discard()
            raise _error_of_file(self.path, error) from error

    def discard(self) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)


def read_text(name: str) -> str:
    path = Path(name).expanduser()
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(ErrorCode.INVALID_TEXT, f"{path} is not UTF-8.") from None
    except OSError as error:
        raise _error_of_file(path, error) from error


def _error_of_file(path: Path, error: OSError) -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, f"{path}: {error.strerror or error}.")
