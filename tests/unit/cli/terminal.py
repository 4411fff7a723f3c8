"""``sqe`` on a pseudo-terminal, with a gateway that answers from a dictionary."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path

ROOT = Path(__file__).parents[3]
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r")
_START = r"""
import os, signal, sys
terminal = os.open(sys.argv[1], os.O_RDWR)  # of a new session, it becomes the controlling one
for stream in range(3):
    os.dup2(terminal, stream)

import time
import pyarrow as pa
from sqe.cli.invocation import Invocation
from sqe.cli.main import cli
from sqe.model.query import Column
from sqe.results.stream import ResultStream
from tests.unit.cli.fakes import FakeGateway, FakeServer, stream_of

def say(*words):
    os.write(1, (" ".join(words) + "\n").encode())  # in one piece

class Gateway(FakeGateway):
    def submit(self, request, listener=None):
        self.cancelled.clear()
        query_id = super().submit(request, listener)
        if request.text == "UNHEARD":  # as where a signal comes just before a wait begins
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        if request.text in ("WAIT", "DEAF", "SLOW", "UNHEARD"):
            say("submitted", request.text)
        return query_id
    def fetch(self, query_id):
        if self.texts[-1].startswith("SELECT `query_id`"):  # what `sqe top` asks
            return stream_of(pa.table({"query_id": []}))
        time.sleep({"DEAF": 100, "UNHEARD": 100, "SLOW": 0.3}.get(self.texts[-1], 0))
        return super().fetch(query_id)
    def cancel(self, query_id):
        say("cancel", self.texts[-1])
        super().cancel(query_id)

class Server(FakeServer):
    def close(self):
        if {"DEAF", "UNHEARD"} & set(self.gateway.texts):
            time.sleep(100)

def endless():
    batch = pa.record_batch({"n": range(1000)})
    def batches():
        while True:
            yield batch
    return ResultStream([Column("n", "int")], batch.schema, batches())

answers = {
    "ONE": pa.table({"x": [1]}),
    "SLOW": pa.table({"x": [3]}),
    "SELECT\n2": pa.table({"y": [2]}),
    "WIDE": pa.table({"id": [1], "text": ["w" * 90]}),
    "FULL": pa.table({"n": ["東" * 39] * 19}),
    "LONG": pa.table({"n": range(500)}),
    "ENDLESS": endless,
}
gateway = Gateway(answers)
cli(sys.argv[2:], obj=Invocation(build=lambda settings: Server(gateway)))
"""


class Terminal:
    """80 columns, 24 lines. The test's own time limit ends a wait for what does not come."""

    def __init__(self, *arguments: str, **env: str) -> None:
        self._master, self._slave = os.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self._unread = ""
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, os.ttyname(self._slave), *arguments],
            start_new_session=True,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
                "PROMPT_TOOLKIT_NO_CPR": "1",
                "TERM": "xterm",
                "PYTHONUNBUFFERED": "1",
                **env,
            },
        )

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def expect(self, words: str) -> str:
        """Reads until the words are there, and answers all up to their end."""
        while words not in self._unread:
            self._unread += self._read()
        seen, _, self._unread = self._unread.partition(words)
        return seen + words

    def echoes(self) -> bool:
        """Whether the terminal shows what is typed, as it does outside of the shell."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def wait(self) -> int:
        """The exit code; what is written until then is read, so that nobody waits for us."""
        while self._process.poll() is None:
            if select.select([self._master], [], [], 0.05)[0]:
                self._read()
        return self._process.returncode

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._slave)
        os.close(self._master)

    def _read(self) -> str:
        return _ESCAPES.sub("", os.read(self._master, 65_536).decode(errors="replace"))
