"""PEP 249's exceptions, and which of them stands for which of SQE's codes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqe.errors import ErrorCategory, ErrorCode, SqeError, TextPosition


class Warning(Exception):
    """Never raised: SQE has no warnings."""


class Error(Exception):
    """``code`` is stable, ``hint`` says what to do, ``position`` is the place in the statement."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        hint: str = "",
        position: TextPosition | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint
        self.position = position

    def __str__(self) -> str:
        where = f"line {self.position.line}:{self.position.column}: " if self.position else ""
        code = f"[{self.code}] " if self.code else ""
        hint = f" {self.hint}" if self.hint else ""
        return f"{code}{where}{self.message}{hint}"


class InterfaceError(Error):
    """The client was used wrongly: a closed cursor, an unknown option."""


class DatabaseError(Error):
    pass


class DataError(DatabaseError):
    """A value does not fit: a cast, a division by zero, a number out of range."""


class OperationalError(DatabaseError):
    """Not the statement's fault: no login, a limit, a cancel, something that is down."""


class IntegrityError(DatabaseError):
    """A value breaks a rule of the table."""


class InternalError(DatabaseError):
    """A defect in SQE."""


class ProgrammingError(DatabaseError):
    """The statement is wrong, or not allowed to this user."""


class NotSupportedError(DatabaseError):
    """SQE refuses this statement, clause or function."""


_BY_CODE: dict[ErrorCode, type[DatabaseError]] = {
    ErrorCode.NOT_SUPPORTED: NotSupportedError,
    ErrorCode.CONSTRAINT_VIOLATION: IntegrityError,
    ErrorCode.INVALID_CAST: DataError,
    ErrorCode.INVALID_FILE: DataError,
    ErrorCode.DIVISION_BY_ZERO: DataError,
    ErrorCode.NUMERIC_OUT_OF_RANGE: DataError,
    ErrorCode.CANCELLED: OperationalError,
    ErrorCode.KILLED: OperationalError,
    ErrorCode.COMMIT_CONFLICT: OperationalError,
    ErrorCode.INVALID_SETTINGS: OperationalError,
    ErrorCode.QUERY_NOT_FOUND: OperationalError,
    ErrorCode.SESSION_NOT_FOUND: OperationalError,
    ErrorCode.ACCESS_DENIED: ProgrammingError,
}
_BY_CATEGORY: dict[ErrorCategory, type[DatabaseError]] = {
    ErrorCategory.USER: ProgrammingError,
    ErrorCategory.ACCESS: OperationalError,
    ErrorCategory.RESOURCES: OperationalError,
    ErrorCategory.UPSTREAM: OperationalError,
    ErrorCategory.INTERNAL: InternalError,
}


def exception_of(error: SqeError) -> DatabaseError:
    kind = _BY_CODE.get(error.code) or _BY_CATEGORY[error.code.category]
    return kind(error.message, code=error.code.name, hint=error.hint, position=error.position)


@contextmanager
def translate_errors() -> Iterator[None]:
    """Around every call of a transport. The original stays reachable as ``__cause__``."""
    try:
        yield
    except SqeError as error:
        raise exception_of(error) from error
