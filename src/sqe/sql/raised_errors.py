"""Errors that a text raises on purpose while an engine runs it, and their names.

The text calls ``raise_error('SQE:TRINO:NAME:message')``; the engines' error maps read it back here.
"""

from __future__ import annotations

import re

from sqe.errors import ErrorCode, SqeError, error_of

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
_RAISED = re.compile(r"SQE:TRINO:([A-Z_]+):(.*)", re.DOTALL)


def code_of(name: str) -> ErrorCode:
    """Our code for one of Trino's names."""
    if name in _CODES:
        return _CODES[name]
    return ErrorCode.__members__.get(name, ErrorCode.USER_ERROR)


def read_raised_error(message: str) -> SqeError | None:
    """The error that a translated text raised on purpose, from an engine's message; see
    ``trino/dialect/typed.raised``."""
    match = _RAISED.search(message)
    if match is None:
        return None
    return error_of(code_of(match[1]), match[2].strip(), subcode=match[1])
