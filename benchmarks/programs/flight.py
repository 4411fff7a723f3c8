"""The same rows in process, over Flight SQL to ADBC, and as JSON pages; clients have a process of
their own, so that the memory and the interpreter measured are the server's.

python -m benchmarks.programs.flight SCHEMA ROWS SMALL    the server; prints the JSON object
python -m benchmarks.programs.flight flight ADDRESS       a client: texts in, seconds and rows out
python -m benchmarks.programs.flight json ADDRESS
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import pyarrow as pa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.memory import Watch
from benchmarks.timing import in_ms, p50
from sqe.gateway.gateway import Gateway
from sqe.http.serving import HttpThread
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import QueryRequest
from sqe.results.stream import ResultStream
from sqe.server.build import build
from sqe.settings import load_settings

COLUMNS = (
    "l_orderkey, l_partkey, l_linenumber, l_quantity, l_extendedprice, l_shipdate, l_shipmode,"
    " l_comment"
)
SMALL = "SELECT n_name, n_regionkey FROM {}.nation WHERE n_nationkey < {} ORDER BY n_name"
_RUNS = 3
_PAGE_ROWS = 10_000
_FEWER = 20  # the rows as JSON are a part of the rows: what is compared is rows in a second


@dataclass(frozen=True)
class Here:
    """In process."""

    gateway: Gateway
    session_id: str

    def result(self, text: str) -> ResultStream:
        return self.gateway.fetch(self.gateway.submit(QueryRequest(self.session_id, text)))

    def ask(self, text: str) -> tuple[float, int]:
        started, rows = time.perf_counter(), 0
        with self.result(text) as result:
            for batch in result:
                rows += batch.num_rows
        return time.perf_counter() - started, rows


@dataclass(frozen=True)
class There:
    """A client in another process."""

    process: subprocess.Popen[str]

    def ask(self, text: str) -> tuple[float, int]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(text) + "\n")
        self.process.stdin.flush()
        seconds, rows = json.loads(self.process.stdout.readline())
        return seconds, rows


@contextmanager
def client(kind: str, address: str) -> Iterator[There]:
    command = [sys.executable, "-m", "benchmarks.programs.flight", kind, address]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield There(process)
        assert process.stdin is not None
        process.stdin.close()


def main(schema: str, wanted: int, small: int) -> None:
    server = build(load_settings())
    address = server.listen(port=0)
    session = server.gateway.open_session(Identity("bench"), SchemaName("lake", (schema,)))
    here = Here(server.gateway, session.id)
    pages = HttpThread(json_pages(here))
    pages.start()
    watch = Watch()
    try:
        text, part = texts(here, schema, wanted), texts(here, schema, wanted // _FEWER)
        with client("flight", address) as flight, client("json", pages.url) as as_json:
            large = in_turns({"in_process": here.ask, "flight": flight.ask}, text)
            with watch.running():
                _, watch.rows = flight.ask(text)
            json_s, json_rows = as_json.ask(part)
            quick = small_queries({"in_process": here.ask, "flight": flight.ask}, schema, small)
    finally:
        pages.stop()
        server.close()
    per_s = {name: rows / min(seconds) for name, (seconds, rows) in large.items()}
    json.dump(
        {
            "flight_over_inprocess": per_s["in_process"] / per_s["flight"],
            "flight_over_json": per_s["flight"] * json_s / json_rows,
            "rows": large["flight"][1],
            "columns": COLUMNS,
            "seconds": {name: seconds for name, (seconds, _) in large.items()},
            "json": {"seconds": json_s, "rows": json_rows, "rows_of_page": _PAGE_ROWS},
            "server_peak_mb": round(watch.peak(), 1),
            "small_ms": {name: p50(in_ms(seconds)) for name, seconds in quick.items()},
        },
        sys.stdout,
    )


Ask = Callable[[str], tuple[float, int]]


def in_turns(sides: dict[str, Ask], text: str) -> dict[str, tuple[list[float], int]]:
    answers: dict[str, tuple[list[float], int]] = {}
    for number in range(_RUNS + 1):
        for name in sides if number % 2 else reversed(sides):
            seconds, rows = sides[name](text)
            times = answers.get(name, ([], 0))[0]
            answers[name] = ([*times, seconds] if number else [], rows)  # the first warms
    if len({rows for _, rows in answers.values()}) != 1:
        raise AssertionError(f"not the same number of rows: {answers}")
    return answers


def small_queries(sides: dict[str, Ask], schema: str, runs: int) -> dict[str, list[float]]:
    """A text that was never asked before each time, in turns."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(runs + 10):
        for name in sides if number % 2 else reversed(sides):
            time.sleep(0.05)  # as people ask
            took, rows = sides[name](SMALL.format(schema, 1_000 + number))
            if rows != 25:
                raise AssertionError(f"{rows} rows of 25")
            if number >= 10:
                seconds[name].append(took)
    return seconds


def texts(here: Here, schema: str, wanted: int) -> str:
    with here.result(f"SELECT count(*), max(l_orderkey) FROM {schema}.lineitem") as result:
        ((rows, last),) = (tuple(row.values()) for row in result.read_all().to_pylist())
    select = f"SELECT {COLUMNS} FROM {schema}.lineitem"
    copies, rest = divmod(wanted, rows)
    parts = [select] * copies + [f"{select} WHERE l_orderkey <= {rest * last // rows}"]
    return "\nUNION ALL\n".join(parts)


def json_pages(here: Here) -> Starlette:
    """As such protocols go: a page of rows for each request, until there is no more."""
    under_way: dict[str, Iterator[pa.RecordBatch]] = {}

    def page(request: Request) -> Response:
        text = request.query_params["sql"]
        if text not in under_way:
            under_way[text] = paged(here.result(text))
        batch = next(under_way[text], None)
        if batch is None:
            del under_way[text]
            return Response(b'{"data": []}')
        values = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        return Response(json.dumps({"data": list(values)}, default=str))

    return Starlette(routes=[Route("/page", page)])


def paged(result: ResultStream) -> Iterator[pa.RecordBatch]:
    for batch in result:
        for start in range(0, batch.num_rows, _PAGE_ROWS):
            yield batch.slice(start, _PAGE_ROWS)


def flight_client(address: str) -> Ask:
    import adbc_driver_flightsql.dbapi as adbc

    cursor = adbc.connect(address, autocommit=True).cursor()

    def ask(text: str) -> tuple[float, int]:
        started, rows = time.perf_counter(), 0
        cursor.execute(text)
        for batch in cursor.fetch_record_batch():
            rows += batch.num_rows
        return time.perf_counter() - started, rows

    return ask


def json_client(address: str) -> Ask:
    from urllib.parse import urlencode

    url = urlsplit(address)
    connection = http.client.HTTPConnection(str(url.hostname), url.port)

    def ask(text: str) -> tuple[float, int]:
        started, rows = time.perf_counter(), 0
        while True:
            connection.request("GET", "/page?" + urlencode({"sql": text}))
            got = len(json.loads(connection.getresponse().read())["data"])
            if not got:
                return time.perf_counter() - started, rows
            rows += got

    return ask


def answer(ask: Ask) -> None:
    for line in sys.stdin:
        print(json.dumps(ask(json.loads(line))), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "flight":
        answer(flight_client(sys.argv[2]))
    elif sys.argv[1] == "json":
        answer(json_client(sys.argv[2]))
    else:
        main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
