"""CALL: every procedure does what it says, and what is wrong leaves the table as it was."""

from __future__ import annotations

import datetime

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Deny, Restrict, RowFilter
from sqe.model.query import QueryRequest
from sqe.settings import Settings
from tests.embedded.conftest import Another
from tests.embedded.history.conftest import Table
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


def test_rolling_back_and_forth(table: Table) -> None:
    first, second, third = table.snapshots()
    call, name = table.lake.rows, table.name
    assert call(f"CALL system.rollback_to_snapshot('{name}', {second})") == [(third, second)]
    assert table.ids() == [1, 2]
    assert call(f"CALL system.set_current_snapshot('{name}', {third})") == [(second, third)]
    made = {s["snapshot-id"]: s["timestamp-ms"] for s in table.metadata["snapshots"]}[first]
    after = datetime.datetime.fromtimestamp((made + 1) / 1000, datetime.UTC)
    call(f"CALL system.rollback_to_timestamp('{name}', TIMESTAMP '{after:%F %T.%f}')")
    assert table.ids() == [1]
    table.lake.run(f"ALTER TABLE {name} CREATE TAG late AS OF VERSION {third}")
    call(f"CALL lake.system.set_current_snapshot(table => '{name}', ref => 'late')")
    assert table.ids() == [1, 2, 3]
    ancestors = call(f"CALL system.ancestors_of('{name}')")
    assert [snapshot for snapshot, _ in ancestors] == [third, second, first]


def test_a_moment_is_the_sessions(table: Table, mine: Lake) -> None:
    """What the user writes in their own zone is what Spark goes by."""
    mine.run("SET TIME ZONE 'Pacific/Auckland'")
    zone = datetime.timezone(datetime.timedelta(hours=13))
    now = datetime.datetime.now(zone) + datetime.timedelta(hours=2)
    before = table.snapshots()[-1]
    mine.run(f"CALL system.rollback_to_timestamp('{table.name}', '{now:%F %T} Etc/GMT-13')")
    assert table.snapshots()[-1] == before
    error = mine.fails(f"CALL system.rollback_to_timestamp('{table.name}', '2001-01-01')")
    assert error.code is ErrorCode.INVALID_ARGUMENT


def test_a_snapshot_is_picked_from_a_branch(table: Table) -> None:
    name = table.name
    table.lake.run(f"ALTER TABLE {name} CREATE BRANCH b")
    table.lake.run(f"INSERT INTO {name}.branch_b VALUES (4, 'b')")
    staged = table.metadata["refs"]["b"]["snapshot-id"]
    table.grow(5)
    table.lake.run(f"CALL system.cherrypick_snapshot('{name}', {staged})")
    assert table.ids() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "arguments",
    [
        "strategy => 'binpack'",
        "strategy => 'sort', sort_order => 'v DESC NULLS LAST'",
        "strategy => 'sort', sort_order => 'zorder(id, v)'",
        "where => \"id < 3 AND v <> 'it''s'\"",
    ],
)
def test_small_files_become_few(table: Table, arguments: str) -> None:
    [(rewritten, added, size, failed, _)] = table.lake.rows(
        f"CALL system.rewrite_data_files(table => '{table.name}', {arguments},"
        " options => map('min-input-files', '2'))"
    )
    assert (added, failed) == (1, 0)
    assert rewritten == (2 if "where" in arguments else 3)
    assert size > 0
    assert table.ids() == [1, 2, 3]


def test_manifests_deletes_and_statistics(table: Table) -> None:
    name, lake = table.name, table.lake
    assert lake.rows(f"CALL system.rewrite_manifests('{name}')") == [(3, 1)]
    lake.run(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    lake.run(f"INSERT INTO {name} SELECT id, 'x' FROM range(10, 20)")
    lake.all(*(f"DELETE FROM {name} WHERE id = {number}" for number in (11, 13)))
    [(rewritten, added, _, _)] = lake.rows(
        f"CALL system.rewrite_position_delete_files('{name}', map('rewrite-all', 'true'))"
    )
    assert rewritten >= added
    [(file,)] = lake.rows(f"CALL system.compute_table_stats(table => '{name}')")
    assert file.endswith(".stats")
    assert table.metadata["statistics"]
    assert table.ids() == [1, 2, 3, 10, 12, *range(14, 20)]


def test_snapshots_are_expired_and_the_rest_stays_readable(table: Table) -> None:
    first, second, third = table.snapshots()
    name = table.name
    table.lake.run(f"ALTER TABLE {name} CREATE TAG keep AS OF VERSION {first}")
    table.lake.run(f"CALL system.expire_snapshots('{name}', older_than => now(), retain_last => 1)")
    assert table.snapshots() == [first, third]
    assert table.ids(".tag_keep") == [1]
    assert table.ids() == [1, 2, 3]
    error = table.lake.fails(f"SELECT * FROM {name} VERSION AS OF {second}")
    assert error.code is ErrorCode.SNAPSHOT_NOT_FOUND


def test_a_tables_metadata_is_staged_for_another_place(table: Table) -> None:
    location = table.metadata["location"]
    call = f"CALL system.rewrite_table_path('{table.name}', '{location}', 's3://there/t'"
    [(version, files, manifests, _)] = table.lake.rows(f"{call})")
    assert version.endswith(".metadata.json")
    assert files.startswith(location)
    assert manifests == 3
    for place in ("/tmp/elsewhere", f"{location}/../other", f"{location}2", "s3://there/x"):
        error = table.lake.fails(f"{call}, staging_location => '{place}')")
        assert error.code is ErrorCode.INVALID_ARGUMENT


def test_a_dropped_table_is_registered_again(table: Table) -> None:
    file = table.loaded().metadata_location
    table.lake.run(f"DROP TABLE {table.name}")
    [(snapshot, rows, files)] = table.lake.rows(
        f"CALL system.register_table('{table.name}', '{file}')"
    )
    assert (snapshot, rows, files) == (table.snapshots()[-1], 3, 3)
    assert table.ids() == [1, 2, 3]


UNCHANGED = [
    ("rollback_to_snapshot('{}', 5)", ErrorCode.SNAPSHOT_NOT_FOUND),
    ("rollback_to_timestamp('{}', '2001-01-01')", ErrorCode.INVALID_ARGUMENT),
    ("set_current_snapshot('{}', 5)", ErrorCode.SNAPSHOT_NOT_FOUND),
    ("set_current_snapshot('{}')", ErrorCode.INVALID_ARGUMENT),
    ("cherrypick_snapshot('{}', 5)", ErrorCode.SNAPSHOT_NOT_FOUND),
    ("fast_forward('{}', 'main', 'nope')", ErrorCode.SNAPSHOT_NOT_FOUND),
    ("expire_snapshots('{}', snapshot_ids => array(5))", ErrorCode.SNAPSHOT_NOT_FOUND),
    ("expire_snapshots('{}', retain_last => 0)", ErrorCode.INVALID_ARGUMENT),
    ("remove_orphan_files('{}', older_than => now())", ErrorCode.INVALID_ARGUMENT),
    ("remove_orphan_files('{}', location => '/')", ErrorCode.INVALID_ARGUMENT),
    ("rewrite_data_files('{}', strategy => 'magic')", ErrorCode.INVALID_ARGUMENT),
    ("rewrite_data_files('{}', options => map('a', 'b'))", ErrorCode.INVALID_ARGUMENT),
    ("rewrite_data_files('{}', where => 'nope = 1')", ErrorCode.INVALID_ARGUMENT),
    ("rewrite_data_files('{}', where => 'id IN (SELECT 1)')", ErrorCode.NOT_SUPPORTED),
    ("compute_table_stats('{}', columns => array('nope'))", ErrorCode.INVALID_ARGUMENT),
    ("compute_partition_stats('{}')", ErrorCode.INVALID_ARGUMENT),
    ("forget_everything('{}')", ErrorCode.FUNCTION_NOT_FOUND),
    ("ancestors_of('{}x')", ErrorCode.TABLE_NOT_FOUND),
    ("ancestors_of('{}.snapshots')", ErrorCode.NOT_SUPPORTED),
]


def test_what_is_wrong_is_said_and_changes_nothing(table: Table) -> None:
    before = table.loaded().metadata_location
    for call, code in UNCHANGED:
        error = table.lake.fails("CALL system." + call.format(table.name))
        assert error.code is code, (call, error)
        assert "org.apache" not in str(error) and "q_" not in str(error)
    assert table.loaded().metadata_location == before
    assert table.ids() == [1, 2, 3]


def test_to_explain_or_describe_a_call_is_not_to_run_it(table: Table) -> None:
    before = table.loaded().metadata_location
    call = f"CALL system.rollback_to_snapshot('{table.name}', {table.snapshots()[0]})"
    request = QueryRequest(table.lake.session.id, call)
    described = table.lake.server.gateway.describe(request)
    columns = described.columns
    assert [column.name for column in columns] == ["previous_snapshot_id", "current_snapshot_id"]
    plan = table.lake.explained(f"EXPLAIN {call}")
    assert f"lake.{table.name}" in plan and "q_" not in plan
    assert table.loaded().metadata_location == before
    result = table.lake.run(call)
    assert result.schema.equals(described.schema)
    assert not described.changes
    assert table.ids() == [1]


def test_who_sees_part_of_a_table_runs_no_procedure_on_it(table: Table) -> None:
    before = table.loaded().metadata_location
    for answer in (Restrict("test", filters=(RowFilter("id = 1"),)), Deny("test")):
        with table.lake.rules.on(f"lake.{table.name}", answer):
            for procedure in ("ancestors_of", "rewrite_data_files", "expire_snapshots"):
                error = table.lake.fails(f"CALL system.{procedure}('{table.name}')")
                assert error.code is ErrorCode.ACCESS_DENIED
    assert table.loaded().metadata_location == before


def test_a_view_is_no_table(table: Table) -> None:
    view = f"{table.name}_view"
    table.lake.run(f"CREATE VIEW {view} AS SELECT * FROM {table.name}")
    for procedure in ("ancestors_of", "expire_snapshots"):
        error = table.lake.fails(f"CALL system.{procedure}('{view}')")
        assert error.code is ErrorCode.NOT_SUPPORTED
    table.lake.run(f"DROP VIEW {view}")


def test_the_floor_of_the_settings_holds(another: Another) -> None:
    lake = another(Settings())
    lake.all("CREATE TABLE t (id INT)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)")
    snapshots = lake.rows("SELECT snapshot_id FROM t.snapshots ORDER BY committed_at")
    for arguments in (
        "older_than => now()",
        "older_than => now() - INTERVAL 59 MINUTES",
        "older_than => TIMESTAMP '2100-01-01 00:00:00'",
        f"snapshot_ids => array({snapshots[0][0]})",
    ):
        error = lake.fails(f"CALL system.expire_snapshots('t', {arguments})")
        assert error.code is ErrorCode.INVALID_ARGUMENT
        assert "maintenance.min_snapshot_age_s" in error.hint
        assert error.position is not None
    lake.run("CALL system.expire_snapshots('t', older_than => now() - INTERVAL 61 MINUTES)")
    assert lake.rows("SELECT snapshot_id FROM t.snapshots ORDER BY committed_at") == snapshots
