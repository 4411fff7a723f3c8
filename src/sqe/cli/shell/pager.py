"""Long results go through a pager; what fits the screen does not."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys

from sqe.cli.formats.output import Output
from sqe.cli.interruption import ignore_interrupts
from sqe.cli.screen import width

_DEFAULT = "less"
_COLOR = re.compile(r"\x1b\[[0-9;]*m")


def pager_command() -> list[str]:
    """``$PAGER``, or less. Empty where there is none, and where it would be `cat`."""
    try:
        command = shlex.split(os.environ.get("PAGER", _DEFAULT))
    except ValueError:
        return []
    if not command or command[0] == "cat" or shutil.which(command[0]) is None:
        return []
    return command


class PagedOutput(Output):
    """Holds what is written until it is more than a screen; then the pager gets all of it."""

    def __init__(self, command: list[str]) -> None:
        size = shutil.get_terminal_size()
        super().__init__(sys.stdout.buffer, size.columns)
        self._room = size.lines - 3  # the statement, its summary and the prompt are there too
        self._columns = size.columns
        self._command = command
        self._held: list[bytes] = []
        self._process: subprocess.Popen[bytes] | None = None

    def write(self, data: bytes) -> None:
        if self.reader_left:
            return
        if self._process is None:
            self._held.append(data)
            self._room -= sum(map(self._height, data.decode().split("\n")[:-1]))
            if self._room >= 0:
                return
            self._start()
            data, self._held = b"".join(self._held), []
        self._pass_on(data)

    def _height(self, line: str) -> int:
        """Rows of the screen that it takes."""
        return max(1, -(-width(_COLOR.sub("", line)) // self._columns))

    def flush(self) -> None:
        return None

    def finish(self) -> None:
        """Shows what was held, or waits until the person has left the pager."""
        if self._process is None:
            self.before_rows()
            self._write_all(b"".join(self._held))
            self.file.flush()
            return
        with ignore_interrupts():
            self._close_pipe()
            self._process.wait()

    def _start(self) -> None:
        self.before_rows()
        self.before_pager()
        self.file.flush()
        # Quits if it fits, shows colours, leaves the text on the screen; scrolls wide tables.
        options = "FRX" + ("S" if self.scrolls_sideways else "")
        self._process = subprocess.Popen(  # noqa: S603  the person's own choice
            self._command, stdin=subprocess.PIPE, env={"LESS": options, **os.environ}
        )

    def _pass_on(self, data: bytes) -> None:
        assert self._process is not None  # noqa: S101 - tells mypy
        assert self._process.stdin is not None  # noqa: S101 - tells mypy
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except BrokenPipeError:
            self.reader_left = True

    def _close_pipe(self) -> None:
        assert self._process is not None  # noqa: S101 - tells mypy
        assert self._process.stdin is not None  # noqa: S101 - tells mypy
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            self.reader_left = True
