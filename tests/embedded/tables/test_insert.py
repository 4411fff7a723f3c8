"""INSERT in all its forms, and TRUNCATE."""

from __future__ import annotations

import pytest

from tests.embedded.tables.desk import Desk

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


@pytest.fixture
def parted(desk: Desk) -> Desk:
    desk.run(
        "CREATE TABLE t (id INT, v DECIMAL(6, 2), r STRING) PARTITIONED BY (r)",
        "INSERT INTO t VALUES (1, 1.5, 'a'), (2, NULL, 'b')",
    )
    return desk


def ids(desk: Desk) -> list[tuple[int, str]]:
    return [(row[0], row[1]) for row in desk.both("SELECT id, r FROM t")]


def test_by_place_by_name_and_by_list(parted: Desk) -> None:
    parted.run(
        "INSERT INTO t BY NAME SELECT 'c' AS r, 3 AS id, 4 AS v",
        "INSERT INTO t (r, id) VALUES ('d', 4)",
        "INSERT INTO t PARTITION (r = 'e') VALUES (5, 1)",
        "INSERT INTO t PARTITION (r = 'f') (id) VALUES (6)",
        "WITH x AS (SELECT 7 AS a) INSERT INTO t SELECT a, NULL, 'g' FROM x",
        "INSERT INTO t TABLE t",
        "INSERT INTO t FROM t SELECT id + 10, v, r WHERE id = 1",
    )
    letters = "abcdefg"
    twice = [(n + 1, letter) for n, letter in enumerate(letters) for _ in (1, 2)]
    assert ids(parted) == sorted([*twice, (11, "a"), (11, "a")], key=repr)


def test_overwrite_of_the_table_or_of_partitions(parted: Desk) -> None:
    parted.run("INSERT OVERWRITE t PARTITION (r = 'a') SELECT 10, 1")
    assert ids(parted) == [(10, "a"), (2, "b")]
    parted.run(
        "SET SESSION sqe.partition_overwrite = 'dynamic'",
        "INSERT OVERWRITE t SELECT 20, 1, 'b'",
    )
    assert ids(parted) == [(10, "a"), (20, "b")]
    parted.run("INSERT OVERWRITE t PARTITION (r) SELECT 30, 1, 'c'")
    assert ids(parted) == [(10, "a"), (20, "b"), (30, "c")]
    parted.run(
        "SET SESSION sqe.partition_overwrite = 'static'",
        "INSERT OVERWRITE t SELECT 40, 1, 'b'",
    )
    assert ids(parted) == [(40, "b")]


def test_replace_where(parted: Desk) -> None:
    parted.run("INSERT INTO t REPLACE WHERE r = 'b' AND id < 5 SELECT 3, 1, 'b'")
    assert ids(parted) == [(1, "a"), (3, "b")]


def test_truncate(parted: Desk) -> None:
    parted.run("TRUNCATE TABLE t")
    assert ids(parted) == []
    assert len(parted.rows("SELECT * FROM t.snapshots")) == 2, "the history stays"


def test_values_that_a_default_gives(desk: Desk) -> None:
    desk.run(
        "CREATE TABLE t (id INT, s STRING NOT NULL DEFAULT 'x', n BIGINT DEFAULT 2 + 3,"
        " d DATE DEFAULT DATE '2020-01-02', e DECIMAL(6, 2) DEFAULT 1.5, b BOOLEAN DEFAULT true)"
        " TBLPROPERTIES ('format-version' = '3')",
        "INSERT INTO t (id) VALUES (1)",
        "INSERT INTO t VALUES (2, DEFAULT, NULL, DEFAULT, 7, false)",
    )
    rows = desk.both("SELECT id, s, n, CAST(d AS STRING), CAST(e AS STRING), b FROM t")
    assert rows == [
        (1, "x", 5, "2020-01-02", "1.50", True),
        (2, "x", None, "2020-01-02", "7.00", False),
    ]
