"""One plan that Spark runs. However it ends, it has ended when Spark's work for it has.

An interrupt alone does not do that. It finds nothing before the plan has arrived. And it only wakes
the operation's own thread, which then cancels the jobs there are: what other threads are about to
submit for it (a stage, a subquery, a broadcast) starts afterwards and runs to its end. So the
operation is interrupted until its stream has ended, and then its jobs are cancelled until no thread
is left that could submit one, and no killed task still runs.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqe.engines.spark.connection import StageProgress, new_operation_id
from sqe.engines.spark.sessions import SparkSession, SparkSessions
from sqe.model.query import Progress
from sqe.results.cancellation import Cancellation

_log = logging.getLogger(__name__)
_INTERRUPT_EVERY_S = 0.1
_LOOK_EVERY_S = 0.05
# Where the server does not show its threads: when jobs are cancelled, after the stream has ended.
_BLIND_PAUSES_S = (0.1, 0.3, 1.0)


@dataclass(frozen=True)
class Patience:
    """How many seconds work that does not end is waited for: then the server is replaced. ``dead``
    is for a server that does nothing but work that was killed."""

    busy: float = 10.0
    dead: float = 3.0


class Operation:
    """Run once, by one thread; any thread may cancel.

    If it ``writes``, tasks that go on when another has failed are waited for, too: what they have
    written is removed afterwards."""

    def __init__(
        self,
        spark: SparkSession,
        sessions: SparkSessions,
        cancellation: Cancellation,
        patience: Patience = Patience(),  # noqa: B008  it is frozen
        *,
        writes: bool = False,
    ) -> None:
        self._spark = spark
        self._sessions = sessions
        self._cancellation = cancellation
        self._patience = patience
        self._writes = writes
        self._id = new_operation_id()
        self._lock = threading.Lock()
        self._interrupting = False
        self._over = threading.Event()  # the stream has ended

    def run(
        self,
        plan: Any,
        report: Callable[[Progress], None],
        watch: Callable[[Sequence[StageProgress]], None] | None = None,
    ) -> Generator[Any]:
        """What the plan answers. Closing it, a cancel and an error in the reader stop the work.
        ``watch`` is told of each of Spark's stages."""
        self._cancellation.check()
        self._cancellation.on_cancel(self._interrupt)
        stream = self._spark.connection.execute(plan, self._id, report, watch)
        complete = False
        try:
            while (item := self._next(stream)) is not None:
                self._cancellation.check()
                yield item
            complete = True
        finally:
            if not self._over.is_set():
                self._end(stream)
            elif not complete and self._interrupting:
                self._end_jobs(_BLIND_PAUSES_S)
            elif not complete and self._writes:
                self._end_jobs(())

    def _next(self, stream: Iterator[Any]) -> Any:
        """None at the end. Spark's own error ends the stream too."""
        try:
            item = next(stream, None)
        except BaseException:
            self._over.set()
            raise
        if item is None:
            self._over.set()
        return item

    def _interrupt(self) -> None:
        """Returns at once: whoever cancels need not wait for Spark."""
        with self._lock:
            if self._interrupting or self._over.is_set():
                return
            self._interrupting = True
        threading.Thread(
            target=self._interrupt_until_over, name=f"interrupt-{self._id}", daemon=True
        ).start()

    def _interrupt_until_over(self) -> None:
        deadline = time.monotonic() + self._patience.busy
        while not self._over.is_set():
            self._spark.connection.interrupt(self._id)
            if time.monotonic() > deadline:
                _log.warning("operation %s does not end; its server is replaced", self._id)
                self._sessions.give_up(self._spark, stuck=True)
                return
            self._over.wait(_INTERRUPT_EVERY_S)

    def _end(self, stream: Iterator[Any]) -> None:
        self._interrupt()
        try:
            for _ in stream:
                pass
        except Exception as error:  # noqa: BLE001  Spark says that it was interrupted
            _log.debug("operation %s ended: %s", self._id, type(error).__name__)
        self._over.set()
        self._end_jobs(_BLIND_PAUSES_S)

    def _end_jobs(self, blind_pauses: Iterable[float]) -> None:
        began = time.monotonic()
        blind = iter(blind_pauses)
        beside: frozenset[str] | None = None  # threads that may be this operation's
        cancelled = False  # when none of them was left
        while self._sessions.serves(self._spark):
            activity = self._sessions.activity(self._spark)
            only_dead = activity is not None and activity.only_dead
            patience = self._patience.dead if only_dead else self._patience.busy
            late = time.monotonic() > began + patience
            if activity is not None:
                # Threads that are still busy after so long are other queries'.
                if (cancelled or late) and activity.settled:
                    return
                beside = activity.beside if beside is None else beside & activity.beside
            if late:
                _log.warning("work of operation %s does not end; its server is replaced", self._id)
                self._sessions.give_up(self._spark, stuck=False)
                return
            pause = _LOOK_EVERY_S if activity is not None else next(blind, None)
            if pause is None:
                return
            # When no thread is left that could submit a job, looking is enough: each cancel takes
            # processor time that the killed tasks need to end.
            if activity is None or not cancelled:
                cancelled = self._spark.connection.cancel_jobs(self._id) and not beside
            time.sleep(pause)
