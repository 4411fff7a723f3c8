"""The past of a table: snapshots, moments, branches, tags, metadata tables, changes."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import pytest

from sqe.binding.resolve import METADATA_TABLES
from sqe.errors import ErrorCode
from sqe.model.decision import Restrict, RowFilter
from sqe.model.masks import ConstantMask
from tests.embedded.history.conftest import Table
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


@pytest.fixture
def auto(shared_lake: Lake) -> Iterator[Lake]:
    own = shared_lake.another_session(engine="auto")
    yield own
    own.close()


def test_every_way_to_an_earlier_state_leads_there(table: Table, auto: Lake) -> None:
    first, second, _ = table.snapshots()
    table.lake.all(
        f"ALTER TABLE {table.name} CREATE TAG early AS OF VERSION {second}",
        f"ALTER TABLE {table.name} CREATE BRANCH b AS OF VERSION {second}",
    )
    made = {s["snapshot-id"]: s["timestamp-ms"] for s in table.metadata["snapshots"]}[second]
    moment = datetime.datetime.fromtimestamp(made / 1000, datetime.UTC)
    ways = [
        f" VERSION AS OF {second}",
        f" FOR VERSION AS OF {second}",
        f" FOR SYSTEM_VERSION AS OF {second}",
        f" SYSTEM_VERSION AS OF '{second}'",
        " VERSION AS OF 'early'",
        " FOR SYSTEM_VERSION AS OF 'b'",
        f" TIMESTAMP AS OF '{moment:%Y-%m-%d %H:%M:%S.%f}'",
        f" FOR SYSTEM_TIME AS OF TIMESTAMP '{moment:%Y-%m-%d %H:%M:%S.%f}'",
        ".tag_early",
        ".branch_b",
        f".snapshot_id_{second}",
        f".at_timestamp_{made}",
    ]
    for way in ways:
        assert table.ids(way) == [1, 2], way
        sql = f"SELECT id FROM {table.name}{way} ORDER BY id"
        assert auto.rows(sql) == [(1,), (2,)], way
    assert table.ids(f" VERSION AS OF {first} AS t WHERE t.id > 0") == [1]


def test_a_past_that_never_was_is_said_so(table: Table) -> None:
    for way in (
        " VERSION AS OF 5",
        " VERSION AS OF 'nope'",
        " TIMESTAMP AS OF '2001-01-01'",
        ".branch_nope",
        ".tag_nope",
        ".snapshot_id_5",
    ):
        error = table.lake.fails(f"SELECT * FROM {table.name}{way}")
        assert error.code is ErrorCode.SNAPSHOT_NOT_FOUND, (way, error)
        assert "org.apache" not in str(error)


def test_every_metadata_table_answers(table: Table) -> None:
    table.lake.run(
        f"ALTER TABLE {table.name} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')"
    )
    table.lake.run(f"INSERT INTO {table.name} SELECT id, 'x' FROM range(10, 20)")
    table.lake.run(f"DELETE FROM {table.name} WHERE id = 15")
    expected = {"snapshots": 5, "history": 5, "refs": 1, "position_deletes": 1, "delete_files": 1}
    for name in sorted(METADATA_TABLES - {"changes"}):
        count = table.lake.value(f"SELECT count(*) FROM {table.name}.{name}")
        assert count == expected.get(name, count) and count > 0, name


def test_changes_between_snapshots(table: Table) -> None:
    first, second, third = table.snapshots()
    table.lake.run(f"UPDATE {table.name} SET v = 'new' WHERE id = 2")
    last = table.snapshots()[-1]
    changes = "id, v, _change_type, _change_ordinal, _commit_snapshot_id"
    expected = [(2, "v2", "INSERT", 0, second), (3, "v3", "INSERT", 1, third)]
    options = f"WITH ('start-snapshot-id' = '{first}', 'end-snapshot-id' = '{third}')"
    for source in (
        f"{table.name}.changes {options}",
        f"lake.{table.name}.changes {options} AS c",
        f"table_changes('{table.name}', {first}, {third})",
        f"table_changes('lake.{table.name}', {first}, {third}) AS c",
    ):
        assert table.lake.rows(f"SELECT {changes} FROM {source} ORDER BY id") == expected
    assert table.lake.rows(
        f"SELECT {changes} FROM table_changes('{table.name}', {third}) ORDER BY v"
    ) == [(2, "new", "INSERT", 0, last), (2, "v2", "DELETE", 0, last)]
    assert table.lake.value(f"SELECT count(*) FROM {table.name}.changes") == 5
    assert table.ids(
        f" WITH ('start-snapshot-id' = '{second}', 'end-snapshot-id' = '{third}')"
    ) == [3]


def test_changes_that_cannot_be_told(table: Table) -> None:
    error = table.lake.fails(f"SELECT * FROM table_changes('{table.name}', 5, 6)")
    assert error.code is ErrorCode.SNAPSHOT_NOT_FOUND
    table.lake.run(
        f"ALTER TABLE {table.name} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')"
    )
    table.lake.run(f"INSERT INTO {table.name} SELECT id, 'x' FROM range(10, 20)")
    table.lake.run(f"DELETE FROM {table.name} WHERE id = 15")
    error = table.lake.fails(f"SELECT * FROM {table.name}.changes")
    assert error.code is ErrorCode.NOT_SUPPORTED


def test_the_changes_of_a_guarded_table_are_not_shown(table: Table) -> None:
    first = table.snapshots()[0]
    seen = Restrict("test", filters=(RowFilter("id <> 2"),), masks={"v": ConstantMask("***")})
    with table.lake.rules.on(f"lake.{table.name}", seen):
        for source in (
            f"{table.name}.changes",
            f"table_changes('{table.name}')",
            f"(SELECT * FROM table_changes('{table.name}', {first}))",
        ):
            error = table.lake.fails(f"SELECT * FROM {source}")
            assert error.code is ErrorCode.ACCESS_DENIED
        # Whether rows have been added between two snapshots may be about rows that are not shown.
        appended = f"SELECT id, v FROM {table.name} WITH ('start-snapshot-id' = '{first}')"
        assert table.lake.fails(appended).code is ErrorCode.NOT_SUPPORTED
    masked = Restrict("test", masks={"v": ConstantMask("***")})
    with table.lake.rules.on(f"lake.{table.name}", masked):
        # Rows that were appended are rows like others: the guard is around them.
        assert table.lake.rows(f"{appended} AS q WHERE q.id > 2") == [(3, "***")]
