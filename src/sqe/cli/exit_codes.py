"""What the ``sqe`` command tells the shell that called it."""

from __future__ import annotations

from enum import IntEnum

from sqe.errors import ErrorCategory, ErrorCode, SqeError


class ExitCode(IntEnum):
    OK = 0
    USER_ERROR = 1  # the SQL or the configuration is wrong
    USAGE = 2  # the command line is wrong
    ACCESS = 3
    RESOURCES = 4
    UPSTREAM = 5
    INTERNAL = 6
    CANCELLED = 130  # 128 + SIGINT, as shells have it


MEANINGS = {
    ExitCode.OK: "Everything went well.",
    ExitCode.USER_ERROR: "The SQL or the configuration is wrong; change it.",
    ExitCode.USAGE: "The command line is wrong.",
    ExitCode.ACCESS: "This user may not do this.",
    ExitCode.RESOURCES: "A limit was reached; later or smaller may work.",
    ExitCode.UPSTREAM: "Spark, the catalog or the storage failed; for doctor: a check failed.",
    ExitCode.INTERNAL: "A defect in SQE; the message names the file with the details.",
    ExitCode.CANCELLED: "Cancelled with Ctrl-C.",
}

_BY_CATEGORY = {
    ErrorCategory.USER: ExitCode.USER_ERROR,
    ErrorCategory.ACCESS: ExitCode.ACCESS,
    ErrorCategory.RESOURCES: ExitCode.RESOURCES,
    ErrorCategory.UPSTREAM: ExitCode.UPSTREAM,
    ErrorCategory.INTERNAL: ExitCode.INTERNAL,
}


def exit_code_of(error: SqeError) -> ExitCode:
    if error.code is ErrorCode.CANCELLED:
        return ExitCode.CANCELLED
    return _BY_CATEGORY[error.code.category]
