"""Rows over Trino's protocol to Trino's own clients, from SQE and from a real Trino."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.iceberg_tables import open_catalog
from benchmarks.local_lake import NO_SPARK
from benchmarks.processes import ROOT, environment, sqe_command
from benchmarks.tpch_tables import SCHEMA, tpch_home
from benchmarks.trino_server import VERSION, fetched, newest_java, trino_server
from sqe.catalog.protocol import Ident

ROWS = 1_000_000
COLUMNS = (
    "l_orderkey, l_partkey, l_linenumber, l_quantity, l_extendedprice, l_shipdate, l_shipmode,"
    " l_comment"
)
_READY = re.compile(r"Trino's protocol is at (http://\S+)")
_STOP_S = 30
_TYPES = {"long": "bigint", "int": "integer", "string": "varchar"}  # Iceberg's, as Trino says


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
        peer = stack.enter_context(trino_server(bench))
        with _client(_python(peer)) as registering:
            _register(registering, home)
        trino = stack.enter_context(_client(command(peer)))
        sqe = stack.enter_context(_client(command(stack.enter_context(_sqe_server(home)))))
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


@contextmanager
def _sqe_server(home: Path) -> Iterator[str]:
    process = subprocess.Popen(
        [
            *(sqe_command(), "--home", str(home), "serve"),
            *("--port", "0", "--flight-port", "0", "--trino-port", "0"),
        ],
        env=environment({"SQE_SPARK__REMOTE": NO_SPARK}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = []
        for line in process.stderr or ():
            said.append(line)
            if found := _READY.search(line):
                break
        else:
            raise RuntimeError(f"sqe serve ended: {''.join(said)}")
        yield found.group(1)
    finally:
        process.terminate()
        try:
            process.communicate(timeout=_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _register(trino: Client, home: Path) -> None:
    """A table of the very files that SQE reads. Its own metadata cannot be shared: its paths have
    no scheme, which Trino does not take."""
    catalog = open_catalog(home)
    try:
        table = catalog.load_table(Ident((SCHEMA,), "lineitem")).metadata
    finally:
        catalog.close()
    fields = table["schemas"][0]["fields"]
    columns = ", ".join(f"{one['name']} {_TYPES.get(one['type'], one['type'])}" for one in fields)
    trino.ask(f"CREATE SCHEMA lake.{SCHEMA}")
    trino.ask(f"CREATE TABLE lake.{SCHEMA}.lineitem ({columns})")
    trino.ask(
        f"ALTER TABLE lake.{SCHEMA}.lineitem EXECUTE add_files("
        f"location => 'local://{table['location']}/data', format => 'PARQUET')"
    )
