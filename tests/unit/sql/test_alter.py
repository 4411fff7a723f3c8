"""ALTER, COMMENT ON and CREATE TABLE: what is read, what is refused, and in which words."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.sql.alter import AlterTable, ColumnsWithDefaults, RenameTable
from sqe.sql.alter_actions import AlterColumnDefault, Role
from sqe.sql.comments import CommentOn, CommentOnSchema
from sqe.sql.create_table import CreateTableLike
from sqe.sql.parse import parse
from sqe.sql.schema_changes import AlterSchema
from sqe.sql.statement import Access, Statement, StatementKind
from sqe.sql.views import AlterViewProperties, ViewDefinition


def refused(text: str) -> UserError:
    with pytest.raises(UserError) as raised:
        parse(text)
    return raised.value


def uses(text: str) -> list[tuple[str, Role]]:
    command = parse(text).command
    assert isinstance(command, AlterTable)
    return [(".".join(use.path), use.role) for use in command.uses]


@pytest.mark.parametrize(
    "action",
    [
        "ADD COLUMN a INT",
        "ADD COLUMN a INT NOT NULL COMMENT 'x' FIRST",
        "ADD COLUMNS (a INT, b STRUCT<x: INT NOT NULL COMMENT 'c', y ARRAY<MAP<STRING, INT>>>)",
        "ADD COLUMNS a DECIMAL(10, 2) AFTER `b c`, s.x VARCHAR(10)",
        "ADD COLUMN points.element.z DOUBLE AFTER y",
        "ADD COLUMN m.value.b TIMESTAMP_NTZ",
        "DROP COLUMN a",
        "DROP COLUMNS IF EXISTS (a, s.x)",
        "RENAME COLUMN s.x TO y",
        "ALTER COLUMN a TYPE BIGINT",
        "ALTER a COMMENT 'it''s'",
        "ALTER COLUMN l.element.x FIRST",
        "ALTER COLUMN a AFTER b",
        "ALTER COLUMN a SET NOT NULL",
        "ALTER COLUMN a DROP NOT NULL",
        "ALTER COLUMN a TYPE BIGINT, b COMMENT 'x', c FIRST",
        "CHANGE COLUMN a a BIGINT COMMENT 'x' AFTER b",
        "REPLACE COLUMNS (a INT, b STRING COMMENT 'x')",
        "SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read', my.own = 5)",
        "SET TBLPROPERTIES ('write.metadata.metrics.column.a' = 'counts')",
        "UNSET TBLPROPERTIES IF EXISTS ('a', b.c)",
        "ADD PARTITION FIELD a",
        "ADD PARTITION FIELD bucket(16, s.a) AS shard",
        "DROP PARTITION FIELD days(ts)",
        "DROP PARTITION FIELD shard",
        "REPLACE PARTITION FIELD days(ts) WITH hours(ts) AS h",
        "WRITE ORDERED BY a DESC NULLS LAST, truncate(2, b), c.d",
        "WRITE LOCALLY ORDERED BY (a ASC, b)",
        "WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY a",
        "WRITE DISTRIBUTED BY PARTITION",
        "WRITE UNORDERED",
        "SET IDENTIFIER FIELDS a, s.b",
        "DROP IDENTIFIER FIELDS a",
    ],
)
def test_what_spark_is_given(action: str) -> None:
    text = f"ALTER TABLE db.`t` {action}"
    statement = parse(text)
    assert statement.kind is StatementKind.ALTER_TABLE
    assert statement.text == text
    [reference] = statement.references
    assert (reference.parts, reference.access) == (("db", "t"), Access.ALTER)


@pytest.mark.parametrize(
    ("action", "code", "words"),
    [
        ("", ErrorCode.SYNTAX_ERROR, "needs to know"),
        ("FROBNICATE", ErrorCode.SYNTAX_ERROR, "ALTER TABLE takes one of"),
        ("ADD COLUMN a STRNG", ErrorCode.INVALID_ARGUMENT, "There is no type STRNG"),
        ("ADD COLUMN a ARRAY<STRNG>", ErrorCode.INVALID_ARGUMENT, "There is no type STRNG"),
        ("ADD COLUMN a", ErrorCode.SYNTAX_ERROR, "Expected a type"),
        ("ADD COLUMN a TIME", ErrorCode.NOT_SUPPORTED, "TIME cannot be stored"),
        ("ADD COLUMN a INTERVAL DAY", ErrorCode.NOT_SUPPORTED, "INTERVAL cannot be stored"),
        ("ADD COLUMN a STRING COLLATE UTF8_LCASE", ErrorCode.NOT_SUPPORTED, "COLLATE"),
        ("ADD COLUMN a ARRAY<STRING COLLATE UNICODE>", ErrorCode.NOT_SUPPORTED, "COLLATE"),
        ("ALTER COLUMN a TYPE STRING COLLATE UNICODE", ErrorCode.NOT_SUPPORTED, "COLLATE"),
        ("ADD COLUMNS (a INT, A INT)", ErrorCode.AMBIGUOUS_NAME, "defined twice"),
        ("ADD COLUMN a INT AS SELECT 1", ErrorCode.SYNTAX_ERROR, "Expected the end"),
        ("ADD CONSTRAINT c CHECK (a > 1)", ErrorCode.NOT_SUPPORTED, "ADD CONSTRAINT"),
        ("ADD PARTITION (a = 1)", ErrorCode.NOT_SUPPORTED, "ADD PARTITION"),
        ("DROP PARTITION (a = 1)", ErrorCode.NOT_SUPPORTED, "DROP PARTITION"),
        ("SET LOCATION 's3://elsewhere'", ErrorCode.NOT_SUPPORTED, "SET LOCATION"),
        ("SET TBLPROPERTIES ('location' = 'x')", ErrorCode.NOT_SUPPORTED, "location"),
        ("SET TBLPROPERTIES ('write.data.path' = 'x')", ErrorCode.NOT_SUPPORTED, "data.path"),
        ("SET TBLPROPERTIES ('uuid' = 'x')", ErrorCode.INVALID_ARGUMENT, "reserved"),
        ("SET TBLPROPERTIES ('sqe.x' = 'x')", ErrorCode.INVALID_ARGUMENT, "reserved"),
        ("SET TBLPROPERTIES ('a' = '1', 'a' = '2')", ErrorCode.INVALID_ARGUMENT, "twice"),
        ("SET TBLPROPERTIES ('format-version' = '9')", ErrorCode.INVALID_ARGUMENT, "one of 1, 2"),
        ("SET TBLPROPERTIES ('gc.enabled' = 'maybe')", ErrorCode.INVALID_ARGUMENT, "true, false"),
        ("SET TBLPROPERTIES ('read.split.target-size' = 'x')", ErrorCode.INVALID_ARGUMENT, "whole"),
        ("ADD PARTITION FIELD dayz(a)", ErrorCode.INVALID_ARGUMENT, "no transform dayz"),
        ("WRITE SORTED BY a", ErrorCode.SYNTAX_ERROR, "Expected ORDERED BY"),
        ("CHANGE COLUMN a b INT", ErrorCode.NOT_SUPPORTED, "another name"),
        ("ALTER COLUMN a SET DEFAULT (SELECT 1)", ErrorCode.NOT_SUPPORTED, "no query"),
        ("ALTER COLUMN a SET DEFAULT current_user()", ErrorCode.NOT_SUPPORTED, "current_user"),
        ("ALTER COLUMN a SET DEFAULT reflect('x')", ErrorCode.NOT_SUPPORTED, "reflect"),
        ("ALTER COLUMN a SET DEFAULT now()", ErrorCode.NOT_SUPPORTED, "now differs"),
        ("ADD COLUMN a DATE DEFAULT current_date", ErrorCode.NOT_SUPPORTED, "current_date"),
        ("RENAME COLUMN a TO b.c", ErrorCode.SYNTAX_ERROR, "without what stands before"),
    ],
)
def test_what_is_refused(action: str, code: ErrorCode, words: str) -> None:
    error = refused(f"ALTER TABLE t {action}")
    assert error.code is code
    assert words in f"{error.message} {error.hint}"
    assert error.position is not None


def test_a_misspelt_property_is_told() -> None:
    error = refused("ALTER TABLE t SET TBLPROPERTIES ('a' = 'b', 'write.delte.mode' = 'x')")
    assert error.hint == "Did you mean write.delete.mode?"
    assert error.position is not None
    assert (error.position.column, error.position.fragment) == (45, "'write.delte.mode'")


def test_a_property_of_ones_own_is_free_and_a_useless_one_can_go() -> None:
    parse("ALTER TABLE t SET TBLPROPERTIES ('dbt.model' = 'x', 'written' = 'y')")
    parse("ALTER TABLE t UNSET TBLPROPERTIES ('write.delte.mode')")
    assert refused("ALTER TABLE t UNSET TBLPROPERTIES ('location')").code is ErrorCode.NOT_SUPPORTED


def test_the_columns_a_change_names() -> None:
    assert uses("ALTER TABLE t ADD COLUMNS (a INT, s.b INT NOT NULL)") == [
        ("a", Role.ADDED),
        ("s.b", Role.ADDED_REQUIRED),
    ]
    assert uses("ALTER TABLE t DROP COLUMN IF EXISTS a") == [("a", Role.DROPPED_IF_THERE)]
    assert uses("ALTER TABLE t RENAME COLUMN s.a TO b") == [
        ("s.a", Role.CHANGED),
        ("s.b", Role.ADDED),
    ]
    assert uses("ALTER TABLE t WRITE ORDERED BY a, days(b)") == [
        ("a", Role.SOURCE),
        ("b", Role.SOURCE),
    ]
    assert uses("ALTER TABLE t DROP PARTITION FIELD shard") == []


def test_defaults_leave_the_text_that_spark_gets() -> None:
    text = "ALTER TABLE t ADD COLUMN a INT NOT NULL DEFAULT length('a, b') + 1 COMMENT 'x'"
    statement = parse(text)
    assert isinstance(statement.command, ColumnsWithDefaults)
    [column] = statement.command.columns
    assert (column.path, column.type, column.default) == (("a",), "INT", "length('a, b') + 1")
    inner = statement.inner
    assert inner is not None
    assert inner.kind is StatementKind.ALTER_TABLE
    assert " ".join(inner.text.split()) == "ALTER TABLE t ADD COLUMN a INT COMMENT 'x'"
    assert len(inner.text) == len(text)


def test_the_default_of_a_column_that_is_there() -> None:
    assert parse("ALTER TABLE t ALTER COLUMN s.a SET DEFAULT -1").command == AlterColumnDefault(
        ("s", "a"), "-1"
    )
    assert parse("ALTER TABLE t ALTER a DROP DEFAULT").command == AlterColumnDefault(("a",), None)


def test_a_new_name_stays_in_the_old_schema() -> None:
    statement = parse("ALTER TABLE db.t RENAME TO u")
    assert statement.command == RenameTable()
    assert [(r.parts, r.access) for r in statement.references] == [
        (("db", "t"), Access.ALTER),
        (("db", "u"), Access.CREATE),
    ]
    assert parse("ALTER VIEW v RENAME TO a.b.c").references[1].parts == ("a", "b", "c")


def test_views_change() -> None:
    altered = parse("ALTER VIEW v AS SELECT a FROM t")
    assert altered.kind is StatementKind.CREATE_VIEW
    assert isinstance(altered.command, ViewDefinition)
    assert (altered.command.alter, altered.command.query_text) == (True, "SELECT a FROM t")
    assert parse("ALTER VIEW v SET TBLPROPERTIES (a = 1)").command == AlterViewProperties(
        (("a", "1"),)
    )
    assert parse("ALTER VIEW v UNSET TBLPROPERTIES IF EXISTS ('a')").command == AlterViewProperties(
        removals=("a",), if_exists=True
    )
    assert refused("ALTER VIEW v AS DELETE FROM t").code is ErrorCode.SYNTAX_ERROR
    assert "reserved" in refused("ALTER VIEW v SET TBLPROPERTIES ('sqe.x' = 'y')").message


def test_schemas_change() -> None:
    command = parse("ALTER DATABASE a SET DBPROPERTIES ('x' = 'y')").command
    assert isinstance(command, AlterSchema)
    assert command.updates == (("x", "y"),)
    command = parse("ALTER SCHEMA a.b UNSET PROPERTIES (x, 'y')").command
    assert isinstance(command, AlterSchema)
    assert command.removals == ("x", "y")
    for text in ("SET LOCATION 'x'", "RENAME TO b", "SET PROPERTIES ('location' = 'x')"):
        assert refused(f"ALTER SCHEMA a {text}").code is ErrorCode.NOT_SUPPORTED


def test_comments() -> None:
    assert parse("COMMENT ON TABLE a.t IS 'x'").command == CommentOn("x")
    assert parse("COMMENT ON VIEW v IS NULL").command == CommentOn(None, view=True)
    column = parse("COMMENT ON COLUMN a.`t`.c IS 'x'")
    assert column.command == CommentOn("x", column="c")
    assert column.references[0].parts == ("a", "t")
    assert column.references[0].span.of(column.text) == "a.`t`"
    assert isinstance(parse("COMMENT ON NAMESPACE a IS 'x'").command, CommentOnSchema)
    assert refused("COMMENT ON COLUMN c IS 'x'").code is ErrorCode.SYNTAX_ERROR


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (a INT NOT NULL, b ARRAY<STRUCT<x: INT>>) PARTITIONED BY (days(ts), a)",
        "CREATE TABLE t (a INT) PARTITIONED BY (b DATE COMMENT 'x')",
        "CREATE TABLE t USING iceberg COMMENT 'x' TBLPROPERTIES ('a' = 'b') AS SELECT 1 AS a",
        "CREATE TABLE t (a INT) CLUSTERED BY (a) INTO 4 BUCKETS",
        "CREATE OR REPLACE TABLE t AS (SELECT 1 AS a)",
        "CREATE TABLE t (SELECT 1 AS a)",
        "REPLACE TABLE t (a INT)",
        "REPLACE TABLE t AS SELECT 1 AS a",
    ],
)
def test_tables_that_spark_makes(text: str) -> None:
    statement = parse(text)
    assert statement.kind in (StatementKind.CREATE_TABLE, StatementKind.CREATE_TABLE_AS)
    assert statement.text == text
    assert statement.references[0].access is Access.CREATE


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("(a STRNG)", ErrorCode.INVALID_ARGUMENT, "Did you mean STRING?"),
        ("(a INT, A INT)", ErrorCode.AMBIGUOUS_NAME, "defined twice"),
        ("(a INT PRIMARY KEY)", ErrorCode.NOT_SUPPORTED, "constraint"),
        ("(a INT, CHECK (a > 0))", ErrorCode.NOT_SUPPORTED, "constraint"),
        ("(a INT GENERATED ALWAYS AS (1))", ErrorCode.NOT_SUPPORTED, "generated"),
        ("(a STRING) CLUSTER BY (a)", ErrorCode.NOT_SUPPORTED, "CLUSTER BY"),
        ("(a STRING) LOCATION '/tmp/x'", ErrorCode.NOT_SUPPORTED, "LOCATION"),
        ("(a STRING) PARTITIONED BY (weeks(a))", ErrorCode.INVALID_ARGUMENT, "transform weeks"),
        ("(a STRING) OPTIONS ('path' = '/x')", ErrorCode.NOT_SUPPORTED, "path"),
        ("(a INT) TBLPROPERTIES ('write.format' = 'x')", ErrorCode.INVALID_ARGUMENT, "Did you"),
        ("LIKE u LOCATION '/tmp/x'", ErrorCode.NOT_SUPPORTED, "LOCATION"),
    ],
)
def test_tables_that_are_refused(text: str, code: ErrorCode, words: str) -> None:
    error = refused(f"CREATE TABLE t {text}")
    assert error.code is code
    assert words in f"{error.message} {error.hint}"


def test_tables_like_another() -> None:
    statement = parse("CREATE TABLE IF NOT EXISTS t LIKE a.u TBLPROPERTIES ('x' = 'y')")
    assert statement.command == CreateTableLike(True, (("x", "y"),))
    assert [(r.parts, r.access) for r in statement.references] == [
        (("t",), Access.CREATE),
        (("a", "u"), Access.READ),
    ]


def test_replace_table_reaches_spark_as_written() -> None:
    text = "replace table t (a INT DEFAULT 1, b INT) TBLPROPERTIES ('format-version' = '3')"
    statement = parse(text)
    inner: Statement | None = statement.inner
    assert inner is not None
    assert inner.text.startswith("replace table t (a INT")
    assert "DEFAULT" not in inner.text
    assert inner.references[0].if_exists
