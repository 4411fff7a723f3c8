"""What it costs that SQE is watched."""

from __future__ import annotations

import itertools
import statistics
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.timing import in_ms, p50, timed
from sqe.audit.events import QueryEvent
from sqe.errors import ErrorCode
from sqe.http.serving import HttpThread
from sqe.model.identity import Identity
from sqe.model.query import EngineKind, QueryOrigin, QueryRecord, QueryRequest, QueryState, Route
from sqe.server.build import Server, build
from sqe.server.health import health_app
from sqe.settings import Settings
from sqe.sql.statement import StatementKind

_QUERY = "SELECT id, name FROM VALUES (1, 'a'), (2, 'b'), (3, 'c') AS t(id, name) WHERE id < {}"
_BLOCK = 20
_SEEN = 100_000
_PAUSE_S = 1.05  # an answer is kept for a second
_MB = 1_000_000


def observe_cpu_ratio(bench: Bench) -> Measured:
    """Blocks of queries in turns on two servers of one process, one with everything that watches
    queries and one with nothing of it; the median of the pairs' ratios."""
    blocks = bench.repeats(30, 3)
    with _server(bench.folder(), watched=True) as on, _server(bench.folder(), watched=False) as off:
        sides = [_Asking(on), _Asking(off)]
        for side in sides:
            side.cpu_of_block()
        pairs = [_in_turns(sides, turned=bool(number % 2)) for number in range(blocks)]
    ratios = [watched / plain for watched, plain in pairs]
    per_query = statistics.median(watched for watched, _ in pairs) / _BLOCK
    detail: dict[str, object] = {"ratios": ratios, "watched_cpu_ms": per_query * 1000}
    return Measured(statistics.median(ratios), detail)


def scrape_ms(bench: Bench) -> Measured:
    """Over HTTP, each scrape more than a second after the one before it."""
    samples, size = bench.once(_scraped)
    return Measured(p50(samples), {"samples_ms": samples, "bytes": size})


def scrape_mb(bench: Bench) -> Measured:
    _, size = bench.once(_scraped)
    return Measured(size / _MB, {"bytes": size})


class _Asking:
    """A session that asks small queries, none of them twice."""

    def __init__(self, server: Server) -> None:
        self._gateway = server.gateway
        self._session = server.gateway.open_session(Identity("bench"))
        self._numbers = itertools.count(4)

    def cpu_of_block(self) -> float:
        started = time.process_time()
        for _ in range(_BLOCK):
            text = _QUERY.format(next(self._numbers))
            query = self._gateway.submit(QueryRequest(self._session.id, text))
            with self._gateway.fetch(query) as result:
                assert sum(batch.num_rows for batch in result) == 3
        return time.process_time() - started


def _in_turns(sides: list[_Asking], *, turned: bool) -> tuple[float, float]:
    order = reversed(sides) if turned else sides
    seconds = {id(side): side.cpu_of_block() for side in order}
    return seconds[id(sides[0])], seconds[id(sides[1])]


@contextmanager
def _server(home: Path, *, watched: bool) -> Iterator[Server]:
    given = {
        "home": home,
        "metrics": {"enabled": watched},
        "log": {"audit": watched},
        "history": {"enabled": watched},
        "trino": {"port": 0},
    }
    server = build(Settings.model_validate(given))
    try:
        server.listen_trino()  # a process that serves nobody keeps no history
        yield server
    finally:
        server.close()


def _scraped(bench: Bench) -> tuple[list[float], int]:
    settings = {
        "home": bench.folder(),
        "log": {"audit": False},
        "history": {"enabled": False},
    }
    server = build(Settings.model_validate(settings))
    http = HttpThread(health_app(server))
    http.start()
    try:
        for number in range(bench.repeats(_SEEN, 2_000)):
            record = _record(number)
            server.state.events.emit(QueryEvent(record.state.value, record.created, record))
        samples, size = [], 0
        for _ in range(bench.repeats(10, 2)):
            time.sleep(_PAUSE_S)
            seconds, text = timed(lambda: _get(f"{http.url}/metrics"))
            samples.append(seconds)
            size = len(text)
    finally:
        http.stop()
        server.close()
    return in_ms(samples), size


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as answer:
        text: bytes = answer.read()
    return text


_KINDS = [kind.label for kind in StatementKind]
_CODES = list(ErrorCode)
_PROTOCOLS = ("flight", "trino", "embedded")


def _record(number: int) -> QueryRecord:
    """Of all kinds, engines and protocols; every fifth has failed, with each of the errors."""
    failed = number % 5 == 0
    code = _CODES[number // 5 % len(_CODES)].name if failed else ""
    engine = list(EngineKind)[number % 3]
    return QueryRecord(
        query_id=f"q{number}",
        user=f"user{number % 1_000}",
        text="SELECT 1",
        state=QueryState.FAILED if failed else QueryState.FINISHED,
        created=float(number),
        kind=_KINDS[number // 7 % len(_KINDS)],
        origin=QueryOrigin(_PROTOCOLS[number // 11 % 3]),
        route=Route(engine, "because"),
        stage_seconds={"parse": 0.001, "start": 0.01},
        elapsed_s=0.001 * (number % 10_000),
        first_row_s=0.01,
        rows=number % 1_000,
        bytes=number * 10,
        error_code=code,
    )
