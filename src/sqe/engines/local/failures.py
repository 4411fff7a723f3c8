"""DuckDB's errors in our terms: the one place where they are translated."""

from __future__ import annotations

import re

from sqe.engines.local.plan import NotLocal
from sqe.engines.protocol import GaveUp
from sqe.errors import (
    DISK_IS_FULL,
    ErrorCategory,
    ErrorCode,
    SqeError,
    UpstreamError,
    error_of,
)
from sqe.sql.raised_errors import read_raised_error


class LocalFailed(GaveUp):
    """The local engine failed for reasons of its own before the first row: Spark can still run the
    query. The message says why, in words for people."""


class StoreFailed(LocalFailed):
    """The object store cannot be reached from here; Spark may be somewhere else."""

    code = ErrorCode.STORAGE_UNAVAILABLE


def unavailable(why: str) -> SqeError:
    """It is reached and does not answer as it should: for Spark it would not either, for longer."""
    return UpstreamError(
        ErrorCode.STORAGE_UNAVAILABLE,
        f"The object store fails: {why}.",
        hint="Try again; if it stays so, tell the administrator.",
    )


class KeysRefused(UpstreamError):
    """The object store refuses what the catalog gave: another engine would get no other keys."""


def keys_refused(path: str) -> KeysRefused:
    return KeysRefused(
        ErrorCode.STORAGE_UNAVAILABLE,
        f"The object store refuses {object_name(path)} to the keys that the catalog gave for it.",
        hint="The catalog allows it and the store does not: tell the administrator.",
    )


def file_missing(path: str) -> SqeError:
    return UpstreamError(
        ErrorCode.CORRUPT_DATA,
        f"The file {object_name(path)}, which the table needs, is missing or cut.",
        hint="Tell the table's owner; an older snapshot may be whole.",
    )


def object_name(path: str) -> str:
    """The last part: folders have values of partitions in their names."""
    return path.rpartition("/")[2]


# The generator writes errors of Spark's kind into the SQL: error('SQE:DIVISION_BY_ZERO:…'), and
# error('SQE:LOCAL:why') for a value whose answer only Spark knows.
LOCAL = "LOCAL"
_OURS = re.compile(r"(?:[A-Z]\w*: )?Invalid Input Error: SQE:([A-Z_]+):(.*)", re.DOTALL)

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
# Errors of single values. Which of them a query meets first depends on the order of its rows.
OF_VALUES = (
    ErrorCode.DIVISION_BY_ZERO,
    ErrorCode.NUMERIC_OUT_OF_RANGE,
    ErrorCode.INVALID_CAST,
    ErrorCode.INVALID_ARGUMENT,
)
# What is DuckDB's own, once rows have gone out.
_CORRUPT = ErrorCode.CORRUPT_DATA
OWN: tuple[tuple[str, ErrorCode], ...] = (
    (r"INTERRUPT Error: ", ErrorCode.ENGINE_LOST),  # by nobody who asked for it: SQE is closing
    (rf".*({DISK_IS_FULL.pattern}|max_temp_directory_size)", ErrorCode.DISK_FULL),
    (r"Out of Memory Error: ", ErrorCode.OUT_OF_MEMORY),
    (r"HTTP Error: ", ErrorCode.STORAGE_UNAVAILABLE),
    (r"(IO|Serialization) Error: |Invalid Input Error: .*([Ff]ile|[Pp]arquet)", _CORRUPT),
    (r".*(decompress|thrift|TProtocol|GZIP stream|outside file)", _CORRUPT),
    (r".*don't know what type", _CORRUPT),
)
# The compiler multiplies in 18 digits where Spark has more; few products need them.
_NARROW = re.compile(r"Out of Range Error: Overflow in multiplication of DECIMAL\(18\)")
_STORE = re.compile(r"(?:[A-Z]\w*: )?(HTTP|IO) Error: ")
# What the store said, beyond its status: it may quote the keys it was shown.
_ADDRESS = re.compile(r"'((?:https?|s3)://[^']*)'")
_NO_WAY = re.compile(r"Could not (?:connect|resolve)|SSL")  # curl's words
_STATUS = re.compile(r"\bHTTP (?:code )?(\d{3})\b")
_SAID_BY_STORE = re.compile(r"(\(HTTP (?:code )?\d+[^)]*\)|HTTP code \d+|HTTP \d+).*", re.DOTALL)
_PREFIX = re.compile(r"^[A-Z]\w*: ")  # Arrow's own, before DuckDB's
_KIND = re.compile(r"^(?:[A-Z][\w]*: )?[A-Z][A-Za-z ]+ Error: ")
_PLACE = re.compile(r"\n\s*\nLINE \d+:.*", re.DOTALL)


def translate(error: Exception, *, rows_sent: bool) -> Exception:
    """A user's error as it is on Spark; any other as LocalFailed while Spark can still step in."""
    if isinstance(error, SqeError | GaveUp):
        return error
    if (store_error := _of_store(error)) is not None:
        return store_error
    message = str(error)
    raised = read_raised_error(message)
    if raised is not None:
        return raised
    ours = _OURS.match(message)
    if ours and ours[1] == LOCAL:
        return _for_spark(ours[2].strip(), rows_sent)
    if ours and ours[1] in ErrorCode.__members__:
        code = ErrorCode[ours[1]]
        if code.category is ErrorCategory.USER:
            return error_of(code, ours[2].strip())
    message = _PREFIX.sub("", message)
    if _NARROW.match(message):
        return _for_spark("a product of decimals needs more than 18 digits", rows_sent)
    users = code_of(message, USER)
    if users is not None:
        several = "More than one row returned by a subquery" in message
        return error_of(users, _clean(message), subcode="SUBQUERY_MULTIPLE_ROWS" if several else "")
    if not rows_sent:
        return LocalFailed(_clean(message))
    return error_of(code_of(message, OWN) or ErrorCode.ENGINE_ERROR, _clean(message))


def is_interrupt(error: Exception) -> bool:
    return bool(re.match(r"(?:[A-Z]\w*: )?INTERRUPT Error: ", str(error)))


def of_store(error: Exception) -> bool:
    """Whether DuckDB speaks of an object store."""
    message = str(error)
    return bool(_STORE.match(message) and _ADDRESS.search(message))


def _of_store(error: Exception) -> Exception | None:
    """What the store said is cut off, also for whoever logs the cause of what is raised here."""
    message = str(error)
    if not _STORE.match(message):
        return None
    address, status = _ADDRESS.search(message), _STATUS.search(message)
    message = _SAID_BY_STORE.sub(r"\1", message)
    error.args = (message,)
    if address is None:  # of this machine's disk
        return None
    if status and status[1] in ("401", "403"):
        return keys_refused(address[1])
    if status and status[1] == "404":
        return file_missing(address[1])
    why = _clean(_ADDRESS.sub(lambda found: object_name(found[1]), message))
    return StoreFailed(why) if _NO_WAY.search(message) else unavailable(why.rstrip("."))


def _for_spark(why: str, rows_sent: bool) -> Exception:
    if not rows_sent:
        return NotLocal(why)
    message = f"The local engine met a row that is Spark's, after it had sent others: {why}."
    hint = "SET SESSION sqe.engine = 'spark'."
    return UpstreamError(ErrorCode.ENGINE_ERROR, message, hint=hint)


def code_of(message: str, table: tuple[tuple[str, ErrorCode], ...]) -> ErrorCode | None:
    for pattern, code in table:
        if re.match(pattern, message, re.DOTALL):
            return code
    return None


def _clean(message: str) -> str:
    text = _KIND.sub("", _PLACE.sub("", message)).strip()
    return re.sub(r"[\s\x00-\x1f]+", " ", text).strip()[:2_000] or "DuckDB gave no reason."
