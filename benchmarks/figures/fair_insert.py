"""How long a small INSERT waits while another user loads a large file."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import duckdb

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.lakehouse import ThroughSqe
from benchmarks.timing import in_ms, p50, timed
from sqe.gateway.gateway import Gateway
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.server.build import build
from sqe.settings import LoadSettings, Settings, SparkSettings

ROWS_OF_A_MEGABYTE = 12_500
_VALUES = ", ".join(f"({n}, 'name {n}', {n}.5)" for n in range(1000))
_INSERT = f"INSERT INTO small VALUES {_VALUES}"
_COLUMNS = (
    "id BIGINT, account BIGINT, amount BIGINT, price DOUBLE, day DATE, kind STRING, note STRING"
)
_PAUSE_S = 0.5


def fair_small_insert(bench: Bench) -> Measured:
    """The slowest INSERT beside the COPY over the median of those before and after it."""
    folder = bench.folder()
    megabytes = bench.repeats(1024, 64)
    warm, large = _csv(folder, 32), _csv(folder, megabytes)
    settings = Settings(
        home=folder / "home",
        load=LoadSettings(folders=(folder,)),
        spark=SparkSettings(jars=bench.jars, class_data_sharing=False),
    )
    with closing(build(settings)) as server:
        loader, writer = (_session(server.gateway, user) for user in ("loader", "writer"))
        loader.run(f"CREATE TABLE large ({_COLUMNS})")
        writer.run("CREATE TABLE small (id INT, name STRING, value DOUBLE)")
        loader.run(_copy(warm))
        for _ in range(bench.repeats(10, 2)):
            writer.run(_INSERT)
        insert = partial(timed, partial(writer.run, _INSERT))
        runs = bench.repeats(5, 2)
        alone = [insert()[0] for _ in range(runs)]
        beside, copied = _beside(partial(loader.run, _copy(large)), lambda: insert()[0])
        alone += [insert()[0] for _ in range(runs)]
    return Measured(
        round(max(beside) / p50(alone), 2),
        {
            "csv_mb": megabytes,
            "copy_s": round(copied, 1),
            "alone_p50_ms": p50(in_ms(alone)),
            "beside_p50_ms": p50(in_ms(beside)),
            "beside_over_alone_p50": round(p50(beside) / p50(alone), 2),
            "alone_ms": in_ms(alone),
            "beside_ms": in_ms(beside),
        },
    )


def _beside(copy: Callable[[], object], insert: Callable[[], float]) -> tuple[list[float], float]:
    """Seconds of each INSERT that began while the COPY ran, and of the COPY."""
    seconds: list[float] = []
    thread = threading.Thread(target=lambda: seconds.append(timed(copy)[0]))
    thread.start()
    time.sleep(2 * _PAUSE_S)
    beside: list[float] = []
    while thread.is_alive():
        beside.append(insert())
        time.sleep(_PAUSE_S)
    thread.join()
    if not seconds or not beside:
        raise AssertionError("the COPY failed, or ended before an INSERT began")
    return beside, seconds[0]


def _session(gateway: Gateway, user: str) -> ThroughSqe:
    return ThroughSqe(
        gateway, gateway.open_session(Identity(user), SchemaName("lake", ("default",)))
    )


def _copy(file: Path) -> str:
    return (
        f"COPY INTO large FROM '{file}' FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true')"
        " COPY_OPTIONS ('force' = 'true')"
    )


def _csv(folder: Path, megabytes: int) -> Path:
    file = folder / f"{megabytes}.csv"
    duckdb.execute(
        "COPY (SELECT range AS id, hash(range) % 1000000 AS account,"
        " hash(range + 1) % 1000000000 AS amount, round(random() * 1000, 4) AS price,"
        " DATE '2026-01-01' + (range % 365)::INT AS day, 'kind ' || range % 8 AS kind,"
        f" md5(range::VARCHAR) AS note FROM range({megabytes * ROWS_OF_A_MEGABYTE}))"
        f" TO '{file}' (HEADER)"
    )
    return file
