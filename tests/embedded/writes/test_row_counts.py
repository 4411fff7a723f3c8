"""Every write says how many rows it changed, exactly."""

from __future__ import annotations

import json

import pytest

from sqe.model.query import RowsAffected
from tests.embedded.pipe.lake import Lake
from tests.embedded.writes.conftest import WAYS, NewTable

TEN = "SELECT CAST(id AS INT), 'a' FROM range(10)"


def changed(lake: Lake, sql: str) -> RowsAffected | None:
    """What the reader of the result is told, which is what the record keeps."""
    query_id = lake.submit(sql)
    with lake.server.gateway.fetch(query_id) as result:
        assert result.read_all().num_columns == 0
        affected = result.rows_affected
    return affected


@pytest.mark.parametrize("way", WAYS)
def test_row_level_statements_on_every_kind_of_table(
    writes: Lake, new_table: NewTable, way: str
) -> None:
    table = new_table("id INT, v STRING", way, TEN)
    steps: list[tuple[str, RowsAffected]] = [
        (f"UPDATE {table} AS x SET v = upper(v) WHERE x.id < 3", RowsAffected(updated=3)),
        (f"DELETE FROM {table} WHERE id = 3", RowsAffected(deleted=1)),
        (
            # These files have delete files by now, unless they were rewritten.
            f"DELETE FROM {table} WHERE id = 6 OR id = (SELECT max(id) FROM {table})",
            RowsAffected(deleted=2),
        ),
        (f"DELETE FROM {table} WHERE id > 1000", RowsAffected(deleted=0)),
        (
            f"MERGE INTO {table} t USING (SELECT explode(array(1, 2, 50)) AS id) s ON t.id = s.id "
            "WHEN MATCHED AND s.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'm' "
            "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'n') "
            "WHEN NOT MATCHED BY SOURCE AND t.id = 0 THEN UPDATE SET v = 'z'",
            RowsAffected(1, 2, 1),
        ),
        (
            f"MERGE INTO {table} t USING (SELECT explode(array(2, 2)) AS id) s ON t.id = s.id "
            "WHEN MATCHED THEN DELETE",  # the row matches twice and goes once
            RowsAffected(0, 0, 1),
        ),
        (f"TRUNCATE TABLE {table}", RowsAffected(deleted=6)),
    ]
    assert [changed(writes, sql) for sql, _ in steps] == [affected for _, affected in steps]


def test_inserts_and_tables_made_of_queries(writes: Lake, new_table: NewTable) -> None:
    table = new_table("id INT, v STRING")
    assert changed(writes, f"INSERT INTO {table} {TEN}") == RowsAffected(inserted=10)
    assert changed(writes, f"INSERT INTO {table} {TEN} WHERE id > 99") == RowsAffected(inserted=0)
    assert changed(writes, f"INSERT OVERWRITE {table} VALUES (1, 'x')") == RowsAffected(inserted=1)
    made = f"CREATE OR REPLACE TABLE {table} AS SELECT id FROM range(4)"
    assert changed(writes, made) == RowsAffected(inserted=4)
    only_inserts = (
        f"MERGE INTO {table} t USING (SELECT explode(array(3, 4)) AS id) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT *"
    )
    assert changed(writes, only_inserts) == RowsAffected(1, 0, 0)
    assert changed(writes, f"ALTER TABLE {table} ADD COLUMN w INT") is None


def test_an_update_is_counted_where_it_was_made(writes: Lake, new_table: NewTable) -> None:
    """Whole files are rewritten here: the count is made afterwards, on what was there before."""
    table = new_table("id INT, v STRING", rows=TEN)
    writes.run(f"ALTER TABLE {table} CREATE BRANCH b")
    on_branch = f"UPDATE {table}.branch_b SET id = id + 100 WHERE id > 7"
    assert changed(writes, on_branch) == RowsAffected(updated=2)
    moved = f"UPDATE {table} SET id = id + 100 WHERE id > (SELECT avg(id) FROM {table})"
    assert changed(writes, moved) == RowsAffected(updated=5)
    assert changed(writes, f"UPDATE {table} SET v = 'all'") == RowsAffected(updated=10)


def test_a_count_that_may_come_out_otherwise_is_not_told(writes: Lake, new_table: NewTable) -> None:
    table = new_table("id INT, at TIMESTAMP", rows="VALUES (1, current_timestamp()), (2, NULL)")
    update = f"UPDATE {table} SET id = 9 WHERE at <= current_timestamp()"
    assert changed(writes, update) is None
    assert writes.rows(f"SELECT id FROM {table} ORDER BY id") == [(2,), (9,)]


def test_the_record_the_audit_log_and_explain_analyze_say_it_too(
    writes: Lake, new_table: NewTable
) -> None:
    table = new_table("id INT, v STRING")
    query_id = writes.submit(f"INSERT INTO {table} {TEN}")
    writes.server.gateway.fetch(query_id).read_all()
    plan = writes.explained(f"EXPLAIN ANALYZE DELETE FROM {table} WHERE id < 4")
    assert "4 rows deleted" in plan
    assert writes.record(query_id).affected == RowsAffected(inserted=10)
    lines = (writes.home / "logs" / "audit.jsonl").read_text().splitlines()
    ends = [json.loads(line) for line in lines if query_id in line]
    assert ends[-1]["affected"] == {"inserted": 10}


def test_a_read_has_no_such_number(writes: Lake) -> None:
    with writes.server.gateway.fetch(writes.submit("SELECT 1")) as result:
        result.read_all()
        assert result.rows_affected is None


def test_a_snapshot_names_the_query_that_wrote_it(writes: Lake, new_table: NewTable) -> None:
    table = new_table("id INT, v STRING")
    query_id = writes.submit(f"INSERT INTO {table} {TEN}")
    writes.server.gateway.fetch(query_id).read_all()
    written = writes.value(f"SELECT summary['sqe.query-id'] FROM {table}.snapshots")
    assert written == query_id
