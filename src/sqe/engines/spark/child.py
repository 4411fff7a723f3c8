"""One run of the embedded server: the launcher process, seen from SQE."""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from sqe.engines.spark import launch
from sqe.engines.spark.activity import attach_socket
from sqe.engines.spark.command import Runtime, environment, prepare
from sqe.engines.spark.options import SparkServerOptions
from sqe.engines.spark.room import explain_by_disk
from sqe.errors import ErrorCode, SqeError, UpstreamError, disk_full, is_disk_full
from sqe.model.identity import Secret

_POLL_S = 0.1
_TELLING = re.compile(r"(\bERROR\b|Exception|Error:|^Error|Unrecognized|Invalid|Could not)")


class StartFailed(Exception):
    """Spark did not come up. The text is for people."""


class EndedAtOnce(StartFailed):
    """The JVM ended before it listened."""


class SparkChild:
    """A launcher with its JVM and their scratch folder. Not thread-safe: SparkServer is."""

    def __init__(self, options: SparkServerOptions, runtime: Runtime) -> None:
        self._options = options
        self.runtime = runtime
        self.training = runtime.archive is not None and not runtime.archive.ready
        self.token = Secret(secrets.token_urlsafe(32))
        self.port = 0
        self.jvm_pid = 0
        options.logs.mkdir(parents=True, exist_ok=True)
        self._log_start = _size(options.log_file)
        self._lock, self._work = _new_work(options.scratch)
        self._process = self._launch()

    def _launch(self) -> subprocess.Popen[bytes]:
        order = {
            "command": prepare(self._options, self.runtime, self._work),
            "env": environment(self.runtime, self._work, self.token),
            "work": str(self._work),
            "log": str(self._options.log_file),
            "secret": self.token.reveal(),
            "grace": self._options.stop_timeout_s,
        }
        process = subprocess.Popen(  # noqa: S603 - our own file
            [sys.executable, "-I", "-S", launch.__file__],
            env={},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # A Ctrl-C in the terminal is for SQE, which then decides what Spark does.
            start_new_session=True,
            pass_fds=(self._lock.fileno(),),
        )
        _pipe(process.stdin).write(json.dumps(order).encode() + b"\n")
        _pipe(process.stdin).flush()
        return process

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def wait_ready(self, stopping: Callable[[], bool]) -> None:
        """Until Spark listens; raises StartFailed."""
        deadline = time.monotonic() + self._options.start_timeout_s
        answer = _pipe(self._process.stdout)
        told = b""
        while not self.port:
            if stopping():
                raise StartFailed("it was stopped")
            if time.monotonic() > deadline:
                waited = f"{self._options.start_timeout_s:.0f} s"
                raise StartFailed(f"it did not listen within {waited}")
            if not select.select([answer], [], [], _POLL_S)[0]:
                continue
            data = os.read(answer.fileno(), 4096)
            if not data:
                raise EndedAtOnce(f"it ended at once{self._last_words()}")
            *lines, told = (told + data).split(b"\n")
            for fact in map(json.loads, lines):
                self.jvm_pid = fact.get("pid", self.jvm_pid)
                self.port = fact.get("port", self.port)

    def end(self, grace_s: float) -> int:
        """Ends the JVM and the launcher, asking first. Answers the JVM's exit code."""
        with suppress(OSError), _pipe(self._process.stdin) as order:  # it may be gone already
            order.write(str(grace_s).encode())
        try:
            self._process.wait(grace_s + 5)
        except subprocess.TimeoutExpired:
            self._kill()
        self._bury()
        return self._process.returncode

    def _kill(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _bury(self) -> None:
        """Where the launcher was killed and could not: end the JVM, remove the scratch folder."""
        _pipe(self._process.stdout).close()
        if self._process.returncode < 0 and self.jvm_pid:
            with suppress(OSError):  # nobody left in the group
                os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(OSError):  # a JVM that was killed leaves its socket behind
            attach_socket(self.jvm_pid).unlink(missing_ok=True)
        shutil.rmtree(self._work, ignore_errors=True)
        Path(self._lock.name).unlink(missing_ok=True)
        self._lock.close()

    def _last_words(self) -> str:
        """The telling lines of this run's log, without stack frames."""
        try:
            with self._options.log_file.open("rb") as log:
                log.seek(min(self._log_start, _size(self._options.log_file)))
                text = log.read(200_000).decode(errors="replace")
        except OSError:
            return ""
        lines = [line.strip() for line in text.splitlines() if not line.startswith(("\t", " "))]
        telling = [line for line in lines if _TELLING.search(line)] or lines[-2:]
        return f": {' / '.join(line[:300] for line in telling[-2:])}" if telling else ""


def unavailable(error: StartFailed, options: SparkServerOptions) -> SqeError:
    if is_disk_full(error):
        return disk_full("what Spark needs to start")
    full = explain_by_disk("Spark could not be started", options.home)
    if full is not None:
        return full
    return UpstreamError(
        ErrorCode.ENGINE_UNAVAILABLE,
        f"Spark could not be started: {error}.",
        hint=f"Spark's log is {options.log_file}.",
    )


def remove_stale(scratch: Path) -> None:
    """Removes what servers left that were killed together with their launcher."""
    for lock_path in scratch.glob("tmp-*.lock"):
        with lock_path.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:  # its server lives
                continue
            shutil.rmtree(lock_path.with_suffix(""), ignore_errors=True)
            lock_path.unlink(missing_ok=True)


def _new_work(scratch: Path) -> tuple[IO[str], Path]:
    """A folder for one run. Its lock is held by SQE and the launcher, and freed by their death."""
    scratch.mkdir(parents=True, exist_ok=True)
    name = f"tmp-{os.getpid()}-{secrets.token_hex(4)}"
    lock = (scratch / f"{name}.lock").open("a")
    fcntl.flock(lock, fcntl.LOCK_EX)
    work = scratch / name
    work.mkdir(mode=0o700)
    return lock, work


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise AssertionError("the launcher has pipes")
    return stream
