"""Spark's answers, kept next to the lakehouse they are about: a second run asks only for new ones.

The lakehouse of the long form is loaded once and never changed, so an answer stays right for as
long as Spark and the tables' definitions are the same; both are part of the file's name.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa

from tests.differential import data, evolved
from tests.differential.compare import NOT_AN_ANSWER
from tests.differential.outcome import Answer, Failure, Outcome, Refusal, Side


class Answers:
    """The store. Safe to use from several threads. ``fresh`` forgets what it had."""

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        path = folder / f"spark-{version('pyspark')}-{fingerprint()}.db"
        if fresh:
            path.unlink(missing_ok=True)
        self._lock = threading.Lock()
        self._file = sqlite3.connect(path, check_same_thread=False)
        self._file.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value BLOB)")

    def get(self, key: str) -> Outcome | None:
        with self._lock:
            found = self._file.execute("SELECT value FROM answers WHERE key = ?", (key,)).fetchone()
        return None if found is None else _read(found[0])

    def put(self, key: str, outcome: Outcome) -> None:
        with self._lock:
            self._file.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, _write(outcome))
            )
            self._file.commit()

    def close(self) -> None:
        self._file.close()


class CachedSide:
    """``place`` tells sessions apart whose answers differ: time zone and schema."""

    def __init__(self, side: Side, answers: Answers, place: str) -> None:
        self._side = side
        self._answers = answers
        self._place = place

    def ask(self, sql: str) -> Outcome:
        key = hashlib.sha256(f"{self._place}\n{sql}".encode()).hexdigest()
        known = self._answers.get(key)
        if known is not None:
            return known
        outcome = self._side.ask(sql)
        if not isinstance(outcome, Failure) or outcome.code not in NOT_AN_ANSWER:
            self._answers.put(key, outcome)
        return outcome


def fingerprint() -> str:
    steps = [text for table in data.BASIC for text in table.statements()]
    steps += map(str, evolved.STEPS)
    return hashlib.sha256("\n".join(steps).encode()).hexdigest()[:12]


def _write(outcome: Outcome) -> bytes:
    if isinstance(outcome, Answer):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, outcome.table.schema) as writer:
            writer.write_table(outcome.table)
        return b"A" + bytes(sink.getvalue())
    if isinstance(outcome, Failure):
        return b"F" + json.dumps([outcome.code, outcome.message]).encode()
    return b"R" + json.dumps([outcome.reason]).encode()


def _read(stored: bytes) -> Outcome:
    kind, rest = stored[:1], stored[1:]
    if kind == b"A":
        return Answer(pa.ipc.open_stream(rest).read_all())
    return Failure(*json.loads(rest)) if kind == b"F" else Refusal(*json.loads(rest))
