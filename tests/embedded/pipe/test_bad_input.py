"""Bad input: each a clear error with a code and a place, and the next query works."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, SqeError, TextPosition, UserError
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

HANDLE = "q_0123456789abcdef0123456789abcdef"

# Statement, code, line and column, a piece of the message or hint.
UNKNOWN = [
    ("SELECT * FROM s.tt", "TABLE_NOT_FOUND", (1, 15), "Did you mean t?"),
    ("SELECT 1,\n  (SELECT max(a) FROM S.tx)", "TABLE_NOT_FOUND", (2, 23), "tx does not exist"),
    ("SELECT * FROM nope.t", "SCHEMA_NOT_FOUND", (1, 15), "Schema lake.nope does not exist"),
    ("SELECT * FROM lakee.s.t", "CATALOG_NOT_FOUND", (1, 15), "Did you mean lake?"),
    ("SELECT t.aa FROM s.t", "COLUMN_NOT_FOUND", (1, 10), "Did you mean a?"),
    ("SELECT\n aa FROM s.t", "COLUMN_NOT_FOUND", (2, 2), "Did you mean a?"),
    ("SELECT summ(a) FROM s.t", "FUNCTION_NOT_FOUND", (1, 8), "Did you mean sum?"),
    ("SHOW TABLES FROM nope", "SCHEMA_NOT_FOUND", (1, 18), "lake.nope"),
    ("SHOW SCHEMAS FROM lakee", "CATALOG_NOT_FOUND", (1, 19), "Did you mean lake?"),
    ("USE nope", "SCHEMA_NOT_FOUND", (1, 5), "lake.nope"),
    ("CREATE TABLE nope.t (a INT)", "SCHEMA_NOT_FOUND", (1, 14), "CREATE SCHEMA lake.nope first"),
    ("CREATE TABLE s.t (a INT)", "TABLE_ALREADY_EXISTS", (1, 14), "IF NOT EXISTS"),
    ("DROP TABLE s.nope", "TABLE_NOT_FOUND", (1, 12), "lake.s.nope"),
    ("DROP VIEW s.nope", None, (1, 11), "lake.s.nope"),
    ("EXPLAIN SELECT * FROM s.nope", "TABLE_NOT_FOUND", (1, 23), "lake.s.nope"),
    (
        "MERGE INTO s.t USING s.n ON true WHEN MATCHED THEN DELETE",
        "TABLE_NOT_FOUND",
        (1, 22),
        "s.n",
    ),
    ("SET SESSION nope = 1", "INVALID_SESSION_PROPERTY", (1, 13), "SHOW SESSION"),
    ("SET SESSION sqe.engine = 'x'", "INVALID_SESSION_PROPERTY", None, "auto, local, spark"),
]
MALFORMED = [
    ("", "EMPTY_STATEMENT", None, "no statement"),
    (" ;; ", "EMPTY_STATEMENT", None, "no statement"),
    ("-- only\n/* comments */", "EMPTY_STATEMENT", None, "no statement"),
    ("SELECT 1; SELECT 2", "MULTIPLE_STATEMENTS", (1, 11), "one at a time"),
    ("DROP TABLE IDENTIFIER(concat('s', '.t'))", "SYNTAX_ERROR", (1, 22), "("),
    ("SELECT (1", "SYNTAX_ERROR", (1, 9), ""),
    ("SELECT 'abc", "SYNTAX_ERROR", (1, 12), "does not end"),
    ("SELECT 1 FROM", "SYNTAX_ERROR", (1, 10), "FROM"),
    ("SELECT 1 /* open", "SYNTAX_ERROR", None, ""),
    ("SELECT 1\x00", "INVALID_TEXT", (1, 9), "NUL"),
    ("\ufeffSELECT 1", "INVALID_TEXT", (1, 1), "byte order mark"),
    ("SELECT '\ud800'", "INVALID_TEXT", None, "surrogate"),
    ("SELECT '" + "x" * 5_000_000 + "'", "STATEMENT_TOO_LARGE", None, "the limit is 1,000,000"),
    ("SELECT " + "(" * 10_000 + "1" + ")" * 10_000, "STATEMENT_TOO_COMPLEX", None, "nested"),
    ("SELECT " + "CASE WHEN true THEN " * 2_000 + "1" + " END" * 2_000, None, None, "nested"),
    ("SELECT " + "NOT " * 3_000 + "true", "STATEMENT_TOO_COMPLEX", None, "nested"),
    ("SELECT " + "- " * 20_000 + "1", "STATEMENT_TOO_COMPLEX", None, "nested"),
]
REFUSED = [
    ("CACHE TABLE s.t", "CACHE TABLE"),
    ("UNCACHE TABLE s.t", "UNCACHE TABLE"),
    ("ADD JAR '/tmp/x.jar'", "ADD JAR"),
    ("ADD FILE /etc/passwd", "ADD JAR, FILE"),
    ("SET spark.sql.ansi.enabled = false", "spark.sql.ansi.enabled cannot be set"),
    ("SET", "SET alone"),
    ("EXECUTE IMMEDIATE concat('SELECT', ' 1')", "EXECUTE IMMEDIATE"),
    ("SELECT TRANSFORM(a) USING 'cat' AS (b) FROM s.t", "TRANSFORM"),
    ("SELECT reflect('java.lang.System', 'exit', '0')", "reflect"),
    ("SELECT java_method('java.lang.System', 'exit', '0')", "java_method"),
    ("SELECT `reflect`('java.lang.System', 'exit', '0')", "reflect"),
    ("SELECT Try_Reflect ('java.lang.System', 'exit', '0')", "try_reflect"),
    ("SELECT system.builtin.`java_method` /**/ ('a', 'b')", "java_method"),
    ("SELECT input_file_name() FROM s.t", "input_file_name"),
    ("SELECT * FROM IDENTIFIER(concat('s', '.t'))", "identifier"),
    ("SELECT IDENTIFIER(a) FROM s.t", "identifier"),
    ("CREATE GLOBAL TEMPORARY VIEW g AS SELECT 1", "GLOBAL TEMPORARY VIEW"),
    ("INSERT OVERWRITE DIRECTORY '/tmp/x' USING parquet SELECT 1", "DIRECTORY"),
    ("INSERT OVERWRITE LOCAL DIRECTORY '/tmp/x' SELECT 1", "INSERT"),
    ("CREATE TABLE s.n (a INT) LOCATION '/tmp/x'", "LOCATION"),
    ("CREATE TABLE s.n (a INT) OPTIONS ('path' = '/etc')", "path"),
    ("CREATE EXTERNAL TABLE s.n (a INT)", "EXTERNAL"),
    (f"SELECT * FROM sqe.{HANDLE}_1.t", "reserved"),
    (f"SELECT '{HANDLE.upper()}'", "reserved"),
    (f"CREATE TABLE {HANDLE} (a INT)", "reserved"),
    ("BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; SELECT 1; END", "This handler"),
    ("BEGIN SIGNAL x; END", "A statement that begins with SIGNAL"),
    ("CREATE FUNCTION f AS 'com.example.F'", "Java class"),
    ("CREATE FUNCTION f(x INT) RETURNS INT LANGUAGE PYTHON AS $$x$$", "A function in Python"),
    ("LOAD DATA INPATH '/etc/passwd' INTO TABLE s.t", "LOAD DATA"),
    ("CALL system.add_files('s.t', '`parquet`.`/etc`')", "add_files"),
    ("SELECT :p", "parameter marker"),
    ("CREATE VIEW s.v2 AS SELECT ? AS a", "parameter marker"),
    ("ALTER TABLE s.t SET LOCATION '/tmp/x'", "ALTER TABLE"),
    ("EXPLAIN CODEGEN SELECT 1", "EXPLAIN CODEGEN"),
    ("EXPLAIN EXPLAIN SELECT 1", "EXPLAIN of EXPLAIN"),
    (
        "FROM s.t INSERT INTO s.t SELECT * INSERT INTO s2.t SELECT *",
        "An INSERT into several tables",
    ),
]
# Names that Spark would take for files, its own catalog, its temporary views or its variables.
OUTSIDE = [
    "SELECT * FROM spark_catalog.default.x",
    "SELECT * FROM sqe.s.t",
    "CALL sqe.system.rewrite_data_files('s.t')",
    "SELECT * FROM global_temp.g",
    "SELECT * FROM s.`${spark.app.name}`",
]
PATHS = [
    "SELECT * FROM parquet.`/etc/passwd`",
    "SELECT * FROM text.`/etc/passwd`",
    "SELECT * FROM `text`.`file:///etc/passwd`",
    "SELECT * FROM iceberg.`/tmp/warehouse/s/t`",
    "INSERT INTO parquet.`/tmp/x` SELECT 1",
]


def check(error: SqeError, code: str | None, place: tuple[int, int] | None, piece: str) -> None:
    assert isinstance(error, UserError)
    assert code is None or error.code is ErrorCode[code], str(error)[:300]
    assert piece in str(error)
    assert len(str(error)) < 1_000
    if place is not None:
        assert isinstance(error.position, TextPosition)
        assert (error.position.line, error.position.column) == place
    for trace in ("Traceback", "org.apache", "\tat ", "sqe.q_", ".java:"):
        assert trace not in str(error)


@pytest.mark.parametrize(("sql", "code", "place", "piece"), UNKNOWN, ids=[u[0] for u in UNKNOWN])
def test_an_unknown_name_is_an_error_with_a_place(
    tables: Lake, sql: str, code: str | None, place: tuple[int, int] | None, piece: str
) -> None:
    check(tables.fails(sql), code, place, piece)
    assert tables.rows("SHOW CATALOGS") == [("lake",)]


@pytest.mark.parametrize(
    ("sql", "code", "place", "piece"), MALFORMED, ids=[ascii(m[0][:20]) for m in MALFORMED]
)
def test_a_malformed_text_is_an_error(
    lake: Lake, sql: str, code: str | None, place: tuple[int, int] | None, piece: str
) -> None:
    check(lake.fails(sql), code, place, piece)
    assert lake.rows("SHOW CATALOGS") == [("lake",)]


@pytest.mark.parametrize(("sql", "name"), REFUSED, ids=[r[0] for r in REFUSED])
def test_an_unsupported_statement_is_refused_by_name(tables: Lake, sql: str, name: str) -> None:
    check(tables.fails(sql), "NOT_SUPPORTED", None, name)
    assert tables.rows("SHOW CATALOGS") == [("lake",)]


@pytest.mark.parametrize("sql", OUTSIDE)
def test_a_name_outside_the_catalog_does_not_exist(tables: Lake, sql: str) -> None:
    check(tables.fails(sql), None, None, "does not exist")


@pytest.mark.parametrize("sql", PATHS)
def test_files_cannot_be_read_by_path(tables: Lake, sql: str) -> None:
    check(tables.fails(sql), "NOT_SUPPORTED", None, "by path")


def test_variables_in_the_text_are_not_substituted(lake: Lake) -> None:
    text = "${spark.sql.catalog.sqe.token} ${env:HOME} ${system:user.dir}"
    assert lake.value(f"SELECT '{text}'") == text


def test_a_list_of_fifty_thousand_values_works(tables: Lake) -> None:
    values = ", ".join(str(number) for number in range(2, 50_002))
    assert tables.rows(f"SELECT a FROM s.t WHERE a IN ({values}) ORDER BY a") == [(2,), (3,)]


SPARKS = [
    ("SELECT 1/0", "DIVISION_BY_ZERO", (1, 8), "Division by zero"),
    ("SELECT\n  CAST('x' AS INT)", "INVALID_CAST", (2, 3), "'x'"),
    ("SELECT 9223372036854775807 + 1L", "NUMERIC_OUT_OF_RANGE", None, "overflow"),
    ("SELECT * FROM s.t GROUP BY a", "USER_ERROR", None, "GROUP BY"),
    ("SELECT a FROM s.t x, s.t y", "AMBIGUOUS_NAME", (1, 8), "`x`.`a`"),
    ("SELECT 1 UNION SELECT 1, 2", "USER_ERROR", None, "number of columns"),
    ("SELECT a + array(1) FROM s.t", "TYPE_MISMATCH", (1, 8), ""),
    ("SELECT raise_error('boom')", "USER_ERROR", None, "boom"),
    ("SELECT count(*) FROM s.t VERSION AS OF 12345", "SNAPSHOT_NOT_FOUND", None, "12345"),
    ("SELECT count(*) FROM s.t VERSION AS OF 'nope'", "SNAPSHOT_NOT_FOUND", None, "nope"),
    ("SELECT * FROM s.t TIMESTAMP AS OF '2001-01-01'", "SNAPSHOT_NOT_FOUND", None, "2001"),
    ("INSERT INTO s.t VALUES (1)", "INVALID_ARGUMENT", None, "lake.s.t"),
    ("INSERT INTO s.t VALUES ('abc', 1)", "TYPE_MISMATCH", None, "lake.s.t"),
    ("UPDATE s.t SET zz = 1", "COLUMN_NOT_FOUND", (1, 16), "zz"),
    ("CREATE TABLE s.n TBLPROPERTIES ('write.data.path'='/etc') AS SELECT 1 AS a",
     "NOT_SUPPORTED", (1, 33), "The catalog chooses where a table lives"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "code", "place", "piece"), SPARKS, ids=[s[0] for s in SPARKS])
def test_what_spark_refuses_is_told_in_our_terms(
    tables: Lake, sql: str, code: str, place: tuple[int, int] | None, piece: str
) -> None:
    check(tables.fails(sql), code, place, piece)


def test_after_all_that_the_next_query_works(tables: Lake) -> None:
    assert tables.value("SELECT count(*) FROM s.t") == 3
