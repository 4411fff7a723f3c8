"""``python -m benchmarks.suites.dashboard``: many users who look at the same 12 tiles, each asking
the next question when the last is answered, over Trino's protocol, of SQE and of a Trino."""

from __future__ import annotations

import argparse
import datetime
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from benchmarks import tpch_tables
from benchmarks.bench import Bench, Options
from benchmarks.figure import NotMeasured
from benchmarks.machine import machine
from benchmarks.processes import ROOT, environment
from benchmarks.report import RESULTS
from benchmarks.sqe_server import sqe_server
from benchmarks.suites.sides import trinos_client
from benchmarks.timing import percentile
from benchmarks.trino_server import register_tables, trino_server

FOLDER = RESULTS / "dashboard"
_CACHED = 'home = "{}"\n[result_cache]\ntables = ["lake.tpch.*"]\n'
TILES = (
    "SELECT count(*) FROM orders",
    "SELECT o_orderstatus, count(*) FROM orders GROUP BY 1 ORDER BY 1",
    "SELECT o_orderpriority, sum(o_totalprice) FROM orders GROUP BY 1 ORDER BY 1",
    "SELECT year(o_orderdate) y, sum(o_totalprice) FROM orders GROUP BY 1 ORDER BY 1",
    "SELECT n_name, count(*) FROM customer JOIN nation ON c_nationkey = n_nationkey GROUP BY 1"
    " ORDER BY 2 DESC, 1 LIMIT 10",
    "SELECT c_mktsegment, avg(c_acctbal) FROM customer GROUP BY 1 ORDER BY 1",
    "SELECT s_name, s_acctbal FROM supplier ORDER BY s_acctbal DESC, s_name LIMIT 20",
    "SELECT p_brand, count(*) FROM part GROUP BY 1 ORDER BY 1",
    "SELECT l_returnflag, l_linestatus, sum(l_quantity) FROM lineitem GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT l_shipmode, count(*) FROM lineitem WHERE l_shipdate >= DATE '1998-01-01' GROUP BY 1"
    " ORDER BY 1",
    "SELECT max(o_orderdate) FROM orders",
    "SELECT r_name, count(*) FROM region JOIN nation ON n_regionkey = r_regionkey GROUP BY 1"
    " ORDER BY 1",
)


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Load(_Part):
    """Of one engine under so many users."""

    engine: str
    users: int
    qps: float
    p50_ms: float
    p95_ms: float
    p99_ms: float


class DashboardResult(_Part):
    scale: float
    seconds: float
    date: str
    command: str
    machine: dict[str, str | int | float]
    loads: list[Load]


def _servers(bench: Bench, home: Path) -> Iterator[tuple[str, str]]:
    """Each engine's name and address; only one of them works at a time."""
    yield "sqe", bench.enter(sqe_server(home)).address
    config = bench.folder() / "sqe.toml"
    config.write_text(_CACHED.format(home))
    cached = sqe_server(home, {"SQE_CONFIG": str(config)})
    yield "sqe, result cache", bench.enter(cached).address
    try:
        trino = bench.enter(trino_server(bench)).address
    except NotMeasured as absent:
        bench.note(f"trino is not asked: {absent}")
        return
    register_tables(trinos_client(bench, trino, ""), home, tpch_tables.SCHEMA)
    yield "trino", trino


def run_dashboard(scale: float, users: Sequence[int], seconds: float) -> DashboardResult:
    where = machine()
    with Bench(Options(scale=scale)) as bench:
        servers = list(_servers(bench, bench.once(tpch_tables.tpch_home)))
        for _, address in servers:
            _load(address, 2, seconds)  # warms up
        loads = [
            _measure(name, address, count, seconds) for count in users for name, address in servers
        ]
    for load in loads:
        print(load, file=sys.stderr)
    return DashboardResult(
        scale=scale,
        seconds=seconds,
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        command=shlex.join(["python", "-m", "benchmarks.suites.dashboard", *sys.argv[1:]]),
        machine=where,
        loads=loads,
    )


def _measure(name: str, address: str, users: int, seconds: float) -> Load:
    took, elapsed = _load(address, users, seconds)
    p50, p95, p99 = (round(percentile(took, part) * 1000, 1) for part in (0.5, 0.95, 0.99))
    qps = round(len(took) / elapsed, 1)
    return Load(engine=name, users=users, qps=qps, p50_ms=p50, p95_ms=p95, p99_ms=p99)


def _load(address: str, users: int, seconds: float) -> tuple[list[float], float]:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.programs.dashboard_users"),
            *(address, tpch_tables.SCHEMA, str(users), str(seconds)),
        ],
        cwd=ROOT,
        env=environment(),
        input="\n".join(TILES),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    if answer["failures"]:
        raise AssertionError(answer["failures"][0])
    return answer["took"], answer["elapsed_s"]


def read_dashboards(folder: Path = FOLDER) -> list[DashboardResult]:
    paths = sorted(folder.glob("*.json"))
    return [DashboardResult.model_validate_json(path.read_text()) for path in paths]


def main(arguments: Sequence[str] | None = None) -> int:
    from benchmarks.suites.page import write_page

    parser = argparse.ArgumentParser(prog="python -m benchmarks.suites.dashboard")
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--users", type=int, nargs="+", default=[1, 10, 50])
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args(arguments)
    result = run_dashboard(given.scale, given.users, given.seconds)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"sf{given.scale:g}.json").write_text(result.model_dump_json(indent=1) + "\n")
    write_page()
    return 0


if __name__ == "__main__":
    sys.exit(main())
