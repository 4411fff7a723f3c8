"""FOR TIMESTAMP AS OF a moment that is calculated, and optimize of whole days."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from sqe.model.decision import Restrict, RowFilter
from tests.embedded.pipe.lake import Lake
from tests.trino.asking import Answer, Client

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def client(shared_lake: Lake, trino_address: str) -> Iterator[Client]:
    shared_lake.run("CREATE SCHEMA trino_travel")
    shared_lake.run("CREATE TABLE lake.trino_travel.t (a int)")
    shared_lake.run("INSERT INTO lake.trino_travel.t VALUES (1), (2)")
    with closing(Client(trino_address, "lake", "trino_travel")) as opened:
        yield opened
    shared_lake.run("DROP SCHEMA trino_travel CASCADE")


def test_only_the_past_can_be_read(client: Client) -> None:
    def count(moment: str) -> tuple[list[list[object]], bool]:
        answer = client.ask(f"SELECT count(*) FROM t FOR TIMESTAMP AS OF {moment}")
        return answer.data, bool(answer.error)

    assert count("now() - INTERVAL '0.001' SECOND") == ([[2]], False)
    assert count("now() - INTERVAL '30' DAY") == ([], True)  # there was no table then
    assert count("now() + INTERVAL '1' DAY") == ([], True)
    assert count("date_add('year', 3, current_timestamp)") == ([], True)


def test_days_are_optimized(client: Client) -> None:
    made = "CREATE TABLE m (ts timestamp(6), n integer) WITH (partitioning = ARRAY['day(ts)'])"
    assert not client.ask(made).error
    for hour in (10, 12):
        row = f"(TIMESTAMP '2024-01-01 {hour}:00:00', {hour})"
        assert not client.ask(f"INSERT INTO m VALUES {row}").error
    assert not client.ask("INSERT INTO m VALUES (TIMESTAMP '2024-01-02 10:00:00', 1)").error
    text = "ALTER TABLE m EXECUTE optimize WHERE CAST(ts AS date) = DATE '2024-01-01'"
    assert not client.ask(text).error
    assert client.ask('SELECT record_count FROM "m$files" ORDER BY 1').data == [[1], [2]]
    again = "ALTER TABLE m EXECUTE optimize WHERE ts >= TIMESTAMP '2024-01-01 00:00:00'"
    assert not client.ask(again).error
    assert client.ask("SELECT n FROM m ORDER BY n").data == [[1], [10], [12]]


def test_changes_between_two_snapshots(client: Client) -> None:
    assert not client.ask("CREATE TABLE changed (a integer, b varchar)").error
    for row in ("(1, 'x'), (2, 'y')", "(3, 'x')"):
        assert not client.ask(f"INSERT INTO changed VALUES {row}").error
    past = 'SELECT snapshot_id FROM "changed$snapshots" ORDER BY committed_at'
    first, second, last = [row[0] for row in client.ask(past).data]

    def ask(start: int, end: int, items: str = "*") -> Answer:
        call = f"TABLE(lake.system.table_changes('trino_travel', 'changed', {start}, {end}))"
        return client.ask(f"SELECT {items} FROM {call} ORDER BY 1")

    rows = [
        [1, "x", "insert", second, 0],
        [2, "y", "insert", second, 0],
        [3, "x", "insert", last, 1],
    ]
    names = ("a", "b", "_change_type", "_change_version_id", "_change_ordinal")
    answer = ask(first, last)
    assert [column["name"] for column in answer.columns] == [
        *names[:4],
        "_change_timestamp",
        names[4],
    ]
    assert [[*row[:4], row[5]] for row in answer.data] == rows
    # Iceberg itself fails if some of its own columns are read without the others.
    for i, name in enumerate(names):
        assert ask(first, last, name).data == sorted([row[i]] for row in rows)
    assert not ask(first, last, "max(_change_timestamp)").error
    for start, end in ((last, first), (first, first), (first, 1)):
        assert ask(start, end).error == "INVALID_FUNCTION_ARGUMENT"


def test_who_sees_a_part_travels_whatever_hidden_columns_have_become(
    client: Client, shared_lake: Lake
) -> None:
    assert not client.ask("CREATE TABLE part (a integer, b varchar)").error
    assert not client.ask("INSERT INTO part VALUES (1, 'x'), (2, 'y')").error
    past = client.ask('SELECT snapshot_id, committed_at FROM "part$snapshots"').data
    for change in ("ADD COLUMN c varchar", "RENAME COLUMN c TO d"):
        assert not client.ask(f"ALTER TABLE part {change}").error
    assert not client.ask("INSERT INTO part VALUES (3, 'z', 'w')").error
    rule = Restrict("part", (RowFilter("a > 1"),), hidden=frozenset({"d"}))
    states = [f"VERSION AS OF {past[-1][0]}", f"TIMESTAMP AS OF TIMESTAMP '{past[-1][1]}'"]
    with shared_lake.rules.on("lake.trino_travel.part", rule):
        for state in states:
            answer = client.ask(f"SELECT * FROM part FOR {state}")
            assert answer.data == [[2, "y"]], answer.error
        yesterday = client.ask("SELECT * FROM part FOR TIMESTAMP AS OF now() - INTERVAL '1' DAY")
        assert (yesterday.data, bool(yesterday.error)) == ([], True)
        assert client.ask("SELECT * FROM part ORDER BY a").data == [[2, "y"], [3, "z"]]
