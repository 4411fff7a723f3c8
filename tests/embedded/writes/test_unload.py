"""COPY (query) TO a file: the rows of an ordinary query, on either engine, or no file at all."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Restrict, RowFilter
from sqe.model.query import EngineKind
from tests.embedded.pipe.lake import Lake, until

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]
ROWS = [
    ("1", "a,b", "1.50", "2024-05-01"),
    ("2", 'O"Brien\r\n', "", ""),
    ("3", "", "-0.25", "1900-01-01"),
]


@pytest.fixture(scope="module")
def source(shared_lake: Lake) -> str:
    shared_lake.all(
        "CREATE SCHEMA unload",
        "CREATE TABLE unload.t (id INT, s STRING, x DECIMAL(9, 2), d DATE)",
        "INSERT INTO unload.t VALUES (1, 'a,b', 1.5, DATE '2024-05-01'),"
        " (2, 'O\"Brien\\r\\n', NULL, NULL), (3, '', -0.25, DATE '1900-01-01')",
    )
    return "unload.t"


@pytest.fixture(params=["spark", "local"])
def session(request: pytest.FixtureRequest, shared_lake: Lake) -> Iterator[Lake]:
    own = shared_lake.another_session(engine=request.param)
    yield own
    own.close()


def test_rows_are_written_in_each_format(session: Lake, source: str, writable: Path) -> None:
    query = f"SELECT * FROM {source} ORDER BY id"
    sizes = {}
    for name in ("a.csv", "a.json", "a.parquet"):
        [(rows, files, size)] = session.rows(f"COPY ({query}) TO '{writable}/{name}'")
        assert (rows, files) == (3, 1)
        sizes[name] = size
    assert sizes == {path.name: path.stat().st_size for path in writable.iterdir()}
    with (writable / "a.csv").open(newline="", encoding="utf-8") as file:
        assert [tuple(row) for row in csv.reader(file)] == [("id", "s", "x", "d"), *ROWS]
    assert b'3,"",-0.25,1900-01-01\r\n' in (writable / "a.csv").read_bytes()
    lines = (writable / "a.json").read_text().splitlines()
    assert json.loads(lines[1]) == {"id": 2, "s": 'O"Brien\r\n', "x": None, "d": None}
    assert pq.read_table(writable / "a.parquet").equals(session.run(query))


def test_the_user_sees_in_the_file_what_they_see_in_the_table(
    session: Lake, source: str, writable: Path
) -> None:
    some = Restrict("rule", filters=(RowFilter("id > 1"),), hidden=frozenset({"x"}))
    copy = f"COPY (SELECT * FROM {source}) TO '{writable}/a.parquet'"
    with session.rules.on("lake.unload.t", some):
        session.run(copy)
    written = pq.read_table(writable / "a.parquet")
    assert sorted(written["id"].to_pylist()) == [2, 3]
    assert written.schema.names == ["id", "s", "d"]
    with session.rules.on("lake.unload.t", some):
        assert session.fails(copy).code is ErrorCode.INVALID_ARGUMENT  # it is there already


def test_what_fails_leaves_no_file(session: Lake, source: str, writable: Path) -> None:
    place = f"'{writable}/a.csv'"
    failing = f"SELECT 1 / (id - 3) FROM {source}"
    # The local engine leaves such errors to Spark, which may not run it in that session.
    is_local = session.session.property("sqe.engine") == "local"
    expected = ErrorCode.NOT_SUPPORTED if is_local else ErrorCode.DIVISION_BY_ZERO
    assert session.fails(f"COPY ({failing}) TO {place}").code is expected
    missing = session.fails(f"COPY (SELECT * FROM unload.none) TO {place}")
    assert missing.code is ErrorCode.TABLE_NOT_FOUND
    outside = f"'{session.home}/a.csv'"
    assert session.fails(f"UNLOAD (SELECT 1) TO {outside}").code is ErrorCode.ACCESS_DENIED
    assert os.listdir(writable) == []


def test_a_cancel_leaves_no_file(mine: Lake, writable: Path) -> None:
    query = "SELECT id, hash(id) AS h FROM range(100000000000)"
    query_id = mine.submit(f"COPY ({query}) TO '{writable}/a.csv'")
    assert until(lambda: os.listdir(writable), 60)
    mine.server.gateway.cancel(query_id)
    assert until(lambda: mine.record(query_id).state.ended, 60)
    assert mine.record(query_id).error_code == "CANCELLED"
    assert until(lambda: os.listdir(writable) == [], 60)


def test_the_file_loads_back_the_same(
    mine: Lake, source: str, writable: Path, loadable: Path
) -> None:
    mine.run(f"COPY (SELECT * FROM {source}) TO '{writable}/a.parquet' (COMPRESSION snappy)")
    os.link(writable / "a.parquet", loadable / "a.parquet")
    copy = f"COPY INTO unload.back FROM '{loadable}/a.parquet' FILEFORMAT = PARQUET"
    mine.run(f"{copy} COPY_OPTIONS ('create' = 'true')")
    both = [f"SELECT * FROM {table} ORDER BY id" for table in (source, "unload.back")]
    assert mine.rows(both[0]) == mine.rows(both[1])
    route = mine.last_record().route
    assert route is not None and route.engine is EngineKind.SPARK
