"""INSERT, DELETE, UPDATE, MERGE, procedures and views."""

from __future__ import annotations

import json

import pytest

from tests.unit.trino.dialect.catalog import refusal, translated

_T = "`lake`.`s`.`t`"


def test_insert_casts_to_the_columns_types() -> None:
    made = translated("INSERT INTO t (name, id) SELECT 'x', BIGINT '5'")
    assert made.text.startswith(f"INSERT INTO {_T} (`name`, `id`) SELECT r1.`_col0`, ")
    assert "NULL value not allowed for NOT NULL column: id" in made.text
    assert (made.update_type, made.counts) == ("INSERT", True)


def test_insert_fails_for_rows_where_a_required_column_is_left_out() -> None:
    made = translated("INSERT INTO t (name) SELECT name FROM t")
    assert f"INSERT INTO {_T} (`name`, `id`) SELECT " in made.text
    assert "CONSTRAINT_VIOLATION:" in made.text
    assert "NULL value not allowed for NOT NULL column: id" in made.text


def test_delete_and_update_name_the_table_by_an_alias() -> None:
    assert translated("DELETE FROM t WHERE s.t.name = 'x'").text == (
        f"DELETE FROM {_T} AS r1 WHERE (r1.`name` = 'x')"
    )
    assert translated("DELETE FROM t").text == f"DELETE FROM {_T} AS r1"
    made = translated("UPDATE t SET name = t.name WHERE id = 1")
    assert made.text.startswith(f"UPDATE {_T} AS r1 SET `name` = r1.`name`")
    assert made.text.endswith(" WHERE (r1.`id` = 1)")


@pytest.mark.parametrize("change", ["DELETE FROM t", "UPDATE t SET name = 'x'"])
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("id IN (SELECT id FROM one)", "(r1.`id` IN (SELECT r2.`id` AS `id` FROM"),
        ("id NOT IN (SELECT id FROM one)", "(NOT (r1.`id` IN (SELECT r2.`id` AS `id` FROM"),
        ("id IN (SELECT id FROM one) AND id > 1", "((r1.`id` IN (SELECT r2.`id` AS `id` FROM"),
        ("(id, name) IN (SELECT id, name FROM t)", "((r1.`id`, r1.`name`) IN (SELECT"),
    ],
)
def test_a_list_that_chooses_rows_need_not_know_null(
    change: str, condition: str, expected: str
) -> None:
    _, _, where = translated(f"{change} WHERE {condition}").text.partition(" WHERE ")
    assert where.startswith(expected)


def test_merge_has_a_condition_in_every_case() -> None:
    made = translated(
        "MERGE INTO t USING one o ON t.id = o.id"
        " WHEN MATCHED AND o.id IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET name = 'x'"
        " WHEN NOT MATCHED THEN INSERT (id, name) VALUES (o.id, t.name)"
    )
    head, *cases = made.text.split(" WHEN ")
    assert head == (
        f"MERGE INTO {_T} AS r1 USING (SELECT r2.`id` AS c0 FROM `lake`.`s`.`one` AS r2) AS r3"
        " ON (r1.`id` = r3.c0)"
    )
    assert cases[0] == "MATCHED AND (r3.c0 IS NULL) THEN DELETE"
    assert cases[1] == "MATCHED AND true THEN UPDATE SET `name` = 'x'"
    # In a row that the target does not have, its columns are NULL.
    assert cases[2].startswith("NOT MATCHED AND true THEN INSERT (`id`, `name`) VALUES (coalesce(")
    assert cases[2].endswith(", CAST(NULL AS string))")


@pytest.mark.parametrize(
    ("sql", "name", "message"),
    [
        ("INSERT INTO n VALUES 1", "TABLE_NOT_FOUND", "1:1: Table 'lake.s.n' does not exist"),
        (
            "INSERT INTO one VALUES (1, 'x')",
            "TYPE_MISMATCH",
            "1:1: Insert query has mismatched column types: Table: [integer], "
            "Query: [integer, varchar(1)]",
        ),
        (
            "INSERT INTO t (price) VALUES 'x'",
            "TYPE_MISMATCH",
            "1:1: Insert query has mismatched column types: Table: [decimal(5,2)], "
            "Query: [varchar(1)]",
        ),
        (
            "INSERT INTO t (nosuch) VALUES 1",
            "COLUMN_NOT_FOUND",
            "1:1: Insert column name does not exist in target table: nosuch",
        ),
        (
            "INSERT INTO t (id, id) VALUES (1, 2)",
            "DUPLICATE_COLUMN_NAME",
            "1:1: Insert column name is specified more than once: id",
        ),
        ("INSERT INTO v VALUES 1", "NOT_SUPPORTED", "1:1: Inserting into views is not supported"),
        ("DELETE FROM v", "NOT_SUPPORTED", "1:1: Deleting from views is not supported"),
        ("UPDATE v SET id = 1", "NOT_SUPPORTED", "1:1: Updating views is not supported"),
        (
            "DELETE FROM t WHERE id",
            "TYPE_MISMATCH",
            "1:21: WHERE clause must evaluate to a boolean: actual type integer",
        ),
        (
            "UPDATE t SET nosuch = 1",
            "COLUMN_NOT_FOUND",
            "1:14: The UPDATE SET target column nosuch doesn't exist",
        ),
        (
            "UPDATE t SET id = 'x'",
            "TYPE_MISMATCH",
            "1:1: UPDATE table column types don't match SET expressions: Table: [integer], "
            "Expressions: [varchar(1)]",
        ),
        ("UPDATE t SET pos.x = 1", "SYNTAX_ERROR", "1:17: mismatched input '.'. Expecting: '='"),
        (
            "MERGE INTO t USING one o ON t.id WHEN MATCHED THEN DELETE",
            "TYPE_MISMATCH",
            "1:29: The MERGE predicate must evaluate to a boolean: actual type integer",
        ),
        (
            "MERGE INTO t USING one o ON true WHEN MATCHED THEN UPDATE SET nosuch = 1",
            "COLUMN_NOT_FOUND",
            "1:1: Merge column name does not exist in target table: nosuch",
        ),
        (
            "MERGE INTO t USING one o ON true WHEN MATCHED THEN UPDATE SET id = 'str'",
            "TYPE_MISMATCH",
            "1:34: MERGE table column types don't match for MERGE case 0, SET expressions: "
            "Table: [integer], Expressions: [varchar(3)]",
        ),
        (
            "CREATE VIEW t AS SELECT 1 AS a",
            "TABLE_ALREADY_EXISTS",
            "1:1: Table already exists: 'lake.s.t'",
        ),
        (
            "CREATE VIEW v AS SELECT 1 AS a",
            "TABLE_ALREADY_EXISTS",
            "1:1: View already exists: 'lake.s.v'",
        ),
        (
            "CREATE OR REPLACE VIEW v AS SELECT * FROM v",
            "VIEW_IS_RECURSIVE",
            "1:43: Statement would create a recursive view",
        ),
        (
            "ALTER TABLE t EXECUTE nosuch",
            "PROCEDURE_NOT_FOUND",
            "Table procedure not registered: NOSUCH",
        ),
        (
            "ALTER TABLE n EXECUTE optimize",
            "TABLE_NOT_FOUND",
            "1:7: Table 'lake.s.n' does not exist",
        ),
        (
            "ALTER TABLE t EXECUTE optimize(a => 1)",
            "INVALID_PROCEDURE_ARGUMENT",
            "1:32: Catalog 'lake' table procedure 'OPTIMIZE' property 'a' does not exist",
        ),
        (
            "ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '1d')",
            "INVALID_PROCEDURE_ARGUMENT",
            "Retention specified (1.00d) is shorter than the minimum retention configured in the "
            "system (7.00d). Minimum retention can be changed with "
            "iceberg.expire-snapshots.min-retention configuration property or "
            "lake.expire_snapshots_min_retention session property",
        ),
        (
            "ALTER TABLE t EXECUTE expire_snapshots WHERE id = 1",
            "NOT_SUPPORTED",
            "1:1: WHERE not supported for procedure EXPIRE_SNAPSHOTS",
        ),
        ("CALL nosuch.s.p()", "CATALOG_NOT_FOUND", "1:1: Catalog 'nosuch' not found"),
        (
            "CALL lake.system.nosuch()",
            "PROCEDURE_NOT_FOUND",
            "Procedure not registered: system.nosuch",
        ),
        (
            "CALL lake.system.rollback_to_snapshot('s')",
            "INVALID_ARGUMENTS",
            "1:1: Required procedure argument 'TABLE' is missing",
        ),
        (
            "CALL lake.system.rollback_to_snapshot(1, 2, 3)",
            "TYPE_MISMATCH",
            "1:39: Cannot cast type integer to varchar",
        ),
    ],
)
def test_mistakes_are_told_as_trino_tells_them(sql: str, name: str, message: str) -> None:
    assert refusal(sql) == (name, message)


def test_a_view_keeps_the_text_in_both_dialects() -> None:
    made = translated("CREATE VIEW n COMMENT 'c' AS SELECT 'x' AS A,  1 AS b")
    head, _, query = made.text.partition(" AS SELECT ")
    assert query == "'x' AS `A`, 1 AS `b`"
    assert head.startswith("CREATE VIEW `lake`.`s`.`n` (`a`, `b`) COMMENT 'c' TBLPROPERTIES (")
    assert "'trino.query' = 'SELECT\\n  \\'x\\' A\\n, 1 b\\n\\n'" in head
    assert f"'trino.columns' = '{json.dumps(['varchar(1)', 'integer'])}'" in head
    assert made.update_type == "CREATE VIEW"


def test_procedures_of_tables_are_icebergs() -> None:
    made = translated("ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '8d')")
    assert made.then == (
        "CALL `lake`.system.expire_snapshots(table => '`s`.`t`', "
        "older_than => TIMESTAMP '2026-01-02 12:00:00.000000Z')",
    )
    assert [column.name for column in made.columns] == ["rows"]
    (optimize,) = translated("ALTER TABLE t EXECUTE optimize WHERE name = 'x'").then
    assert optimize.startswith("CALL `lake`.system.rewrite_data_files(table => '`s`.`t`', options")
    assert optimize.endswith("where => '(`name` = \\'x\\')')")
    (rolled,) = translated("CALL lake.system.rollback_to_snapshot('s', 't', 5)").then
    assert rolled == (
        "CALL `lake`.system.rollback_to_snapshot(table => '`s`.`t`', snapshot_id => 5)"
    )


def test_optimize_of_what_is_no_partition_is_refused() -> None:
    name, message = refusal("ALTER TABLE t EXECUTE optimize WHERE id = 1")
    assert name == "NOT_SUPPORTED"
    assert "WHERE on id" in message


def test_a_query_is_killed_with_its_message() -> None:
    made = translated("CALL system.runtime.kill_query(query_id => 'abc_1', message => 'm')")
    assert (made.text, made.then) == ("", ("KILL QUERY 'abc_1' MESSAGE 'm'",))
    assert refusal("CALL system.runtime.kill_query('a b')") == (
        "INVALID_PROCEDURE_ARGUMENT",
        "Invalid id a b",
    )
