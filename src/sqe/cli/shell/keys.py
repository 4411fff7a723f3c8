"""What is typed while a statement runs: Ctrl-D leaves at once, the rest waits for the prompt."""

from __future__ import annotations

import os
import select
import sys
import termios
import threading
import tty
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prompt_toolkit.input import Input

_CTRL_D = b"\x04"


class TypedAhead:
    """Reads the terminal on a thread. Ctrl-C stays a signal."""

    def __init__(self, prompt_input: Input) -> None:
        self._input = prompt_input
        self._thread: threading.Thread | None = None

    def start(self, on_leave: Callable[[], None]) -> None:
        if not sys.stdin.isatty():
            return
        self._terminal = sys.stdin.fileno()
        self._modes = termios.tcgetattr(self._terminal)
        tty.setcbreak(self._terminal, termios.TCSANOW)
        modes = termios.tcgetattr(self._terminal)
        # Ctrl-C must not swallow lines on their way to the screen.
        modes[3] |= termios.NOFLSH
        termios.tcsetattr(self._terminal, termios.TCSANOW, modes)
        self._wake, self._woken = os.pipe()
        self._typed = b""
        self._thread = threading.Thread(
            target=self._read, args=(on_leave,), name="typed-ahead", daemon=True
        )
        self._thread.start()

    def stop(self, *, discard: bool = False) -> None:
        """The terminal is someone else's again. May be called twice."""
        if self._thread is None:
            return
        os.close(self._woken)
        self._thread.join()
        self._thread = None
        os.close(self._wake)
        when = termios.TCSAFLUSH if discard else termios.TCSANOW
        termios.tcsetattr(self._terminal, when, self._modes)
        if self._typed and not discard:
            self._keep(self._typed)

    def _read(self, on_leave: Callable[[], None]) -> None:
        while self._wake not in (ready := select.select([self._terminal, self._wake], [], [])[0]):
            data = os.read(self._terminal, 1024) if ready else b""
            if not data or _CTRL_D in data:  # without data, the terminal has gone
                on_leave()
                break
            self._typed += data

    def _keep(self, typed: bytes) -> None:
        """As if it were typed at the next prompt."""
        from prompt_toolkit.input.typeahead import store_typeahead
        from prompt_toolkit.input.vt100_parser import Vt100Parser
        from prompt_toolkit.key_binding import KeyPress

        pressed: list[KeyPress] = []
        parser = Vt100Parser(pressed.append)
        # In this mode of the terminal Enter is a line feed; the prompt knows it as a return.
        parser.feed_and_flush(typed.decode(errors="replace").replace("\n", "\r"))
        store_typeahead(self._input, pressed)
