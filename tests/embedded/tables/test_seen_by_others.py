"""What one session changes, every other session sees with its next statement."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode
from tests.embedded.tables.desk import Desk

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


def test_changes_are_seen_at_once_by_both_engines(desk: Desk) -> None:
    """Nothing about a table is kept between statements but under its metadata file's name."""
    desk.run("CREATE TABLE t (id INT, s STRING)", "INSERT INTO t VALUES (1, 'a')")
    other = desk.spark.another_session(user="bob")
    other.run(f"USE {desk.schema}")
    readers = (desk.local, other)

    def seen(sql: str) -> list[tuple[object, ...]]:
        first, second = (reader.rows(sql) for reader in readers)
        assert first == second
        return first

    assert seen("SELECT * FROM t") == [(1, "a")]
    desk.run("ALTER TABLE t ADD COLUMN n INT FIRST")
    assert seen("SELECT * FROM t") == [(None, 1, "a")]
    desk.run("ALTER TABLE t RENAME COLUMN s TO u", "ALTER TABLE t DROP COLUMN n")
    assert seen("SELECT u FROM t") == [("a",)]
    for reader in readers:
        assert reader.fails("SELECT t.s FROM t").code is ErrorCode.COLUMN_NOT_FOUND
    desk.run("DROP TABLE t")
    for reader in readers:
        assert reader.fails("SELECT * FROM t").code is ErrorCode.TABLE_NOT_FOUND
    desk.run("CREATE TABLE t AS SELECT 5 AS five")
    assert seen("SELECT * FROM t") == [(5,)]
    desk.run("ALTER TABLE t RENAME TO u", "CREATE VIEW t AS SELECT six FROM (SELECT 6 AS six)")
    assert seen("SELECT * FROM t") == [(6,)]
    desk.run("ALTER VIEW t AS SELECT 7 AS seven")
    assert seen("SELECT seven FROM t") == [(7,)]
    other.close()
