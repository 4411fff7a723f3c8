"""What is wrong with a Trino statement, under the name Trino gives it."""

from __future__ import annotations

from sqe.errors import SqeError, error_of
from sqe.sql.raised_errors import code_of
from sqe.sql.statement import position_at


class Refused(Exception):
    """Raised inside the translation, where only the offset is known; see ``told``."""

    def __init__(self, name: str, message: str, at: int | None = None) -> None:
        super().__init__(message)
        self.name = name
        self.message = message
        self.at = at

    def to_error(self, text: str) -> SqeError:
        """The error as everyone else knows them. ``text`` is the one that ``at`` counts in."""
        position = position_at(text, self.at) if self.at is not None else None
        return error_of(code_of(self.name), self.message, position=position, subcode=self.name)


def not_supported(what: str, at: int) -> Refused:
    """Trino has it, SQE cannot answer it as Trino would."""
    return Refused("NOT_SUPPORTED", f"{what} is not supported", at)


def mismatch(message: str, at: int) -> Refused:
    return Refused("TYPE_MISMATCH", message, at)
