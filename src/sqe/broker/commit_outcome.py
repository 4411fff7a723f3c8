"""What became of a query's changes. The broker passes them on, so it knows better than Spark."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from sqe.catalog.protocol import Loaded
from sqe.errors import ErrorCode, SqeError, Unanswered, UserError
from sqe.results.cancellation import Cancellation

# The catalog failed in the middle: the change may be there or not.
_OPEN = (ErrorCode.CATALOG_UNAVAILABLE, ErrorCode.TIMEOUT, ErrorCode.INTERNAL_ERROR)
_SETTLE_S = 30.0


class CommitOutcome:
    """One query's changes to one table. Safe to use from any thread.

    ``settle`` is the fence: it waits for a change that is on its way to the catalog and lets no
    other pass. What the properties say afterwards is final.
    """

    def __init__(
        self, cancellation: Cancellation | None = None, *, one_change: bool = True
    ) -> None:
        """``one_change``: with the first change that arrives the query has succeeded."""
        self._cancellation = cancellation or Cancellation()
        self._one_change = one_change
        self._news = threading.Condition()
        self._settled = False
        self._under_way = 0
        self._changes = 0
        self._unknown: set[int] | None = None  # the snapshots that may be there
        self._conflict = False
        self.staged: list[str] = []  # folders reserved for a table that is about to be made

    @contextmanager
    def change(self, snapshots: Iterable[int] = ()) -> Iterator[None]:
        """Around every request to the catalog that changes something; what it adds, by id."""
        with self._cancellation.hold(final=self._one_change), self._track_commit(set(snapshots)):
            yield

    @contextmanager
    def _track_commit(self, snapshots: set[int]) -> Iterator[None]:
        with self._news:
            if self._settled:
                raise UserError(ErrorCode.TABLE_NOT_FOUND, "The query has ended.")
            self._under_way += 1
        failure: BaseException | None = None
        try:
            yield
        except BaseException as error:
            failure = error
            raise
        finally:
            with self._news:
                self._under_way -= 1
                self._note(failure, snapshots)
                self._news.notify_all()

    def _note(self, failure: BaseException | None, snapshots: set[int]) -> None:
        if failure is None:
            self._changes += 1
        elif isinstance(failure, Unanswered) and not failure.maybe_done:
            return  # the catalog never got it
        elif not isinstance(failure, SqeError) or failure.code in _OPEN:
            self._unknown = (self._unknown or set()) | snapshots

    def refuse_stale(self) -> UserError:
        """The error for a change of a table that is not any more as the query has read it.

        Its status tells Iceberg not to try the same files again: the query must read again."""
        with self._news:
            self._conflict = True
        return UserError(ErrorCode.USER_ERROR, "Someone else changed the table meanwhile.")

    def settle(self, seconds: float = _SETTLE_S) -> None:
        deadline = time.monotonic() + seconds
        with self._news:
            self._settled = True
            while self._under_way and time.monotonic() < deadline:
                self._news.wait(deadline - time.monotonic())
            if self._under_way and self._unknown is None:
                self._unknown = set()

    def look(self, load: Callable[[], Loaded]) -> set[int]:
        """Asks the catalog for the table once more, where a change of it may be there. The
        snapshots that are."""
        if not self._unknown:
            return set()
        try:
            known = load().metadata.get("snapshots") or ()
        except SqeError:
            return set()
        arrived = self._unknown & {snapshot["snapshot-id"] for snapshot in known}
        if arrived:
            self._changes += 1
            self._unknown = None
        return arrived

    @property
    def changed(self) -> bool:
        """A change reached the catalog."""
        return self._changes > 0

    @property
    def unknown(self) -> bool:
        """The catalog did not say whether a change is there."""
        return self._unknown is not None

    @property
    def conflict(self) -> bool:
        """A change was refused because the query had read something older."""
        return self._conflict
