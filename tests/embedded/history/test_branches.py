"""Branches, tags, writes to a branch, and write-audit-publish."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Restrict, RowFilter
from tests.embedded.history.conftest import Table
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


def test_branches_and_tags_are_made_replaced_and_dropped(table: Table) -> None:
    first, second, _ = table.snapshots()
    alter = f"ALTER TABLE {table.name}"
    table.lake.all(
        f"{alter} CREATE BRANCH b AS OF VERSION {first} RETAIN 7 DAYS"
        " WITH SNAPSHOT RETENTION 2 SNAPSHOTS 3 HOURS",
        f"{alter} CREATE BRANCH IF NOT EXISTS b AS OF VERSION {second}",
        f"{alter} CREATE TAG `end of-year` RETAIN 30 DAYS",
        f"{alter} CREATE TAG gone",
        f"{alter} CREATE OR REPLACE TAG gone AS OF VERSION {first}",
        f"{alter} DROP TAG gone",
        f"{alter} DROP BRANCH IF EXISTS never",
    )
    refs = table.metadata["refs"]
    assert refs.keys() == {"main", "b", "end of-year"}
    assert refs["b"] == {
        "type": "branch",
        "snapshot-id": first,
        "max-ref-age-ms": 7 * 86_400_000,
        "max-snapshot-age-ms": 3 * 3_600_000,
        "min-snapshots-to-keep": 2,
    }
    assert refs["end of-year"]["max-ref-age-ms"] == 30 * 86_400_000
    table.lake.run(f"{alter} REPLACE BRANCH b AS OF VERSION {second}")
    assert table.ids(".branch_b") == [1, 2]
    assert table.ids(".`tag_end of-year`") == [1, 2, 3]


IMPOSSIBLE = [
    ("CREATE BRANCH main", ErrorCode.INVALID_ARGUMENT),
    ("CREATE TAG t AS OF VERSION 5", ErrorCode.SNAPSHOT_NOT_FOUND),
    ("REPLACE TAG nope", ErrorCode.SNAPSHOT_NOT_FOUND),
    ("DROP BRANCH nope", ErrorCode.SNAPSHOT_NOT_FOUND),
    ("DROP BRANCH main", ErrorCode.INVALID_ARGUMENT),
    ("CREATE BRANCH b RETAIN 5", ErrorCode.SYNTAX_ERROR),
]


def test_what_cannot_be_changes_nothing(table: Table) -> None:
    before = table.loaded().metadata_location
    for clause, code in IMPOSSIBLE:
        error = table.lake.fails(f"ALTER TABLE {table.name} {clause}")
        assert error.code is code, (clause, error)
    assert table.loaded().metadata_location == before


def test_a_branch_is_written_to_and_main_is_left_alone(table: Table) -> None:
    lake, name = table.lake, table.name
    lake.all(
        f"ALTER TABLE {name} CREATE BRANCH b",
        f"INSERT INTO {name}.branch_b VALUES (4, 'new')",
        f"UPDATE {name}.`branch_b` SET v = 'changed' WHERE id = 1",
        f"DELETE FROM {name}.branch_b WHERE id = 2",
        f"MERGE INTO {name}.branch_b AS x USING (SELECT 5 AS id, 'm' AS v) AS s ON x.id = s.id"
        " WHEN NOT MATCHED THEN INSERT *",
    )
    assert table.ids() == [1, 2, 3]
    assert table.ids(".branch_b") == table.ids(" VERSION AS OF 'b'") == [1, 3, 4, 5]
    result = lake.rows(f"CALL system.fast_forward('{name}', 'main', 'b')")
    assert result[0][0] == "main"
    assert table.ids() == [1, 3, 4, 5]
    lake.run(f"TRUNCATE TABLE {name}.branch_b")
    assert table.ids(".branch_b") == []
    assert table.ids() == [1, 3, 4, 5]


def test_only_a_branch_that_is_there_is_written_to(table: Table) -> None:
    table.lake.run(f"ALTER TABLE {table.name} CREATE TAG t")
    before = table.loaded().metadata_location
    for suffix in ("branch_nope", "tag_t", "snapshots", "changes"):
        for sql in ("INSERT INTO {} VALUES (9, 'x')", "DELETE FROM {} WHERE id = 1"):
            error = table.lake.fails(sql.format(f"{table.name}.{suffix}"))
            unknown = suffix == "branch_nope"
            wanted = ErrorCode.SNAPSHOT_NOT_FOUND if unknown else ErrorCode.NOT_SUPPORTED
            assert error.code is wanted, (suffix, error)
    assert table.loaded().metadata_location == before


def test_who_sees_part_of_a_table_may_not_write_its_branches(table: Table) -> None:
    table.lake.run(f"ALTER TABLE {table.name} CREATE BRANCH b")
    with table.lake.rules.on(
        f"lake.{table.name}", Restrict("test", filters=(RowFilter("id = 1"),))
    ):
        assert table.ids(".branch_b") == [1]
        for sql in (
            f"INSERT INTO {table.name}.branch_b VALUES (9, 'x')",
            f"ALTER TABLE {table.name} DROP BRANCH b",
        ):
            assert table.lake.fails(sql).code is ErrorCode.ACCESS_DENIED


def test_write_audit_publish_on_a_branch(table: Table, mine: Lake) -> None:
    name = table.name
    mine.run(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.wap.enabled' = 'true')")
    mine.run("SET SESSION sqe.wap_branch = 'audit'")
    mine.run(f"INSERT INTO {name} VALUES (4, 'staged')")
    mine.run(f"DELETE FROM {name} WHERE id = 1")
    for engine in ("spark", "auto"):  # the local engine must not show another branch
        mine.session.set_property("sqe.engine", engine)
        assert mine.value(f"SELECT sum(id) FROM {name}") == 9
    assert table.ids() == [1, 2, 3]  # another session
    mine.session.set_property("sqe.engine", "local")
    assert "sqe.wap_branch" in str(mine.fails(f"SELECT sum(id) FROM {name}"))
    mine.session.set_property("sqe.engine", "auto")
    mine.run("RESET SESSION sqe.wap_branch")
    assert mine.value(f"SELECT sum(id) FROM {name}") == 6
    mine.run(f"CALL system.fast_forward('{name}', 'main', 'audit')")
    assert table.ids() == [2, 3, 4]


def test_write_audit_publish_by_id(table: Table, mine: Lake) -> None:
    name = table.name
    mine.run(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.wap.enabled' = 'true')")
    mine.run("SET SESSION sqe.wap_id = 'load 17'")
    mine.run(f"INSERT INTO {name} VALUES (4, 'staged')")
    assert table.ids() == [1, 2, 3]
    mine.run("SET SESSION sqe.wap_branch = 'audit'")
    both = mine.fails(f"INSERT INTO {name} VALUES (5, 'x')")
    assert both.code is ErrorCode.INVALID_ARGUMENT
    mine.all("RESET SESSION sqe.wap_id", "RESET SESSION sqe.wap_branch")
    unknown = mine.fails(f"CALL system.publish_changes('{name}', 'load 18')")
    assert unknown.code is ErrorCode.SNAPSHOT_NOT_FOUND
    mine.run(f"CALL system.publish_changes(table => '{name}', wap_id => 'load 17')")
    assert table.ids() == [1, 2, 3, 4]
