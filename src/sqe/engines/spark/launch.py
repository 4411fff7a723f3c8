"""The process between SQE and Spark's JVM: it ends the JVM when SQE ends, however SQE ends.

Run as a file with nothing but the standard library, so that it is there in milliseconds. It reads
one JSON line (see ``_launch`` in child.py) from stdin, starts the JVM, keeps its log in bounds,
and tells on stdout the JVM's process id and, when Spark listens, the port. The other end of stdin
is SQE's: when it closes, by a stop or by SIGKILL, the JVM is asked to end and then made to.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_LISTENING = re.compile(rb"Spark Connect server started at: \S*:(\d+)")
_LOG_BYTES = 10 * 1024 * 1024
_LOGS_KEPT = 2
_PR_SET_PDEATHSIG = 1
_LOOK_AT_PARENT_S = 1.0
_ORPHAN_S = 1.0  # how long the JVM may still take when SQE is gone


class Log:
    """Spark's log: appended to, moved aside when it is full, and without the token."""

    def __init__(self, path: Path, secret: bytes) -> None:
        self._path = path
        self._secret = secret
        self._rest = b""
        self._file = path.open("ab")

    def feed(self, data: bytes) -> list[bytes]:
        """Writes whole lines and answers them."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._file.write(line.replace(self._secret, b"****") + b"\n")
        self._file.flush()
        if self._file.tell() > _LOG_BYTES:
            self._rotate()
        return lines

    def close(self) -> None:
        self.feed(b"\n" if self._rest else b"")
        self._file.close()

    def _rotate(self) -> None:
        self._file.close()
        for number in range(_LOGS_KEPT, 0, -1):
            older = self._path.with_name(f"{self._path.name}.{number}")
            newer = self._path.with_name(f"{self._path.name}.{number - 1}")
            source = newer if number > 1 else self._path
            if source.exists():
                source.replace(older)
        self._file = self._path.open("ab")


def die_with_parent() -> None:
    """On Linux the JVM dies even if this process is killed. Elsewhere SQE's own stop sees to it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def tell(**fact: int) -> None:
    try:
        os.write(1, json.dumps(fact).encode() + b"\n")
    except OSError:  # SQE is gone; the closed stdin says so too
        return


def watch(jvm: subprocess.Popen[bytes], log: Log, alarm: int, parent: int) -> float | None:
    """Until the JVM ends (None) or SQE wants it to (the seconds it may take)."""
    assert jvm.stdout is not None  # noqa: S101 - for the type checker; it is a pipe
    sources = [0, jvm.stdout.fileno(), alarm]
    while jvm.poll() is None:
        readable, _, _ = select.select(sources, [], [], _LOOK_AT_PARENT_S)
        if os.getppid() != parent:
            return 0.0
        if 0 in readable:
            order = os.read(0, 4096)
            return float(order) if order.strip() else 0.0
        if alarm in readable and signal.SIGTERM in os.read(alarm, 64):
            return 0.0
        if jvm.stdout.fileno() in readable:
            data = os.read(jvm.stdout.fileno(), 65536)
            if not data:
                sources.remove(jvm.stdout.fileno())
            for line in log.feed(data):
                match = _LISTENING.search(line)
                if match:
                    tell(port=int(match.group(1)))
    return None


def end(jvm: subprocess.Popen[bytes], log: Log, grace: float, parent: int) -> None:
    """Asks, waits while the log drains, then makes sure. Without SQE nobody waits for long."""
    assert jvm.stdout is not None  # noqa: S101 - for the type checker; it is a pipe
    deadline = time.monotonic() + grace
    if jvm.poll() is None:
        jvm.send_signal(signal.SIGTERM)
    while jvm.poll() is None and time.monotonic() < deadline:
        if os.getppid() != parent:
            deadline = min(deadline, time.monotonic() + _ORPHAN_S)
            parent = os.getppid()
        readable, _, _ = select.select([jvm.stdout], [], [], 0.05)
        if readable and not _drain(jvm.stdout.fileno(), log):
            time.sleep(0.05)
    if jvm.poll() is None:
        jvm.kill()
    jvm.wait()
    while select.select([jvm.stdout], [], [], 0)[0] and _drain(jvm.stdout.fileno(), log):
        pass


def _drain(descriptor: int, log: Log) -> bool:
    data = os.read(descriptor, 65536)
    log.feed(data)
    return bool(data)


def read_order() -> dict[str, Any]:
    """The first line, and not a byte more: what follows is for ``watch``."""
    with os.fdopen(os.dup(0), "rb", buffering=0) as stdin:
        order: dict[str, Any] = json.loads(stdin.readline())
    return order


def main() -> int:
    parent = os.getppid()
    launch = read_order()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    alarm, alarm_in = os.pipe()
    os.set_blocking(alarm_in, False)
    signal.set_wakeup_fd(alarm_in)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    log = Log(Path(launch["log"]), launch["secret"].encode())
    jvm = subprocess.Popen(  # noqa: S603 - SQE's own command
        launch["command"],
        env=launch["env"],
        cwd=launch["work"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=die_with_parent,
    )
    tell(pid=jvm.pid)
    wanted = watch(jvm, log, alarm, parent)
    end(jvm, log, wanted or launch["grace"], parent)
    log.close()
    shutil.rmtree(launch["work"], ignore_errors=True)
    return jvm.returncode if jvm.returncode >= 0 else 128 - jvm.returncode


if __name__ == "__main__":
    sys.exit(main())
