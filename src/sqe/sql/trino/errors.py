"""What is wrong with a Trino statement, under the name Trino gives it."""

from __future__ import annotations

import re

from sqe.errors import ErrorCode, SqeError, error_of
from sqe.sql.statement import position_at

# Trino's names that are codes of ours under another name; those of the same name need no entry.
_CODES = {
    "DIVISION_BY_ZERO": ErrorCode.DIVISION_BY_ZERO,
    "FUNCTION_NOT_FOUND": ErrorCode.FUNCTION_NOT_FOUND,
    "INVALID_CAST_ARGUMENT": ErrorCode.INVALID_CAST,
    "INVALID_FUNCTION_ARGUMENT": ErrorCode.INVALID_ARGUMENT,
    "INVALID_LITERAL": ErrorCode.INVALID_ARGUMENT,
    "NUMERIC_VALUE_OUT_OF_RANGE": ErrorCode.NUMERIC_OUT_OF_RANGE,
    "PERMISSION_DENIED": ErrorCode.ACCESS_DENIED,
    "TYPE_NOT_FOUND": ErrorCode.TYPE_MISMATCH,
}


class Refused(Exception):
    """Raised inside the translation, where only the offset is known; see ``told``."""

    def __init__(self, name: str, message: str, at: int | None = None) -> None:
        super().__init__(message)
        self.name = name
        self.message = message
        self.at = at

    def told(self, text: str) -> SqeError:
        """The error as everyone else knows them. ``text`` is the one that ``at`` counts in."""
        position = position_at(text, self.at) if self.at is not None else None
        return error_of(code_of(self.name), self.message, position=position, trino=self.name)


def code_of(name: str) -> ErrorCode:
    """Our code for one of Trino's names."""
    if name in _CODES:
        return _CODES[name]
    return ErrorCode.__members__.get(name, ErrorCode.USER_ERROR)


def not_supported(what: str, at: int) -> Refused:
    """Trino has it, SQE cannot answer it as Trino would."""
    return Refused("NOT_SUPPORTED", f"{what} is not supported", at)


def mismatch(message: str, at: int) -> Refused:
    return Refused("TYPE_MISMATCH", message, at)


_RAISED = re.compile(r"SQE:TRINO:([A-Z_]+):(.*)", re.DOTALL)


def raised_error(message: str) -> SqeError | None:
    """The error that a translated text raised on purpose, from an engine's message; see
    ``typed.raised``."""
    found = _RAISED.search(message)
    if found is None:
        return None
    return error_of(code_of(found[1]), found[2].strip(), trino=found[1])
