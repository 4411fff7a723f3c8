"""Every error SQE shows anyone.

    SqeError                 code, message, hint, place in the user's text
    ├── UserError            the statement or the input is wrong; change it
    ├── AccessError          this user may not do this
    ├── ResourceError        a limit was reached; later or smaller may work
    ├── UpstreamError        Spark, a catalog or the storage failed
    │   └── Unanswered       … without an answer, or with half of one
    └── InternalError        a defect in SQE

A code is stable: clients may match on it. Its category says whose fault it is, and each protocol
maps codes in its own file.
"""

from __future__ import annotations

import errno
import re
from dataclasses import dataclass
from enum import Enum
from importlib.util import find_spec


class ErrorCategory(Enum):
    USER = "user"
    ACCESS = "access"
    RESOURCES = "resources"
    UPSTREAM = "upstream"
    INTERNAL = "internal"


class ErrorCode(Enum):
    """The stable codes. The value is (category, what it means)."""

    SYNTAX_ERROR = (ErrorCategory.USER, "The text is not valid SQL.")
    EMPTY_STATEMENT = (ErrorCategory.USER, "There is no statement in the text.")
    MULTIPLE_STATEMENTS = (ErrorCategory.USER, "One statement at a time is accepted.")
    STATEMENT_TOO_LARGE = (ErrorCategory.USER, "The text is longer than the limit.")
    STATEMENT_TOO_COMPLEX = (ErrorCategory.USER, "The text is nested deeper than the limit.")
    MESSAGE_TOO_LARGE = (ErrorCategory.USER, "A client's message is larger than the limit.")
    INVALID_TEXT = (ErrorCategory.USER, "The text is not clean UTF-8.")
    NOT_SUPPORTED = (ErrorCategory.USER, "SQE refuses this statement, clause or function.")
    CATALOG_NOT_FOUND = (ErrorCategory.USER, "No such catalog.")
    SCHEMA_NOT_FOUND = (ErrorCategory.USER, "No such schema.")
    TABLE_NOT_FOUND = (ErrorCategory.USER, "No such table or view.")
    VIEW_NOT_FOUND = (ErrorCategory.USER, "No such view.")
    COLUMN_NOT_FOUND = (ErrorCategory.USER, "No such column.")
    FUNCTION_NOT_FOUND = (ErrorCategory.USER, "No such function.")
    VARIABLE_NOT_FOUND = (ErrorCategory.USER, "No such session variable.")
    VARIABLE_ALREADY_EXISTS = (ErrorCategory.USER, "A session variable of this name exists.")
    SNAPSHOT_NOT_FOUND = (ErrorCategory.USER, "No such snapshot, branch or tag.")
    CATALOG_ALREADY_EXISTS = (ErrorCategory.USER, "A catalog of this name exists.")
    SCHEMA_ALREADY_EXISTS = (ErrorCategory.USER, "A schema of this name exists.")
    TABLE_ALREADY_EXISTS = (ErrorCategory.USER, "A table or view of this name exists.")
    FUNCTION_ALREADY_EXISTS = (ErrorCategory.USER, "A function of this name exists.")
    ROLE_NOT_FOUND = (ErrorCategory.USER, "The role does not exist.")
    ROLE_ALREADY_EXISTS = (ErrorCategory.USER, "A role of this name exists.")
    POLICY_NOT_FOUND = (ErrorCategory.USER, "No row filter or column mask has this name.")
    POLICY_ALREADY_EXISTS = (ErrorCategory.USER, "A row filter or column mask has this name.")
    SCHEMA_NOT_EMPTY = (ErrorCategory.USER, "The schema still holds tables or views.")
    AMBIGUOUS_NAME = (ErrorCategory.USER, "The name fits more than one column or table.")
    TYPE_MISMATCH = (ErrorCategory.USER, "The types do not fit the operation.")
    INVALID_ARGUMENT = (ErrorCategory.USER, "A value or parameter is not acceptable.")
    INVALID_CAST = (ErrorCategory.USER, "A value cannot be cast to the type.")
    INVALID_FILE = (ErrorCategory.USER, "A file to load is broken or does not fit the table.")
    DIVISION_BY_ZERO = (ErrorCategory.USER, "Division by zero.")
    NUMERIC_OUT_OF_RANGE = (ErrorCategory.USER, "A number does not fit its type.")
    CONSTRAINT_VIOLATION = (ErrorCategory.USER, "A value breaks a rule of the table.")
    INVALID_SESSION_PROPERTY = (ErrorCategory.USER, "No such session property, or a bad value.")
    SESSION_NOT_FOUND = (ErrorCategory.USER, "The session does not exist or has ended.")
    SESSION_EXPIRED = (ErrorCategory.USER, "The session was idle or open for too long.")
    TRANSACTION_NOT_FOUND = (ErrorCategory.USER, "The transaction does not exist or has ended.")
    QUERY_NOT_FOUND = (ErrorCategory.USER, "The query does not exist or has ended.")
    CANCELLED = (ErrorCategory.USER, "The query was cancelled.")
    KILLED = (ErrorCategory.USER, "Somebody who may do so has ended the query.")
    USER_ERROR = (ErrorCategory.USER, "The engine refused the query as written.")
    INVALID_SETTINGS = (ErrorCategory.USER, "The configuration is wrong.")
    COMMIT_CONFLICT = (ErrorCategory.USER, "Someone else changed the table first.")

    AUTHENTICATION_FAILED = (ErrorCategory.ACCESS, "The credential was not accepted.")
    TOKEN_EXPIRED = (ErrorCategory.ACCESS, "The login has expired and could not be renewed.")
    ACCESS_DENIED = (ErrorCategory.ACCESS, "This user may not do this.")

    TIMEOUT = (ErrorCategory.RESOURCES, "The time limit was reached.")
    TOO_MANY_QUERIES = (ErrorCategory.RESOURCES, "Too many queries are running.")
    QUERY_REJECTED = (ErrorCategory.RESOURCES, "No resource group takes the query.")
    RESULT_TOO_LARGE = (ErrorCategory.RESOURCES, "The result is larger than this user may get.")
    SCAN_TOO_LARGE = (ErrorCategory.RESOURCES, "The query reads more than this user may.")
    TOO_MANY_SESSIONS = (ErrorCategory.RESOURCES, "Too many sessions are open.")
    TOO_MANY_LOGINS = (ErrorCategory.RESOURCES, "Too many logins have failed; wait a little.")
    OUT_OF_MEMORY = (ErrorCategory.RESOURCES, "The memory limit was reached.")
    DISK_FULL = (ErrorCategory.RESOURCES, "The disk has no room left.")
    HOME_IN_USE = (ErrorCategory.RESOURCES, "Another process holds this home or its catalog.")
    PORT_IN_USE = (ErrorCategory.RESOURCES, "A port to listen on is taken, or not allowed.")

    SERVER_UNAVAILABLE = (ErrorCategory.UPSTREAM, "The SQE server cannot be reached.")
    SERVER_LOST = (ErrorCategory.UPSTREAM, "SQE itself ended while the query was running.")
    ENGINE_UNAVAILABLE = (ErrorCategory.UPSTREAM, "Spark cannot be started or reached.")
    ENGINE_LOST = (ErrorCategory.UPSTREAM, "Spark ended while the query was running.")
    ENGINE_ERROR = (ErrorCategory.UPSTREAM, "Spark failed for reasons of its own.")
    CATALOG_UNAVAILABLE = (ErrorCategory.UPSTREAM, "The catalog cannot be reached.")
    ISSUER_UNAVAILABLE = (ErrorCategory.UPSTREAM, "The identity provider cannot be reached.")
    POLICY_UNAVAILABLE = (ErrorCategory.UPSTREAM, "A source of policies gives no answer.")
    STORE_UNAVAILABLE = (ErrorCategory.UPSTREAM, "SQE's own database cannot be used.")
    AUDIT_UNAVAILABLE = (ErrorCategory.UPSTREAM, "What SQE must record cannot be recorded.")
    STORAGE_UNAVAILABLE = (ErrorCategory.UPSTREAM, "The storage refused, or cannot be reached.")
    COMMIT_UNKNOWN = (ErrorCategory.UPSTREAM, "It is not known whether the write happened.")
    CORRUPT_DATA = (ErrorCategory.UPSTREAM, "A data or metadata file is missing or damaged.")

    PLAN_REFUSED = (ErrorCategory.INTERNAL, "The plan was not the one SQE authorised.")
    INTERNAL_ERROR = (ErrorCategory.INTERNAL, "A defect in SQE.")

    @property
    def category(self) -> ErrorCategory:
        return self.value[0]

    @property
    def meaning(self) -> str:
        return self.value[1]


# The name means nothing, or nothing any more.
ABSENT = (ErrorCode.SCHEMA_NOT_FOUND, ErrorCode.TABLE_NOT_FOUND, ErrorCode.VIEW_NOT_FOUND)


@dataclass(frozen=True, slots=True)
class TextPosition:
    """A place in the user's text. Line and column count from 1, in characters."""

    line: int
    column: int
    fragment: str = ""


class SqeError(Exception):
    """An error a person can act on. Raise one of the five subclasses."""

    category: ErrorCategory

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        hint: str = "",
        position: TextPosition | None = None,
        subcode: str = "",
    ) -> None:
        if code.category is not self.category:
            raise TypeError(f"{code.name} is not a code of {type(self).__name__}")
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.position = position
        # A narrower name than the code's, as a dialect has it (READ_ONLY_VIOLATION).
        self.subcode = subcode

    def __str__(self) -> str:
        where = f"line {self.position.line}:{self.position.column}: " if self.position else ""
        hint = f" {self.hint}" if self.hint else ""
        return f"{where}{self.message}{hint}"


class UserError(SqeError):
    category = ErrorCategory.USER


class AccessError(SqeError):
    category = ErrorCategory.ACCESS


class ResourceError(SqeError):
    """``retry_s``: in how many seconds it may work, where that is known."""

    category = ErrorCategory.RESOURCES
    retry_s = 0.0


class UpstreamError(SqeError):
    category = ErrorCategory.UPSTREAM


class Unanswered(UpstreamError):
    """No answer, or not all of it. ``maybe_done``: the service may have got the request."""

    def __init__(self, code: ErrorCode, message: str, *, timed_out: bool, maybe_done: bool) -> None:
        super().__init__(code, message, hint="Try again; if it stays so, tell the administrator.")
        self.timed_out = timed_out
        self.maybe_done = maybe_done


class InternalError(SqeError):
    category = ErrorCategory.INTERNAL


# What the system, SQLite and Java say of a disk without room.
DISK_IS_FULL = re.compile(
    r"No space left on device|Disk quota exceeded|ENOSPC|EDQUOT|database or disk is full"
)


def is_disk_full(error: BaseException) -> bool:
    """Whether it, or what it was raised for, is that there is no room on the disk."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        if not isinstance(cause, SqeError) and DISK_IS_FULL.search(str(cause)):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def disk_full(what: str) -> ResourceError:
    return ResourceError(
        ErrorCode.DISK_FULL,
        f"The disk has no room left for {what}.",
        hint="Free some space and try again; nothing was changed.",
    )


_CLASSES: dict[ErrorCategory, type[SqeError]] = {
    cls.category: cls
    for cls in (UserError, AccessError, ResourceError, UpstreamError, InternalError)
}


def error_of(
    code: ErrorCode,
    message: str,
    *,
    hint: str = "",
    position: TextPosition | None = None,
    subcode: str = "",
) -> SqeError:
    """The error of the class that fits the code, for maps from foreign errors."""
    return _CLASSES[code.category](code, message, hint=hint, position=position, subcode=subcode)


def check_engine(needed_by: str, otherwise: str = "Run") -> None:
    """Raises where only sqe-client is installed. For whoever has found a module missing.

    ``otherwise`` begins the hint, with what helps besides installing the engine.
    """
    if find_spec("sqe.server") is None:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"{needed_by} needs the engine, and only sqe-client is installed.",
            hint=f"{otherwise}: pip install sqe",
        )
