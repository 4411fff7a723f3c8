"""Ctrl-C while something runs: the first one cancels it, the second one leaves."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Protocol

from sqe.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from sqe.client.transport import Running

_CANCEL_S = 2.0  # for a server to hear that the query is cancelled, however busy it is
_LEAVE_S = 1.0  # for everything else, once someone does not want to wait
_WAKE_AFTER_S = (0.05, 0.25)


class LeaveNow(KeyboardInterrupt):
    """The person does not want to wait any longer, not even for a query to be cancelled.

    The process ends a second after the cancel was sent, whatever else is under way. That is safe: a
    write commits in one step of the catalog or not at all, and Spark ends when SQE has gone.
    """


class Keys(Protocol):
    """Reads what is typed while a statement runs."""

    def start(self, on_leave: Callable[[], None]) -> None:
        """``on_leave`` is called, on another thread, for Ctrl-D."""
        ...

    def stop(self, *, discard: bool = False) -> None:
        """What was typed waits for the prompt, or is forgotten."""
        ...


class Interruption:
    """A signal handler runs in the middle of whatever the main thread does, maybe inside a lock of
    the gateway; so the handler itself only starts a thread, and that one cancels.
    """

    def __init__(self, keys: Keys | None = None) -> None:
        self._keys = keys
        self._running: Running | None = None
        self._cancel: threading.Thread | None = None
        self._leaves = False
        self._paged = False
        self._asked = threading.Event()

    @property
    def asked(self) -> bool:
        return self._asked.is_set()

    def __enter__(self) -> Interruption:
        self._main = threading.current_thread() is threading.main_thread()
        if self._main:
            self._previous = signal.signal(signal.SIGINT, self._on_signal)
            self._waker = MainThreadWaker()
            if self._keys is not None:
                self._keys.start(self._leave)
        return self

    def __exit__(self, *exc: object) -> None:
        if self._main:
            if self._keys is not None:
                self._keys.stop(discard=self.asked)  # Ctrl-C is for what was typed, too
            self._waker.close()
            signal.signal(signal.SIGINT, self._previous)
        if isinstance(exc[1], LeaveNow):
            if self._cancel is not None:
                self._cancel.join(_CANCEL_S)
            _leave_within(_LEAVE_S)

    def watch(self, running: Running) -> None:
        self._running = running
        if self.asked:  # before there was something to cancel
            self._start_cancel()
        self._check()

    def release_terminal(self) -> None:
        """A pager has it from now on: it reads the keys, and Ctrl-C only cancels the query."""
        self._paged = True
        if self._main and self._keys is not None:
            self._keys.stop()

    def sleep(self, seconds: float) -> None:
        """Ends early if someone interrupts; ``asked`` says so."""
        self._asked.wait(seconds)
        self._check()

    def _leave(self) -> None:
        self._leaves = True
        main = threading.main_thread().ident
        assert main is not None  # noqa: S101 - it runs
        signal.pthread_kill(main, signal.SIGINT)  # wakes it from whatever it waits for

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._leaves = self._leaves or (self.asked and not self._paged)
        if not self.asked:
            self._asked.set()
            self._start_cancel()
        if self._running is not None:  # otherwise it would be left behind, and never be cancelled
            self._check()

    def _check(self) -> None:
        if self._leaves:
            _leave_within(_CANCEL_S + _LEAVE_S)
            raise LeaveNow

    def _start_cancel(self) -> None:
        if self._running is not None and self._cancel is None:
            self._cancel = threading.Thread(target=self._running.cancel, name="cancel", daemon=True)
            self._cancel.start()


class MainThreadWaker:
    """Python calls the handler of a signal between two steps of the main thread. A Ctrl-C in the
    moment before that thread begins to wait for something would be heard when the wait is over;
    another signal, a little later, ends the wait.
    """

    def __init__(self) -> None:
        main = threading.main_thread().ident
        assert main is not None  # noqa: S101 - it runs
        self._main_thread = main
        self._signals, self._numbers = os.pipe()
        os.set_blocking(self._numbers, False)
        self._previous_handler = signal.signal(signal.SIGURG, lambda number, frame: None)
        self._previous_fd = signal.set_wakeup_fd(self._numbers, warn_on_full_buffer=False)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="wake-main", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        signal.set_wakeup_fd(self._previous_fd)
        os.close(self._numbers)
        self._thread.join()
        os.close(self._signals)
        signal.signal(signal.SIGURG, self._previous_handler)

    def _run(self) -> None:
        while number := os.read(self._signals, 1):
            if number[0] != signal.SIGINT:
                continue
            for pause in _WAKE_AFTER_S:
                if self._closed.wait(pause):
                    return
                signal.pthread_kill(self._main_thread, signal.SIGURG)


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Ctrl-C is for another program now, a pager or an editor."""
    # Not SIG_IGN, which the other program would inherit.
    previous = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _leave_within(seconds: float) -> None:
    end = threading.Timer(seconds, os._exit, (ExitCode.CANCELLED,))
    end.daemon = True  # where everything ends sooner, it need not wait for this
    end.start()
