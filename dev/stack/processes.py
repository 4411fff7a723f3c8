"""Programs that go on running after the command that started them, and how they are stopped.

A program may be a wrapper that has the real one as its child (Keycloak's is), so each is the head
of a session of its own, and what is stopped is all of that session.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import psutil

STOP_S = 15.0
# What a program is given of the caller's environment: its settings must not depend on whose it is.
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ")


@dataclass(frozen=True, slots=True)
class Command:
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    made_of: str = ""  # what else decides how it behaves: the text of its settings

    @property
    def fingerprint(self) -> str:
        parts = [list(self.arguments), sorted(self.environment.items()), self.made_of]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Record:
    """What is remembered of a started program."""

    pid: int
    created: float  # a pid is given again; with the time it was made, it is one process
    fingerprint: str
    provisioned: bool = False

    @property
    def alive(self) -> bool:
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.created) < 1
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


class Processes:
    """The programs of one state folder, by name."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._children: dict[str, subprocess.Popen[bytes]] = {}  # of this process, to be reaped

    def log(self, name: str) -> Path:
        return self._state / f"{name}.log"

    def record(self, name: str) -> Record | None:
        """Of a program that still runs."""
        try:
            record = Record(**json.loads(self._file(name).read_text()))
        except (OSError, ValueError, TypeError):
            return None
        return record if record.alive else None

    def start(self, name: str, command: Command) -> None:
        folder = self._state / name
        folder.mkdir(parents=True, exist_ok=True)
        inherited = {key: os.environ[key] for key in _INHERITED if key in os.environ}
        with self.log(name).open("wb") as log:
            process = subprocess.Popen(
                command.arguments,
                cwd=folder,
                env={**inherited, **command.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._children[name] = process
        created = psutil.Process(process.pid).create_time()
        self._write(name, Record(process.pid, created, command.fingerprint))

    def mark_provisioned(self, name: str) -> None:
        record = self.record(name)
        if record is not None:
            self._write(name, replace(record, provisioned=True))

    def stop(self, name: str) -> bool:
        """Whether there was anything to stop. Returns when it is gone."""
        record = self.record(name)
        if record is not None:
            for number in (signal.SIGTERM, signal.SIGKILL):
                _signal(_session(record.pid), number)
                if _gone(record.pid):
                    break
            if name in self._children:
                self._children.pop(name).wait(STOP_S)
        self._file(name).unlink(missing_ok=True)
        return record is not None

    def _file(self, name: str) -> Path:
        return self._state / f"{name}.json"

    def _write(self, name: str, record: Record) -> None:
        self._file(name).write_text(json.dumps(asdict(record)))


def _session(pid: int) -> list[psutil.Process]:
    """All processes of that session, the wrapper's children among them."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            alive = process.status() != psutil.STATUS_ZOMBIE
            if alive and os.getsid(process.pid) == pid:
                found.append(process)
    return found


def _signal(processes: list[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.send_signal(number)


def _gone(pid: int) -> bool:
    end = time.monotonic() + STOP_S
    while _session(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True
