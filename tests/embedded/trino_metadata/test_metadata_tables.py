"""``"t$files"`` and its kin, with the columns, types and values that Trino gives them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.embedded.pipe.lake import Lake
from tests.trino.asking import Answer, Client

TABLE = """CREATE TABLE trino_md.t (a int NOT NULL, b string, d date,
    r struct<x: int, z: decimal(10,2)>, ts timestamp_ntz, tz timestamp, bi binary, db double)
    PARTITIONED BY (b, months(d)) TBLPROPERTIES ('k' = 'it''s')"""
ROWS = """INSERT INTO trino_md.t SELECT /*+ COALESCE(1) */ * FROM VALUES
    (1, 'x', DATE '2024-01-15', named_struct('x', 7, 'z', 2.5BD),
     TIMESTAMP_NTZ '1920-01-02 03:04:05.12', TIMESTAMP '2020-01-02 03:04:05.123456Z', X'01ff', 1.5),
    (2, 'x', DATE '2024-01-20', NULL, TIMESTAMP_NTZ '2020-01-02 03:04:05', NULL, NULL, NULL),
    (3, NULL, DATE '2024-02-01', NULL, NULL, NULL, NULL, NULL)"""


@pytest.fixture(scope="module")
def client(shared_lake: Lake, trino_address: str) -> Iterator[Client]:
    own = shared_lake.another_session(engine="auto")
    own.run("CREATE SCHEMA trino_md")
    own.run(TABLE.replace("it''s", "it\\'s"))
    own.run(ROWS)
    with closing(Client(trino_address, "lake", "trino_md")) as client:
        yield client
    own.run("DROP SCHEMA trino_md CASCADE")
    own.close()


def ask(client: Client, text: str) -> Answer:
    answer = client.ask(text)
    assert not answer.error, f"{answer.error}: {answer.message}"
    return answer


def types(answer: Answer) -> dict[str, str]:
    return {column["name"]: column["type"] for column in answer.columns}


def test_partitions_add_up_their_files(client: Client) -> None:
    answer = ask(client, 'SELECT * FROM "t$partitions" ORDER BY record_count')
    found = types(answer)
    assert list(found) == ["partition", "record_count", "file_count", "total_size", "data"]
    assert found["partition"] == "row(b varchar, d_month integer)"
    assert found["data"].startswith("row(a row(min integer, max integer, null_count bigint,")
    one, two = answer.data
    assert (one[0], one[1:3]) == ([None, 649], [1, 1])
    assert (two[0], two[1:3]) == (["x", 648], [2, 1])
    a, d, ts, tz, bi, db = two[4]
    assert a == [1, 2, 0, None]
    assert d == ["2024-01-15", "2024-01-20", 0, None]
    assert ts == ["1920-01-02 03:04:05.120000", "2020-01-02 03:04:05.000000", 0, None]
    assert tz[:3] == ["2020-01-02 03:04:05.123456 UTC"] * 2 + [1]
    assert (bi[:3], db[:3]) == (["Af8=", "Af8=", 1], [1.5, 1.5, 1])
    assert one[4][2] == [None, None, 1, None]  # a file without a value says nothing


def test_fields_of_rows_can_be_read_and_sorted_by(client: Client) -> None:
    text = 'SELECT partition.b, data.a.max FROM "t$partitions" ORDER BY partition.d_month DESC'
    assert ask(client, text).data == [[None, 3], ["x", 2]]
    text = 'SELECT * FROM "t$partitions" ORDER BY partition.d_month LIMIT 1'
    assert ask(client, text).data[0][0] == ["x", 648]


def test_files_have_their_bounds_as_text(client: Client) -> None:
    answer = ask(client, 'SELECT * FROM "t$files" WHERE record_count = 2')
    assert types(answer)["lower_bounds"] == "map(integer, varchar)"
    row = dict(zip(types(answer), answer.data[0], strict=True))
    assert (row["content"], row["file_format"], row["spec_id"]) == (0, "PARQUET", 0)
    assert row["partition"] == ["x", 648]
    ids = {"a": "1", "b": "2", "d": "3", "ts": "5", "tz": "6", "bi": "7", "db": "8"}
    assert {name: row["lower_bounds"][number] for name, number in ids.items()} == {
        "a": "1",
        "b": "x",
        "d": "2024-01-15",
        "ts": "1920-01-02T03:04:05.12",
        "tz": "2020-01-02T03:04:05.123456+00:00",
        "bi": "Af8=",
        "db": "1.5",
    }
    metrics = json.loads(row["readable_metrics"])
    assert list(metrics) == sorted(metrics)
    assert metrics["r.z"]["lower_bound"] == "2.50"
    assert metrics["bi"]["upper_bound"] == "01FF"
    assert metrics["ts"]["upper_bound"] == "2020-01-02T03:04:05"
    assert metrics["a"]["lower_bound"] == 1


@pytest.mark.parametrize("name", ["entries", "all_entries"])
def test_entries_are_files_with_their_snapshots(client: Client, name: str) -> None:
    answer = ask(client, f'SELECT status, data_file, readable_metrics FROM "t${name}"')
    assert types(answer)["data_file"].startswith("row(content integer, file_path varchar,")
    assert sorted((row[0], row[1][5]) for row in answer.data) == [(1, 1), (1, 2)]


def test_snapshots_history_and_refs(client: Client) -> None:
    text = "SELECT operation, summary['added-records'] FROM \"t$snapshots\""
    assert ask(client, text).data == [["append", "3"]]
    joined = """SELECT count(*) FROM "t$history" h JOIN "t$refs" r
        ON h.snapshot_id = r.snapshot_id WHERE h.is_current_ancestor AND r.type = 'BRANCH'"""
    assert ask(client, joined).data == [[1]]
    assert types(ask(client, 'SELECT * FROM "t$history"'))["made_current_at"] == (
        "timestamp(3) with time zone"
    )


def test_a_snapshot_is_in_the_history_once(client: Client, shared_lake: Lake) -> None:
    shared_lake.run("CREATE TABLE trino_md.h AS SELECT 1 AS a")
    first = shared_lake.rows("SELECT snapshot_id FROM trino_md.h.snapshots")[0][0]
    shared_lake.run("INSERT INTO trino_md.h VALUES (2)")
    shared_lake.run(f"CALL system.rollback_to_snapshot('trino_md.h', {first})")
    text = 'SELECT is_current_ancestor FROM "h$history" ORDER BY made_current_at'
    assert ask(client, text).data == [[True], [False]]


def test_manifests_and_the_log(client: Client) -> None:
    text = 'SELECT added_data_files_count, partition_summaries FROM "t$all_manifests"'
    answer = ask(client, text)
    assert answer.data == [[2, [[True, False, "x", "x"], [False, False, "2024-01", "2024-02"]]]]
    assert ask(client, 'SELECT count(*) FROM "t$metadata_log_entries"').data == [[2]]


def test_properties_are_the_tables(client: Client) -> None:
    found: dict[Any, Any] = dict(ask(client, 'SELECT * FROM "t$properties"').data)
    assert found["k"] == "it's"
    assert found["format-version"] == "2"


def test_describe_knows_them_too(client: Client) -> None:
    assert ask(client, 'DESCRIBE "t$refs"').data[0] == ["name", "varchar", "", ""]


def test_spark_gets_trinos_relations_as_literals(trino_address: str) -> None:
    """For what the local engine does not take, as arrays."""
    own = Client(trino_address, properties={"sqe.engine": "spark"})
    text = """SELECT resource_group_id, "end", state FROM system.runtime.queries
        WHERE query LIKE 'SELECT resource%' AND created IS NOT NULL"""
    assert own.ask(text).data == [[["global", "anonymous"], None, "RUNNING"]]
    nothing = own.ask("SELECT * FROM system.jdbc.udts")
    assert (nothing.error, nothing.data) == ("", [])
    own.close()
