"""A cancel cancels, at whatever moment it comes: the work ends with the query's record, and what
was written is there as a whole or not at all.

`make cancel-proof CASES=… SEED=…` tries more moments, and tells how soon the work had ended.
"""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.engines.spark.activity import Activity
from sqe.engines.spark.server import SparkServer
from sqe.model.query import QueryRecord
from tests.embedded.client.cancels import (
    KINDS,
    LOADED,
    READS,
    SETUP,
    WRITTEN,
    Case,
    Client,
    SqeClient,
    State,
    TrinoClient,
    cases,
)
from tests.embedded.client.conftest import Served, embedded_connection
from tests.embedded.client.left_files import left_files
from tests.embedded.pipe.lake import Lake, query_threads, until

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

_CASES, _SEED = 15, 3893
_TOLD = ("CANCELLED", "USER_CANCELED", "InterfaceError", "SESSION_NOT_FOUND", "")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        options = metafunc.config.getoption  # unknown where pytest did not begin in this folder
        count = options("cancel_cases", None) or _CASES
        metafunc.parametrize("case", cases(count, options("cancel_seed", None) or _SEED), ids=str)


@pytest.fixture(scope="module")
def lake(shared_lake: Lake) -> Iterator[Lake]:
    """Asks on the engine that does not wait for Spark."""
    shared_lake.all(*SETUP)
    asking = shared_lake.another_session(engine="auto")
    yield asking
    asking.close()


@pytest.fixture(scope="module")
def file(shared_lake: Lake) -> Path:
    """Rows to load."""
    file = shared_lake.server.settings.load.folders[0] / "cancels.json"
    file.write_text("".join(f'{{"id": {number}, "v": 1}}\n' for number in range(LOADED)))
    return file


@pytest.fixture
def client(case: Case, lake: Lake, served: Served, trino_address: str) -> Iterator[Client]:
    engine = KINDS[case.kind].engine
    opened: Client
    if case.client == "trino":
        opened = TrinoClient(trino_address, engine)
    elif case.client == "flight":
        opened = SqeClient(served.connect(), engine)
    else:
        opened = SqeClient(embedded_connection(lake), engine)
    yield opened
    opened.close()


def test_it_ends_at_once_and_leaves_nothing_behind(
    case: Case, client: Client, lake: Lake, file: Path, cancel_seconds: list[float]
) -> None:
    spark = lake.server.spark
    assert spark is not None
    left = left_files(lake, "cancels", "w")
    generation, before, even = spark.generation, state(lake), state(lake, "WHERE id % 2 = 0")
    told: list[str] = []
    reader = threading.Thread(target=lambda: told.append(client.read(case.text(file))))
    reader.start()
    assert until(lambda: records(lake, case) or told, 60)
    reader.join(case.moment)
    stopped = time.monotonic()
    while reader.is_alive():  # a cancel that comes before the client has an address does nothing
        client.close() if case.closes else client.cancel()
        reader.join(0.2)

    assert told[0] in _TOLD
    assert until(lambda: all(record.state.ended for record in records(lake, case)), 60)
    assert doing(spark, generation) == Activity(), "the record ended before the work"
    cancel_seconds.append(time.monotonic() - stopped)
    assert until(lambda: not query_threads(), 10)
    assert lake.server.status()["running_queries"] == 0
    assert spark.generation == generation, "Spark was replaced"
    assert_whole(case, lake, before, even)
    assert left_files(lake, "cancels", "w") <= left, "files of a write that never was"
    assert not left_files(lake, "cancels", f"n{case.number}")


@pytest.mark.parametrize("number", range(4))
def test_a_cancel_before_the_first_stage_ends_what_is_about_to_start(
    lake: Lake, mine: Lake, number: int
) -> None:
    """The operation runs, and its stages are on their way on other threads."""
    spark = lake.server.spark
    assert spark is not None
    large = f"range({10**11 + number})"
    query_id = mine.submit(f"SELECT id % 5, count(*) FROM {large} WHERE hash(id) > 5 GROUP BY 1")
    assert until(lambda: doing(spark, spark.generation).operations, 60)
    time.sleep(0.04 * number)
    mine.server.gateway.cancel(query_id)
    assert until(lambda: mine.record(query_id).state.ended, 60)
    time.sleep(0.3)  # by now it would have started
    assert doing(spark, spark.generation) == Activity()


@pytest.mark.parametrize(("table", "option"), [("w", "mergeSchema"), ("j", "create")])
def test_the_search_for_the_columns_of_files_is_cancelled(
    lake: Lake, mine: Lake, file: Path, table: str, option: str
) -> None:
    """Spark reads whole files for that, before there is a plan to run."""
    spark = lake.server.spark
    assert spark is not None
    large = file.with_name("large.json.gz")  # packed, it is the work of a single task
    with gzip.open(large, "wb", compresslevel=1) as opened:
        opened.write(b'{"id": 1, "v": 1, "w": {"x": [1.5, 2.5], "y": "some text"}}\n' * 1_500_000)
    query_id = mine.submit(
        f"COPY INTO cancels.{table} FROM '{large}' FILEFORMAT = JSON"
        f" COPY_OPTIONS ('{option}' = 'true')"
    )
    looks: list[Activity] = []

    def works() -> int:
        looks.append(doing(spark, spark.generation))
        return looks[-1].tasks

    assert until(works, 60)
    assert looks[-1].operations and not looks[-1].analyses, "an analysis cannot be cancelled"
    mine.server.gateway.cancel(query_id)
    assert until(lambda: mine.record(query_id).state.ended, 4), "the file is read to its end"
    assert doing(spark, spark.generation) == Activity()
    large.unlink()


def records(lake: Lake, case: Case) -> list[QueryRecord]:
    return [r for r in lake.server.gateway.records() if f"-- case {case.number}." in r.text]


def doing(spark: SparkServer, generation: int) -> Activity:
    activity = spark.activity(generation)
    assert activity is not None
    return activity


def state(lake: Lake, where: str = "") -> State:
    ((count, total),) = lake.rows(f"SELECT count(*), coalesce(sum(v), 0) FROM cancels.w {where}")
    return count, total


def assert_whole(case: Case, lake: Lake, before: State, even: State) -> None:
    """Also that the next query is answered."""
    kind, now = KINDS[case.kind], state(lake)
    if kind.after is not None:
        assert now in (before, kind.after(before, even))
    else:
        assert now == before
    made = lake.rows("SHOW TABLES IN cancels LIKE 'n*'")
    if case.kind == "create" and made:
        assert lake.value(f"SELECT count(*) FROM cancels.n{case.number}") == WRITTEN
        lake.run(f"DROP TABLE cancels.n{case.number} PURGE")
    else:
        assert made == []
    if case.kind in READS:
        assert lake.value("SELECT count(*) FROM range(10)") == 10
