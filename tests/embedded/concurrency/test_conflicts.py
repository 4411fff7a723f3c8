"""Someone else's commit in the middle of a write: both are there, or the loser is told."""

from __future__ import annotations

import threading

import pytest

from tests.embedded.concurrency.meanwhile import SLOW, run, working
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


def made(lake: Lake, name: str, version: int = 2) -> str:
    lake.run(
        f"CREATE TABLE {name} TBLPROPERTIES ('format-version' = '{version}')"
        " AS SELECT id, 0L AS v FROM range(3)"
    )
    return name


def test_every_increment_of_one_row_counts(lake: Lake) -> None:
    table = made(lake, "conflict_counter")

    def count() -> None:
        own = lake.another_session()
        own.run(f"UPDATE {table} SET v = v + 1 WHERE id = 1")
        own.run(f"UPDATE {table} SET v = v + 1 WHERE id = 1")
        own.close()

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lake.rows(f"SELECT v FROM {table} WHERE id = 1") == [(6,)]


@pytest.mark.parametrize(
    ("name", "sql", "left"),
    [
        (
            "overwritten",
            "INSERT OVERWRITE {t} SELECT id, v + 1 FROM {t} WHERE v >= {slow}",
            [(0, 1), (1, 1), (2, 1), (9, 11)],
        ),
        (
            "merged",
            "MERGE INTO {t} AS t USING (SELECT 9L AS id, {slow} AS v) AS s ON t.id = s.id"
            " WHEN NOT MATCHED THEN INSERT *",
            [(0, 0), (1, 0), (2, 0), (9, 10)],
        ),
        (
            "deduplicated",
            "INSERT INTO {t} SELECT 9L, {slow} WHERE NOT EXISTS (SELECT 1 FROM {t} WHERE id = 9)",
            [(0, 0), (1, 0), (2, 0), (9, 10)],
        ),
        (
            "deleted",
            "DELETE FROM {t} WHERE v = (SELECT max(v) FROM {t}) + {slow}",
            [(0, 0), (1, 0), (2, 0)],
        ),
    ],
)
def test_a_write_sees_the_row_that_was_inserted_while_it_ran(
    mine: Lake, lake: Lake, name: str, sql: str, left: list[tuple[int, int]]
) -> None:
    """Of these Iceberg itself checks only the rows a DELETE changes, not what its query reads."""
    table = made(lake, f"conflict_{name}")
    text = sql.format(t=table, slow=SLOW)
    run(mine, text, working, lambda: lake.all(f"INSERT INTO {table} VALUES (9, 10)"))
    assert lake.rows(f"SELECT * FROM {table} ORDER BY id") == left


def test_a_query_is_named_by_the_snapshot_it_made(mine: Lake) -> None:
    table = made(mine, "conflict_named")
    query_id = mine.submit(f"INSERT INTO {table} VALUES (7, 7)")
    with mine.server.gateway.fetch(query_id) as result:
        result.read_all()
    made_by = f"SELECT summary['sqe.query-id'] FROM {table}.snapshots WHERE parent_id IS NOT NULL"
    assert mine.rows(made_by) == [(query_id,)]
