"""What parts of SQE tell whoever measures them. Of people they tell an ``AccessRecorder``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from time import perf_counter

from sqe.errors import ErrorCategory, ErrorCode, SqeError
from sqe.model.spans import CATALOG
from sqe.model.tracing import trace


class CallOutcome(Enum):
    """How a call of a catalog or of the broker ended."""

    OK = "ok"
    DENIED = "denied"
    ABSENT = "absent"
    CONFLICT = "conflict"
    REFUSED = "refused"  # the request was wrong in another way
    FAILED = "failed"
    UNAVAILABLE = "unavailable"  # no answer


class CredentialsOutcome(Enum):
    """What became of a wish for keys to the files of a table."""

    VENDED = "vended"  # with the table
    RENEWED = "renewed"
    REFUSED = "refused"  # the catalog gives none


class Observer:
    """Each method is called when it has happened, on whatever thread it did, many at a time: it
    is quick and raises nothing. This one keeps nothing."""

    def note_catalog_call(self, catalog: str, outcome: CallOutcome, seconds: float) -> None:
        """One call of a catalog; what was answered from a cache is none."""

    def note_credentials(self, outcome: CredentialsOutcome) -> None: ...

    def note_broker_call(self, operation: str, outcome: CallOutcome, seconds: float) -> None:
        """One request of Spark; ``operation`` is one of the protocol's, in words."""

    def note_decisions(self, decisions: Iterable[str], seconds: float) -> None:
        """Decisions of the policy that were made together: allow, restrict or deny."""


UNOBSERVED = Observer()
_ABSENT = (
    ErrorCode.CATALOG_NOT_FOUND,
    ErrorCode.SCHEMA_NOT_FOUND,
    ErrorCode.TABLE_NOT_FOUND,
    ErrorCode.VIEW_NOT_FOUND,
)


def outcome_of_status(status: int) -> CallOutcome:
    """Of an answer over HTTP."""
    if status < 400:
        return CallOutcome.OK
    named = {
        401: CallOutcome.DENIED,
        403: CallOutcome.DENIED,
        404: CallOutcome.ABSENT,
        409: CallOutcome.CONFLICT,
        419: CallOutcome.DENIED,
        503: CallOutcome.UNAVAILABLE,
    }
    return named.get(status, CallOutcome.REFUSED if status < 500 else CallOutcome.FAILED)


def outcome_of_error(error: BaseException) -> CallOutcome:
    if not isinstance(error, SqeError):
        return CallOutcome.FAILED
    if error.code in _ABSENT:
        return CallOutcome.ABSENT
    if error.code is ErrorCode.COMMIT_CONFLICT:
        return CallOutcome.CONFLICT
    by_category = {
        ErrorCategory.USER: CallOutcome.REFUSED,
        ErrorCategory.ACCESS: CallOutcome.DENIED,
        ErrorCategory.UPSTREAM: CallOutcome.UNAVAILABLE,
    }
    return by_category.get(error.category, CallOutcome.FAILED)


@contextmanager
def observe_call(observer: Observer, catalog: str, operation: str) -> Iterator[None]:
    """Around a call of a catalog that raises where it fails."""
    started, outcome = perf_counter(), CallOutcome.OK
    try:
        with trace(CATALOG, catalog=catalog, operation=operation):
            yield
    except BaseException as error:
        outcome = outcome_of_error(error)
        raise
    finally:
        observer.note_catalog_call(catalog, outcome, perf_counter() - started)
