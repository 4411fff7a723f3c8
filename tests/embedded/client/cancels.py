"""Statements that are cancelled at a random moment, and the clients that do it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Protocol
from urllib.parse import urlsplit

import trino
from trino.exceptions import Error as TrinoError

import sqe.client
from sqe.client.connection import Connection

ROWS = 2_500
WRITTEN = 300_000
LOADED = 100_000
# Without an end, as far as anybody is going to wait.
CROSS = "cancels.t a CROSS JOIN cancels.t b CROSS JOIN cancels.t c"
# Never true, and quick: the loop over b and c has no look for a kill. Spark's checked arithmetic is
# slow in a Spark of tests (tests/small_spark.py), where the loop would take seconds.
NONE = "a.id < b.id AND b.id < c.id AND c.id < a.id"
SLOW_NONE = "a.id + b.id * 3 + c.id * 7 = -1"  # for DuckDB, which is clever about the other
SETUP = (
    "CREATE SCHEMA cancels",
    # Spark looks whether a task was killed when it reads the next batch: here after each row.
    "CREATE TABLE cancels.t TBLPROPERTIES ('read.parquet.vectorization.batch-size' = '1')"
    f" AS SELECT id FROM range({ROWS})",
    "CREATE TABLE cancels.w (id BIGINT, v BIGINT)",
    "INSERT INTO cancels.w SELECT id, 1 FROM range(1000)",
)
State = tuple[int, int]  # how many rows, and the sum of v


@dataclass(frozen=True)
class Kind:
    """``text`` may hold the case's number and the file to load. ``after`` is the state of
    ``cancels.w`` after the whole statement, from the one before and that of the even ids."""

    text: str
    engine: str = "spark"
    after: Callable[[State, State], State] | None = None
    trino: bool = True


READS = {
    "aggregate": Kind(f"SELECT count(*) FROM {CROSS} WHERE {NONE}"),
    "shuffle": Kind(f"SELECT a.id % 9, count(*) FROM {CROSS} WHERE b.id <> c.id GROUP BY 1"),
    "subquery": Kind(
        f"SELECT id FROM cancels.t WHERE id > (SELECT count(*) FROM {CROSS} WHERE {NONE})"
    ),
    "join": Kind(
        f"SELECT count(*) FROM cancels.t x JOIN (SELECT a.id FROM {CROSS} WHERE {NONE}) y"
        " ON x.id = y.id"
    ),
    "fetch": Kind("SELECT a.id, b.id AS other FROM cancels.t a CROSS JOIN cancels.t b"),
    "local read": Kind(f"SELECT count(*) FROM {CROSS} WHERE {SLOW_NONE}", "local"),
    "local fetch": Kind(f"SELECT a.id, b.id AS other FROM {CROSS}", "local"),
}
_SOURCE = f"cancels.t a CROSS JOIN (SELECT id FROM cancels.t WHERE id < {WRITTEN // ROWS}) b"
WRITES = {
    "insert": Kind(
        f"INSERT INTO cancels.w (id, v) SELECT a.id, 1 FROM {_SOURCE}",
        after=lambda before, even: (before[0] + WRITTEN, before[1] + WRITTEN),
    ),
    "update": Kind(
        "UPDATE cancels.w SET v = v + 1",
        after=lambda before, even: (before[0], before[1] + before[0]),
    ),
    "merge": Kind(
        "MERGE INTO cancels.w USING cancels.t s ON w.id = s.id AND w.v = -1"
        " WHEN MATCHED THEN UPDATE SET v = 0 WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 1)",
        after=lambda before, even: (before[0] + ROWS, before[1] + ROWS),
        trino=False,
    ),
    "copy": Kind(
        "COPY INTO cancels.w FROM '{file}' FILEFORMAT = JSON COPY_OPTIONS ('force' = 'true')",
        after=lambda before, even: (before[0] + LOADED, before[1] + LOADED),
        trino=False,
    ),
    "delete": Kind(
        "DELETE FROM cancels.w WHERE id % 2 = 0",
        after=lambda before, even: (before[0] - even[0], before[1] - even[1]),
    ),
    "rewrite": Kind(
        "CALL system.rewrite_data_files(table => 'cancels.w',"
        " options => map('rewrite-all', 'true'))",
        after=lambda before, even: before,
        trino=False,
    ),
    "create": Kind(f"CREATE TABLE cancels.n{{number}} AS SELECT a.id FROM {_SOURCE}"),
    "alter": Kind("ALTER TABLE cancels.w ADD COLUMN c{number} BIGINT"),
}
KINDS = {**READS, **WRITES}


@dataclass(frozen=True)
class Case:
    number: int
    kind: str
    client: str
    closes: bool  # the connection, instead of a cancel
    moment: float  # seconds after SQE has heard of it

    def text(self, file: Path) -> str:
        """``file`` is one to load, with ``LOADED`` rows."""
        text = KINDS[self.kind].text.format(number=self.number, file=file)
        return f"{text} -- case {self.number}."

    def __str__(self) -> str:
        verb = "closed" if self.closes else "cancelled"
        return f"{self.number}-{self.kind}-{self.client}-{verb}-{self.moment:.2f}"


def cases(count: int, seed: int) -> list[Case]:
    """Every kind in turn; most moments are early, where most goes wrong."""
    rng = Random(seed)
    kinds = list(KINDS)
    rng.shuffle(kinds)
    return [_case(number, kinds[number % len(kinds)], rng) for number in range(count)]


def _case(number: int, kind: str, rng: Random) -> Case:
    clients = ["embedded", "flight", *(["trino"] if KINDS[kind].trino else [])]
    client = rng.choice(clients)
    closes = client != "trino" and rng.random() < 0.3
    return Case(number, kind, client, closes, 3 * rng.random() ** 3)


class Client(Protocol):
    def read(self, text: str) -> str:
        """Runs it to its end. The code of its error, or nothing."""
        ...

    def cancel(self) -> None: ...
    def close(self) -> None: ...


class SqeClient:
    """In this process, or over Flight SQL."""

    def __init__(self, connection: Connection, engine: str) -> None:
        self._connection = connection
        connection.execute(f"SET SESSION sqe.engine = '{engine}'")
        self._cursor = connection.cursor()

    def read(self, text: str) -> str:
        try:
            self._cursor.execute(text)
            while self._cursor.description is not None and self._cursor.fetchmany(10_000):
                pass
        except sqe.client.Error as error:
            return str(error.code or type(error).__name__)
        return ""

    def cancel(self) -> None:
        self._cursor.cancel()

    def close(self) -> None:
        self._connection.close()


class TrinoClient:
    def __init__(self, address: str, engine: str) -> None:
        url = urlsplit(address)
        self._connection = trino.dbapi.connect(  # type: ignore[no-untyped-call]
            host=url.hostname,
            port=url.port,
            user="ann",
            catalog="lake",
            schema="cancels",
            session_properties={"sqe.engine": engine},
        )
        self._cursor: Any = self._connection.cursor()

    def read(self, text: str) -> str:
        try:
            self._cursor.execute(text)
            while self._cursor.fetchmany(10_000):
                pass
        except TrinoError as error:
            return str(getattr(error, "error_name", None) or error)
        return ""

    def cancel(self) -> None:
        with suppress(TrinoError):  # it has no address yet to send the cancel to
            self._cursor.cancel()

    def close(self) -> None:
        self._connection.close()
