"""Runs a write again, from the beginning, when someone else's commit came before its own.

Iceberg repeats the commit of an append by itself, because its files are still right. The files of
a DELETE, UPDATE, MERGE or of an INSERT that reads its own table are not: they were made from rows
that have changed since. COMMIT_CONFLICT means that nothing of the statement was committed, so to
plan and run it anew is as if it had been sent a little later. Every other error ends it.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar
from weakref import WeakValueDictionary

from sqe.binding.bound import BoundAbsent, BoundStatement, BoundTable
from sqe.engines.protocol import Run
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.model.names import RelationName
from sqe.results.cancellation import Cancellation
from sqe.sql.statement import Access, Statement

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

# The name came or went while the statement ran: planned anew, it does what it says (OR REPLACE,
# IF NOT EXISTS) or fails at once.
_NAME_MOVED = (ErrorCode.TABLE_ALREADY_EXISTS, ErrorCode.TABLE_NOT_FOUND)
_RERUNS = 6
_LOOK_S = 0.2


class Reruns:
    """Reruns of one table take turns: those who lost once must not keep losing to each other."""

    def __init__(self, pause_s: float = 0.1) -> None:
        self._pause_s = pause_s
        self._lock = threading.Lock()
        self._turns: WeakValueDictionary[str, _Turn] = WeakValueDictionary()

    def of(
        self, statement: Statement, run: Run, first: Callable[[], _T], again: Callable[[], _T]
    ) -> _T:
        """``first`` runs the statement as it was planned, ``again`` plans it anew and runs it."""
        try:
            return first()
        except SqeError as error:
            if not _reruns(statement, error.code):
                raise
            failure = error
        with self._turn_of(statement, run.cancellation):
            number = 0
            while number < _reruns(statement, failure.code):
                number += 1
                self._pause(number, run.cancellation)
                _log.info("query %s is run again (%d): %s", run.query_id, number, failure)
                try:
                    return again()
                except SqeError as error:
                    failure = error
        raise failure

    @contextmanager
    def _turn_of(self, statement: Statement, cancellation: Cancellation) -> Iterator[None]:
        with self._lock:
            turn = self._turns.setdefault(_target(statement), _Turn())
        while not turn.lock.acquire(timeout=_LOOK_S):
            cancellation.check()
        try:
            yield
        finally:
            turn.lock.release()

    def _pause(self, number: int, cancellation: Cancellation) -> None:
        """Longer each time, with a random part."""
        seconds = self._pause_s * 2 ** (number - 1) * random.uniform(0.5, 1.5)  # noqa: S311
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            cancellation.check()
            time.sleep(min(left, _LOOK_S))


class _Turn:
    def __init__(self) -> None:
        self.lock = threading.Lock()


def _reruns(statement: Statement, code: ErrorCode) -> int:
    """How often a statement that failed with this error may be run again."""
    traits = statement.traits
    if not traits.one_commit:
        return 0
    if code is ErrorCode.COMMIT_CONFLICT:
        return _RERUNS
    return 1 if code in _NAME_MOVED and traits.creates_table else 0


def same_tables(before: BoundStatement, now: BoundStatement) -> None:
    """A session's schema may have changed meanwhile: the text must still mean the same tables."""
    if _names(before) != _names(now):
        raise UserError(
            ErrorCode.COMMIT_CONFLICT,
            "The statement had to be run again, and its names now mean other tables.",
            hint="Nothing was written. Run it again when the session's schema is set.",
        )


def _names(bound: BoundStatement) -> set[RelationName]:
    targets = (reference.target for reference in bound.walk())
    return {target.name for target in targets if isinstance(target, BoundTable | BoundAbsent)}


def _target(statement: Statement) -> str:
    """The name as written: if one table is spelled in two ways, its reruns only fail to take
    turns."""
    for reference in statement.references:
        if reference.access in (Access.WRITE, Access.CREATE):
            return ".".join(reference.parts).lower()
    return ""
