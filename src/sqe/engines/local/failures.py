"""DuckDB's errors in our terms: the one place where they are translated."""

from __future__ import annotations

import re

from sqe.errors import ErrorCategory, ErrorCode, SqeError, error_of


class LocalFailed(Exception):
    """The local engine failed for reasons of its own before the first row: Spark can still run the
    query. The message says why, in words for people."""


# The generator writes errors of Spark's kind into the SQL: error('SQE:DIVISION_BY_ZERO:…').
_OURS = re.compile(r"\bSQE:([A-Z_]+):(.*)", re.DOTALL)

# What is the user's, by the beginning of DuckDB's message. Arrow's reader passes on the text only,
# so there are no classes to go by. The codes are those that Spark's errors get.
USER: tuple[tuple[str, ErrorCode], ...] = (
    (r"Out of Range Error: ", ErrorCode.NUMERIC_OUT_OF_RANGE),
    (r"Conversion Error: (date|time|timestamp) field value", ErrorCode.INVALID_CAST),
    (r"Conversion Error: Could not cast value .* to DECIMAL", ErrorCode.NUMERIC_OUT_OF_RANGE),
    (r"Conversion Error: Failed to cast decimal value", ErrorCode.NUMERIC_OUT_OF_RANGE),
    (r"Conversion Error: .*out of range", ErrorCode.NUMERIC_OUT_OF_RANGE),
    (r"Conversion Error: .*[Oo]verflow", ErrorCode.NUMERIC_OUT_OF_RANGE),
    (r"Conversion Error: ", ErrorCode.INVALID_CAST),
    (r"Invalid Input Error: More than one row returned by a subquery", ErrorCode.USER_ERROR),
)
# What is DuckDB's own, once rows have gone out.
OWN: tuple[tuple[str, ErrorCode], ...] = (
    (r"INTERRUPT Error: ", ErrorCode.ENGINE_LOST),  # by nobody who asked for it: SQE is closing
    (r"No space left on device|max_temp_directory_size", ErrorCode.DISK_FULL),
    (r"Out of Memory Error: ", ErrorCode.OUT_OF_MEMORY),
    (r"(IO|HTTP) Error: |Invalid Input Error: .*(file|[Pp]arquet)", ErrorCode.CORRUPT_DATA),
    (r"Invalid Error: .*(decompress|page|thrift|Snappy|TProtocol)", ErrorCode.CORRUPT_DATA),
)
_KIND = re.compile(r"^(?:[A-Z][\w]*: )?[A-Z][A-Za-z ]+ Error: ")
_PLACE = re.compile(r"\n\s*\nLINE \d+:.*", re.DOTALL)


def translate(error: Exception, *, rows_sent: bool) -> Exception:
    """A user's error as it is on Spark; any other as LocalFailed while Spark can still step in."""
    if isinstance(error, SqeError | LocalFailed):
        return error
    message = str(error)
    ours = _OURS.search(message)
    if ours and ours[1] in ErrorCode.__members__:
        code = ErrorCode[ours[1]]
        if code.category is ErrorCategory.USER:
            return error_of(code, ours[2].strip())
    users = code_of(message, USER)
    if users is not None:
        return error_of(users, _clean(message))
    if not rows_sent:
        return LocalFailed(_clean(message))
    return error_of(code_of(message, OWN) or ErrorCode.ENGINE_ERROR, _clean(message))


def code_of(message: str, table: tuple[tuple[str, ErrorCode], ...]) -> ErrorCode | None:
    for pattern, code in table:
        if re.search(pattern, message, re.DOTALL):
            return code
    return None


def _clean(message: str) -> str:
    text = _KIND.sub("", _PLACE.sub("", message)).strip()
    return re.sub(r"\s*\n\s*", " ", text)[:2_000] or "DuckDB gave no reason."
