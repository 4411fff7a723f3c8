"""Rows over Trino's protocol to Trino's own clients, from SQE and from a real Trino."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.processes import ROOT
from benchmarks.sqe_server import sqe_server
from benchmarks.tpch_tables import SCHEMA, tpch_home
from benchmarks.trino_server import (
    VERSION,
    fetched,
    newest_java,
    register_tables,
    trino_server,
)

ROWS = 1_000_000
COLUMNS = (
    "l_orderkey, l_partkey, l_linenumber, l_quantity, l_extendedprice, l_shipdate, l_shipmode,"
    " l_comment"
)


_JDBC = "484"
_JDBC_SHA256 = "46476af2968e6f3234e8b22d7e29c26e6d7213ce88ab546a29c4c318c921cd34"
# The command of a client that reads texts and answers seconds and rows, for a server's address.
Command = Callable[[str], list[str]]


@dataclass(frozen=True)
class Client:
    """A client of Trino's in a process of its own, connected to one server."""

    process: subprocess.Popen[str]

    def ask(self, text: str) -> tuple[float, int]:
        """Seconds until the last row was there, and how many there were."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        seconds, rows = json.loads(self.process.stdout.readline())
        return seconds, rows


def trino_fetch(bench: Bench) -> Measured:
    return _fetch(bench, _python)


def jdbc_fetch(bench: Bench) -> Measured:
    folder = bench.cache / "trino"
    folder.mkdir(parents=True, exist_ok=True)
    driver = folder / f"trino-jdbc-{_JDBC}.jar"
    if not driver.exists():
        fetched(folder, f"io.trino:trino-jdbc:{_JDBC}:jar", _JDBC_SHA256)
    java, program = newest_java(), ROOT / "benchmarks" / "programs" / "JdbcFetch.java"

    def command(address: str) -> list[str]:
        where = address.replace("http://", "jdbc:trino://")
        return [str(java), "-Xmx1g", "-cp", str(driver), str(program), where]

    return _fetch(bench, command)


def _python(address: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.programs.trino_client", address]


def _fetch(bench: Bench, command: Command) -> Measured:
    """The quickest of some runs in turns, after one of each side that warms it up."""
    home = bench.once(tpch_home)
    table = f"lake.{SCHEMA}.lineitem"
    text = f"SELECT {COLUMNS} FROM {table} LIMIT {ROWS}"
    with ExitStack() as stack:
        peer = stack.enter_context(trino_server(bench)).address
        with _client(_python(peer)) as registering:
            register_tables(registering.ask, home, SCHEMA, ["lineitem"])
        trino = stack.enter_context(_client(command(peer)))
        sqe = stack.enter_context(_client(command(stack.enter_context(sqe_server(home)).address)))
        sides = {"sqe": sqe, "trino": trino}
        rows = {name: side.ask(text)[1] for name, side in sides.items()}
        if rows["sqe"] != rows["trino"]:
            raise AssertionError(f"not the same number of rows: {rows}")
        seconds: dict[str, list[float]] = {"sqe": [], "trino": []}
        for number in range(bench.repeats(3, 1)):
            for name in sides if number % 2 else reversed(sides):
                seconds[name].append(round(sides[name].ask(text)[0], 3))
    best = {name: min(samples) for name, samples in seconds.items()}
    return Measured(
        best["sqe"] / best["trino"],
        {
            "rows": rows["sqe"],
            "columns": COLUMNS,
            "seconds": seconds,
            "rows_per_s": {name: round(rows["sqe"] / took) for name, took in best.items()},
            "trino": VERSION,
        },
    )


@contextmanager
def _client(command: list[str]) -> Iterator[Client]:
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Client(process)
        assert process.stdin is not None
        process.stdin.close()
