"""CREATE, ALTER and DROP of schemas and tables. Errors are what a real Trino 476 said."""

from __future__ import annotations

import pytest

from tests.unit.trino.dialect.catalog import refusal, translated

_MODES = "'write.delete.mode' = 'merge-on-read', 'write.merge.mode' = 'merge-on-read'"
_EMPTY = "INSERT INTO `lake`.`s`.`n` SELECT * FROM `lake`.`s`.`n` WHERE false"


def test_columns_get_the_types_that_trinos_connector_stores() -> None:
    made = translated(
        "CREATE TABLE n (A tinyint, b char(4), c varchar(3), d timestamp(0),"
        " e timestamp(3) with time zone, f row(x smallint, y array(real)), g decimal(5,2))"
    )
    assert made.text == (
        "CREATE TABLE `lake`.`s`.`n` (`a` int, `b` string, `c` string, `d` timestamp_ntz,"
        " `e` timestamp, `f` struct<`x`:int,`y`:array<float>>, `g` decimal(5,2))"
        f" TBLPROPERTIES ({_MODES})"
    )
    assert made.update_type == "CREATE TABLE"
    assert made.then == (_EMPTY,)


def test_what_is_said_about_columns_and_the_table_is_kept() -> None:
    made = translated(
        "CREATE TABLE IF NOT EXISTS n (a integer NOT NULL COMMENT 'it''s', b integer) COMMENT 'c'"
    )
    assert made.text == (
        "CREATE TABLE IF NOT EXISTS `lake`.`s`.`n` (`a` int NOT NULL COMMENT 'it\\'s', `b` int)"
        f" COMMENT 'c' TBLPROPERTIES ({_MODES})"
    )


def test_properties_become_iceberg_s() -> None:
    made = translated(
        "CREATE TABLE n (a integer, b varchar, c date) WITH (format = 'ORC', format_version = 3,"
        " max_commit_retry = 7, orc_bloom_filter_columns = ARRAY['B'],"
        " partitioning = ARRAY['b', 'month(c)', 'bucket(a, 4)', 'truncate(\"b\", 3)'],"
        " sorted_by = ARRAY['a', 'b DESC', 'c ASC NULLS LAST'])"
    )
    assert made.text == (
        "CREATE TABLE `lake`.`s`.`n` (`a` int, `b` string, `c` date)"
        " PARTITIONED BY (`b`, months(`c`), bucket(4, `a`), truncate(3, `b`))"
        " TBLPROPERTIES ('write.format.default' = 'orc', 'format-version' = '3',"
        " 'commit.retry.num-retries' = '7', 'write.orc.bloom.filter.columns' = 'b',"
        f" {_MODES})"
    )
    assert made.then == (
        "ALTER TABLE `lake`.`s`.`n` WRITE LOCALLY ORDERED BY `a` ASC NULLS FIRST,"
        " `b` DESC NULLS LAST, `c` ASC NULLS LAST",
        _EMPTY,
    )


def test_a_table_of_version_1_has_no_delete_files() -> None:
    assert (
        "merge-on-read"
        not in translated("CREATE TABLE n (a integer) WITH (format_version = 1)").text
    )


def test_like_takes_the_columns_and_with_properties_everything() -> None:
    assert translated("CREATE TABLE n (a integer, LIKE one)").text == (
        f"CREATE TABLE `lake`.`s`.`n` (`a` int, `id` int) TBLPROPERTIES ({_MODES})"
    )
    assert translated("CREATE TABLE n (LIKE t INCLUDING PROPERTIES)").text == (
        "CREATE TABLE `lake`.`s`.`n` LIKE `lake`.`s`.`t`"
    )


def test_a_table_that_is_there_may_stay_or_be_replaced() -> None:
    assert translated("CREATE TABLE IF NOT EXISTS t (a integer)").text == ""
    assert translated("CREATE OR REPLACE TABLE t (a integer)").text.startswith(
        "CREATE OR REPLACE TABLE `lake`.`s`.`t` (`a` int)"
    )


def test_a_replaced_table_keeps_none_of_trinos_properties() -> None:
    head = "ALTER TABLE `lake`.`s`.`t` UNSET TBLPROPERTIES IF EXISTS"
    bloom = "'write.parquet.bloom-filter-enabled.column.id'"
    made = translated("CREATE OR REPLACE TABLE t (a integer) WITH (format = 'AVRO')")
    assert made.then[0] == f"{head} ('comment', {bloom})"
    made = translated("CREATE OR REPLACE TABLE t COMMENT 'new' AS SELECT 1 AS a")
    assert made.then == (f"{head} ('write.format.default', {bloom})",)


def test_ctas_stores_the_columns_of_its_query() -> None:
    made = translated("CREATE TABLE n COMMENT 'c' AS SELECT 1 AS A, 'x' AS b")
    assert made.text == (
        f"CREATE TABLE `lake`.`s`.`n` COMMENT 'c' TBLPROPERTIES ({_MODES}) AS SELECT r1.`A` AS `a`,"
        " r1.`b` AS `b` FROM (SELECT 1 AS `A`, 'x' AS `b`) AS r1"
    )
    assert made.counts
    assert translated("CREATE TABLE n (q) AS SELECT 1 AS a WITH NO DATA").text.endswith(
        "AS SELECT r1.`a` AS `q` FROM (SELECT 1 AS `a`) AS r1 WHERE false"
    )
    kept = translated("CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS a")
    assert (kept.text, kept.counts) == ("", True)


@pytest.mark.parametrize(
    ("sql", "spark", "update_type"),
    [
        ("CREATE SCHEMA n", "CREATE SCHEMA `lake`.`n`", "CREATE SCHEMA"),
        ("DROP SCHEMA s CASCADE", "DROP SCHEMA `lake`.`s` CASCADE", "DROP SCHEMA"),
        ("DROP TABLE t", "DROP TABLE `lake`.`s`.`t` PURGE", "DROP TABLE"),
        ("DROP TABLE IF EXISTS n", "", "DROP TABLE"),
        ("DROP VIEW v", "DROP VIEW `lake`.`s`.`v`", "DROP VIEW"),
        (
            "ALTER TABLE t RENAME TO n",
            "ALTER TABLE `lake`.`s`.`t` RENAME TO `lake`.`s`.`n`",
            "RENAME TABLE",
        ),
        ("TRUNCATE TABLE t", "TRUNCATE TABLE `lake`.`s`.`t`", "TRUNCATE TABLE"),
        ("COMMENT ON TABLE t IS NULL", "COMMENT ON TABLE `lake`.`s`.`t` IS NULL", "COMMENT"),
        (
            "COMMENT ON COLUMN t.id IS 'x'",
            "COMMENT ON COLUMN `lake`.`s`.`t`.`id` IS 'x'",
            "COMMENT",
        ),
        (
            "ALTER TABLE t ADD COLUMN IF NOT EXISTS pos.z bigint COMMENT 'z' AFTER name",
            "ALTER TABLE `lake`.`s`.`t` ADD COLUMN `pos`.`z` bigint COMMENT 'z' AFTER `name`",
            "ADD COLUMN",
        ),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS id bigint", "", "ADD COLUMN"),
        (
            "ALTER TABLE t ADD COLUMN z integer FIRST",
            "ALTER TABLE `lake`.`s`.`t` ADD COLUMN `z` int FIRST",
            "ADD COLUMN",
        ),
        (
            "ALTER TABLE t DROP COLUMN pos.x",
            "ALTER TABLE `lake`.`s`.`t` DROP COLUMN `pos`.`x`",
            "DROP COLUMN",
        ),
        ("ALTER TABLE t DROP COLUMN IF EXISTS nosuch", "", "DROP COLUMN"),
        (
            "ALTER TABLE t RENAME COLUMN pos.x TO q",
            "ALTER TABLE `lake`.`s`.`t` RENAME COLUMN `pos`.`x` TO `q`",
            "RENAME COLUMN",
        ),
        (
            "ALTER TABLE t ALTER COLUMN id SET DATA TYPE bigint",
            "ALTER TABLE `lake`.`s`.`t` ALTER COLUMN `id` TYPE bigint",
            "SET COLUMN TYPE",
        ),
        (
            "ALTER TABLE t ALTER COLUMN price SET DATA TYPE decimal(9,2)",
            "ALTER TABLE `lake`.`s`.`t` ALTER COLUMN `price` TYPE decimal(9,2)",
            "SET COLUMN TYPE",
        ),
        (
            "ALTER TABLE t ALTER COLUMN id DROP NOT NULL",
            "ALTER TABLE `lake`.`s`.`t` ALTER COLUMN `id` DROP NOT NULL",
            "DROP NOT NULL",
        ),
    ],
)
def test_other_definitions(sql: str, spark: str, update_type: str) -> None:
    made = translated(sql)
    assert (made.text, made.update_type) == (spark, update_type)
    assert not made.columns


def test_analyze_answers_a_row_without_a_number() -> None:
    made = translated("ANALYZE t WITH (columns = ARRAY['id'])")
    assert made.then == ("ANALYZE TABLE `lake`.`s`.`t` COMPUTE STATISTICS FOR COLUMNS `id`",)
    assert made.text == "SELECT CAST(NULL AS BIGINT)"
    assert [column.name for column in made.columns] == ["rows"]


def test_new_partitioning_drops_and_adds_fields() -> None:
    made = translated(
        "ALTER TABLE t SET PROPERTIES format = 'AVRO', max_commit_retry = DEFAULT,"
        " partitioning = ARRAY['name', 'bucket(id, 2)'], sorted_by = ARRAY[]"
    )
    head = "ALTER TABLE `lake`.`s`.`t`"
    assert (made.text, *made.then) == (
        f"{head} SET TBLPROPERTIES ('write.format.default' = 'avro')",
        f"{head} UNSET TBLPROPERTIES IF EXISTS ('commit.retry.num-retries')",
        f"{head} DROP PARTITION FIELD days(`ts`)",
        f"{head} ADD PARTITION FIELD bucket(2, `id`)",
        f"{head} WRITE UNORDERED",
    )


@pytest.mark.parametrize(
    ("sql", "name", "message"),
    [
        ("CREATE SCHEMA s", "SCHEMA_ALREADY_EXISTS", "1:1: Schema 'lake.s' already exists"),
        ("CREATE SCHEMA nosuch.x", "CATALOG_NOT_FOUND", "1:1: Catalog 'nosuch' not found"),
        ("DROP SCHEMA x", "SCHEMA_NOT_FOUND", "1:1: Schema 'lake.x' does not exist"),
        (
            "CREATE TABLE t (a integer)",
            "TABLE_ALREADY_EXISTS",
            "1:1: Table 'lake.s.t' already exists",
        ),
        ("CREATE TABLE x.t (a integer)", "NOT_FOUND", "Schema x not found"),
        (
            "CREATE TABLE n (a integer, a bigint)",
            "DUPLICATE_COLUMN_NAME",
            "1:28: Column name 'a' specified more than once",
        ),
        ("CREATE TABLE n (a foo)", "TYPE_NOT_FOUND", "1:17: Unknown type 'foo' for column 'a'"),
        ("CREATE TABLE n (a json)", "NOT_SUPPORTED", "Type not supported for Iceberg: json"),
        (
            "CREATE TABLE n (a time(6))",
            "NOT_SUPPORTED",
            "1:19: A column of type time(6) is not supported",
        ),
        (
            "CREATE TABLE n (a integer, LIKE nosuch)",
            "TABLE_NOT_FOUND",
            "1:1: LIKE table 'lake.s.nosuch' does not exist",
        ),
        (
            "CREATE TABLE n (a integer) WITH (format = 'CSV')",
            "INVALID_TABLE_PROPERTY",
            "1:34: Unable to set catalog 'lake' table property 'format' to ['CSV']: "
            "Invalid value [CSV]. Valid values: [ORC, PARQUET, AVRO]",
        ),
        (
            "CREATE TABLE n (a integer) WITH (nosuch = 1)",
            "INVALID_TABLE_PROPERTY",
            "1:34: Catalog 'lake' table property 'nosuch' does not exist",
        ),
        (
            "CREATE TABLE n (a integer) WITH (partitioning = 'a')",
            "INVALID_TABLE_PROPERTY",
            "1:34: Invalid value for catalog 'lake' table property 'partitioning': "
            "Cannot convert ['a'] to array(varchar)",
        ),
        (
            "CREATE TABLE n (a integer) WITH (partitioning = ARRAY['nosuch'])",
            "INVALID_TABLE_PROPERTY",
            "Unable to parse partitioning value: Cannot find source column: nosuch",
        ),
        (
            "CREATE TABLE n (a integer) WITH (partitioning = ARRAY['day(a)'])",
            "INVALID_TABLE_PROPERTY",
            "Unable to parse partitioning value: Invalid source type int for transform: day",
        ),
        (
            "CREATE TABLE n (a integer) WITH (partitioning = ARRAY['foo(a)'])",
            "INVALID_TABLE_PROPERTY",
            "Unable to parse partitioning value: Invalid partition field declaration: foo(a)",
        ),
        (
            "CREATE TABLE n (a integer) WITH (extra_properties = MAP(ARRAY['k'], ARRAY['v']))",
            "INVALID_TABLE_PROPERTY",
            "Illegal keys in extra_properties: [k]",
        ),
        (
            "CREATE TABLE n AS SELECT 1",
            "MISSING_COLUMN_NAME",
            "1:1: Column name not specified at position 1",
        ),
        (
            "CREATE TABLE n AS SELECT NULL AS a",
            "COLUMN_TYPE_UNKNOWN",
            "1:1: Column type is unknown: a",
        ),
        (
            "CREATE TABLE n (a) AS VALUES (1, 2)",
            "MISMATCHED_COLUMN_ALIASES",
            "1:17: Column alias list has 1 entries but relation has 2 columns",
        ),
        ("DROP TABLE n", "TABLE_NOT_FOUND", "1:1: Table 'lake.s.n' does not exist"),
        (
            "DROP TABLE v",
            "GENERIC_USER_ERROR",
            "1:1: Table 'lake.s.v' does not exist, but a view with that name exists. "
            "Did you mean DROP VIEW lake.s.v?",
        ),
        ("DROP VIEW n", "GENERIC_USER_ERROR", "1:1: View 'lake.s.n' does not exist"),
        ('DROP TABLE "t$files"', "NOT_SUPPORTED", 'lake.s."t$files" cannot be changed'),
        (
            "ALTER TABLE t RENAME TO one",
            "TABLE_ALREADY_EXISTS",
            "1:1: Target table 'lake.s.one' already exists",
        ),
        (
            "ALTER TABLE t RENAME TO nosuch.x.y",
            "CATALOG_NOT_FOUND",
            "1:1: Target catalog 'nosuch' not found",
        ),
        ("ALTER TABLE t RENAME TO x.y", "NOT_FOUND", "Schema x not found"),
        (
            "ALTER TABLE t ADD COLUMN id integer",
            "COLUMN_ALREADY_EXISTS",
            "1:1: Column 'id' already exists",
        ),
        (
            "ALTER TABLE t ADD COLUMN z integer NOT NULL",
            "NOT_SUPPORTED",
            "This connector does not support adding not null columns",
        ),
        (
            "ALTER TABLE t ADD COLUMN pos.x integer",
            "COLUMN_ALREADY_EXISTS",
            "1:1: Field 'x' already exists",
        ),
        ("ALTER TABLE t ADD COLUMN id.x integer", "NOT_SUPPORTED", "Unsupported type: integer"),
        (
            "ALTER TABLE one DROP COLUMN id",
            "NOT_SUPPORTED",
            "1:1: Cannot drop the only column in a table",
        ),
        ("ALTER TABLE t DROP COLUMN name", "NOT_SUPPORTED", "Cannot drop partition field: name"),
        (
            "ALTER TABLE t RENAME COLUMN id TO name",
            "COLUMN_ALREADY_EXISTS",
            "1:1: Column 'name' already exists",
        ),
        (
            "ALTER TABLE t ALTER COLUMN price SET DATA TYPE decimal(9,4)",
            "ICEBERG_COMMIT_ERROR",
            "Failed to set column type: Cannot change column type: price: "
            "decimal(5, 2) -> decimal(9, 4)",
        ),
        (
            "ALTER TABLE t ALTER COLUMN name DROP NOT NULL",
            "NOT_SUPPORTED",
            "1:1: Column is already nullable",
        ),
        (
            "ALTER TABLE t SET PROPERTIES location = 'x'",
            "NOT_SUPPORTED",
            "The following properties cannot be updated: location",
        ),
        (
            "ALTER TABLE t SET PROPERTIES format_version = 1",
            "ICEBERG_COMMIT_ERROR",
            "Failed to set new property values",
        ),
        ("TRUNCATE TABLE v", "NOT_SUPPORTED", "1:1: Cannot truncate a view"),
        ("COMMENT ON TABLE n IS 'x'", "TABLE_NOT_FOUND", "1:1: Table does not exist: lake.s.n"),
        ("COMMENT ON COLUMN t.n IS 'x'", "COLUMN_NOT_FOUND", "1:1: Column does not exist: n"),
        (
            "ANALYZE t WITH (columns = ARRAY['nosuch'])",
            "INVALID_ANALYZE_PROPERTY",
            "Invalid columns specified for analysis: [nosuch]",
        ),
        (
            "CREATE FUNCTION f() RETURNS int RETURN 1",
            "NOT_SUPPORTED",
            "1:1: Catalog and schema must be specified when function schema is not configured",
        ),
        (
            "GRANT SELECT ON t TO ROLE bob WITH GRANT OPTION",
            "NOT_SUPPORTED",
            "1:1: SQE does not manage grants and roles (the setting policy.sql is off):"
            " GRANT is not supported",
        ),
    ],
)
def test_mistakes_are_told_as_trino_tells_them(sql: str, name: str, message: str) -> None:
    assert refusal(sql) == (name, message)
