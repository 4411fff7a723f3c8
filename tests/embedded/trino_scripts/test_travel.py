"""FOR TIMESTAMP AS OF a moment that is calculated, and optimize of whole days."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.embedded.pipe.lake import Lake
from tests.trino.asking import Client

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
