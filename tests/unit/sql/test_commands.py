"""The coordinator's statements: what each text means, and what is wrong with the bad ones."""

from __future__ import annotations

import pytest
from sqlglot.dialects import Spark

from sqe.errors import ErrorCode, UserError
from sqe.sql.commands import (
    CreateSchema,
    DescribeSchema,
    DescribeTable,
    DropSchema,
    DropTable,
    DropView,
    Name,
    NamePattern,
    Parsed,
    ShowCatalogs,
    ShowColumns,
    ShowCreate,
    ShowFunctions,
    ShowSchemas,
    ShowSession,
    ShowTableProperties,
    ShowTables,
    ShowViews,
    UseSchema,
    parse_command,
)
from sqe.sql.settings import ResetSession, SetSession, ShowSetting
from sqe.sql.statement import Access, Command, Reference


def parse(text: str) -> Parsed | None:
    return parse_command(text, Spark().tokenize(text))


def command(text: str) -> Command:
    parsed = parse(text)
    assert parsed is not None
    return parsed[0]


def reference(text: str) -> Reference:
    parsed = parse(text)
    assert parsed is not None
    [only] = parsed[1]
    return only


def refusal(text: str) -> UserError:
    with pytest.raises(UserError) as caught:
        parse(text)
    return caught.value


def named(found: Name | None) -> tuple[str, ...] | None:
    return None if found is None else found.parts


@pytest.mark.parametrize("text", ["SHOW CATALOGS", "show  catalogs ;", "-- hi\nSHOW CATALOGS;;"])
def test_show_catalogs(text: str) -> None:
    assert command(text) == ShowCatalogs()


@pytest.mark.parametrize("word", ["SCHEMAS", "DATABASES", "NAMESPACES"])
@pytest.mark.parametrize("preposition", ["FROM", "in"])
def test_show_schemas_of_a_catalog(word: str, preposition: str) -> None:
    found = command(f"SHOW {word} {preposition} lake LIKE 'a*'")
    assert isinstance(found, ShowSchemas)
    assert named(found.within) == ("lake",)
    assert found.pattern == NamePattern("a*")


def test_show_tables_takes_a_quoted_name_and_a_bare_pattern() -> None:
    found = command("SHOW TABLES /* of */ IN `a.b`.`c``d` 'x*|y'")
    assert isinstance(found, ShowTables)
    assert named(found.schema) == ("a.b", "c`d")
    assert found.pattern == NamePattern("x*|y")


def test_show_views_without_anything() -> None:
    assert command("SHOW VIEWS") == ShowViews()


def test_show_with_an_escape_is_trinos() -> None:
    found = command(r"SHOW TABLES LIKE 'a$_%' ESCAPE '$'")
    assert found == ShowTables(None, NamePattern("a$_%", "$"))


def test_show_columns_joins_the_schema_to_the_table() -> None:
    text = "SHOW COLUMNS FROM emp IN lake.hr"
    found = reference(text)
    assert command(text) == ShowColumns()
    assert (found.parts, found.access) == (("lake", "hr", "emp"), Access.DESCRIBE)
    assert found.span.of(text) == "emp"


@pytest.mark.parametrize(("word", "view"), [("TABLE", False), ("VIEW", True)])
def test_show_create(word: str, view: bool) -> None:
    text = f"SHOW CREATE {word} hr.emp"
    assert command(text) == ShowCreate(view=view)
    assert reference(text).span.of(text) == "hr.emp"


def test_show_functions_and_session() -> None:
    assert command("SHOW FUNCTIONS LIKE 'a*'") == ShowFunctions(NamePattern("a*"))
    assert command("SHOW SYSTEM FUNCTIONS") == ShowFunctions(user=False)
    assert command("SHOW USER FUNCTIONS") == ShowFunctions(system=False)
    assert command("SHOW FUNCTIONS abs") == ShowFunctions(NamePattern("abs"))
    assert command("SHOW SESSION LIKE 'sqe%'") == ShowSession(NamePattern("sqe%"))


def test_show_table_properties_of_one_key() -> None:
    assert command("SHOW TBLPROPERTIES t ('a.b')") == ShowTableProperties("a.b")
    assert command("SHOW TBLPROPERTIES t (a.b)") == ShowTableProperties("a.b")


@pytest.mark.parametrize(
    ("text", "extended", "parts"),
    [
        ("DESCRIBE hr.emp", False, ("hr", "emp")),
        ("DESC TABLE hr.emp", False, ("hr", "emp")),
        ("DESCRIBE EXTENDED emp", True, ("emp",)),
        ("DESCRIBE TABLE FORMATTED emp", True, ("emp",)),
        ("DESCRIBE extended", False, ("extended",)),
        ("DESCRIBE query", False, ("query",)),
        ("DESCRIBE table.t", False, ("table", "t")),
    ],
)
def test_describe_a_table(text: str, extended: bool, parts: tuple[str, ...]) -> None:
    assert command(text) == DescribeTable(extended)
    assert reference(text).parts == parts
    assert reference(text).access is Access.DESCRIBE


def test_describe_a_nested_column() -> None:
    found = command("DESCRIBE emp address.`zip code`")
    assert isinstance(found, DescribeTable)
    assert named(found.column) == ("address", "zip code")


def test_describe_a_schema() -> None:
    found = command("DESCRIBE NAMESPACE EXTENDED lake.hr")
    assert isinstance(found, DescribeSchema)
    assert (found.extended, found.schema.parts) == (True, ("lake", "hr"))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1", "EXPLAIN SELECT 1", "CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT 1",
        "DROP FUNCTION f", "DESCRIBE SELECT 1", "DESCRIBE QUERY TABLE t", "DESC (SELECT 1)",
        "DESCRIBE WITH a AS (SELECT 1) SELECT * FROM a", "INSERT INTO t VALUES (1)", "",
    ],
)  # fmt: skip
def test_other_statements_are_not_commands(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "parts", "catalog", "schema"),
    [
        ("USE hr", ("hr",), False, False),
        ("USE lake.hr", ("lake", "hr"), False, False),
        ("USE SCHEMA hr", ("hr",), False, True),
        ("USE CATALOG lake", ("lake",), True, False),
        ("USE catalog", ("catalog",), False, False),
        ("USE catalog.x", ("catalog", "x"), False, False),
        ("SET CATALOG lake", ("lake",), True, False),
        ("SET CATALOG 'lake'", ("lake",), True, False),
    ],
)
def test_use(text: str, parts: tuple[str, ...], catalog: bool, schema: bool) -> None:
    found = command(text)
    assert isinstance(found, UseSchema)
    assert (found.name.parts, found.catalog, found.schema) == (parts, catalog, schema)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("SET SESSION sqe.engine = 'local'", "sqe.engine", "local"),
        ("SET SESSION sqe.engine = local -- now", "sqe.engine", "local"),
        ("SET SESSION sqe.engine TO spark;", "sqe.engine", "spark"),
        ("SET SESSION sqe.time_zone = +01:00", "sqe.time_zone", "+01:00"),
        ("SET SESSION a = 'O''Brien'", "a", "O'Brien"),
        ("SET TIME ZONE 'Europe/Vienna'", "sqe.time_zone", "Europe/Vienna"),
        ("SET TIME ZONE INTERVAL '-08:30' HOUR TO MINUTE", "sqe.time_zone", "-08:30"),
        ("SET TIME ZONE INTERVAL 10 HOURS 30 MINUTES", "sqe.time_zone", "+10:30"),
        ("SET TIME ZONE INTERVAL -2 HOURS", "sqe.time_zone", "-02:00"),
        ("SET TIME ZONE INTERVAL '1' HOUR", "sqe.time_zone", "+01:00"),
    ],
)
def test_set_session(text: str, name: str, value: str) -> None:
    found = command(text)
    assert isinstance(found, SetSession)
    assert (found.name, found.value) == (name, value)


def test_spark_settings_are_set_shown_and_reset() -> None:
    found = command("SET spark.sql.shuffle.partitions = 10")
    assert isinstance(found, SetSession)
    assert (found.name, found.value) == ("spark.sql.shuffle.partitions", "10")
    assert found.shown_as == found.name
    shown = command("SET spark.sql.shuffle.partitions")
    assert isinstance(shown, ShowSetting)
    reset = command("RESET spark.sql.shuffle.partitions")
    assert isinstance(reset, ResetSession)
    assert shown.name == reset.name == found.name


def test_reset_session_and_local_time() -> None:
    for text, name in [("RESET SESSION a.b", "a.b"), ("SET TIME ZONE LOCAL", "sqe.time_zone")]:
        found = command(text)
        assert isinstance(found, ResetSession)
        assert found.name == name


def test_drop_a_table_gives_a_reference_that_may_be_absent() -> None:
    text = "DROP TABLE IF EXISTS lake.hr.emp PURGE"
    found = reference(text)
    assert command(text) == DropTable(if_exists=True, purge=True)
    assert (found.access, found.if_exists) == (Access.DROP, True)
    assert found.span.of(text) == "lake.hr.emp"
    assert command("DROP VIEW v") == DropView()
    assert not reference("DROP VIEW v").if_exists


def test_create_a_schema_with_everything() -> None:
    found = command(
        "CREATE DATABASE IF NOT EXISTS a.b COMMENT 'x' WITH DBPROPERTIES ('k' = 'v', n.m = -1)"
    )
    assert isinstance(found, CreateSchema)
    assert (found.schema.parts, found.if_not_exists) == (("a", "b"), True)
    assert found.properties == (("comment", "x"), ("k", "v"), ("n.m", "-1"))


@pytest.mark.parametrize(("word", "cascade"), [("", False), ("RESTRICT", False), ("CASCADE", True)])
def test_drop_a_schema(word: str, cascade: bool) -> None:
    found = command(f"DROP SCHEMA IF EXISTS hr {word}")
    assert isinstance(found, DropSchema)
    assert (found.schema.parts, found.if_exists, found.cascade) == (("hr",), True, cascade)


@pytest.mark.parametrize(
    ("text", "message", "piece"),
    [
        ("SHOW TABLS", "SHOW takes one of", "TABLS"),
        ("SHOW TABLES FROM", "Expected a schema", ""),
        ("SHOW TABLES LIKE x", "Expected a pattern", "x"),
        ("SHOW COLUMNS", "Expected FROM or IN", ""),
        ("DROP TABLE a.b c", "Expected the end", "c"),
        ("DROP TABLE a-b", "back quotes", "-"),
        ("USE 10", "Expected a schema", "10"),
        ("CREATE SCHEMA a COMMENT b", "a string in quotes", "b"),
        ("SET SESSION sqe.engine", "Expected = and a value", ""),
        ("SET TIME ZONE INTERVAL 1 DAY", "hours and minutes", "DAY"),
        ("DESCRIBE SCHEMA 'x'", "Expected a schema", "'x'"),
    ],
)
def test_what_is_malformed_is_a_syntax_error_at_its_place(
    text: str, message: str, piece: str
) -> None:
    error = refusal(text)
    assert error.code is ErrorCode.SYNTAX_ERROR
    assert message in error.message
    assert error.position is not None
    assert error.position.fragment == piece
    assert error.position.column == (text.rindex(piece) if piece else len(text)) + 1


@pytest.mark.parametrize(
    "text",
    [
        "SHOW PARTITIONS t", "DESCRIBE t AS JSON", "SHOW LOCKS", "SET",
        "SET -v", "RESET", "SET SESSION AUTHORIZATION bob",
        "CREATE SCHEMA a LOCATION '/x'", "CREATE SCHEMA a WITH PROPERTIES ('location'='/x')",
        "DESCRIBE t PARTITION (a = 1)", "CREATE SCHEMA a DEFAULT COLLATION UNICODE",
    ],
)  # fmt: skip
def test_what_is_known_and_refused_is_refused_by_name(text: str) -> None:
    assert refusal(text).code is ErrorCode.NOT_SUPPORTED


def test_two_commands_are_one_too_many() -> None:
    assert refusal("SHOW TABLES; SHOW VIEWS").code is ErrorCode.MULTIPLE_STATEMENTS
    assert refusal("USE a; USE b").code is ErrorCode.MULTIPLE_STATEMENTS


def test_an_open_quote_behind_show_is_a_syntax_error() -> None:
    with pytest.raises(UserError) as caught:
        parse_command("SHOW TABLES LIKE 'x", Spark().tokenize("SHOW TABLES LIKE 'x'"))
    assert caught.value.code is ErrorCode.SYNTAX_ERROR


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("emp*", ["emp", "EMPLOYEES"], ["temp"]),
        ("emp|dept", ["emp", "Dept"], ["empdept", "employees"]),
        ("a_b", ["a_b"], ["axb"]),
        ("%emp%", ["temp", "emp", "employee"], ["map"]),
        ("a.b", ["a.b"], ["axb"]),
        (" x ", ["x"], [" x "]),
        ("é[1]", ["é[1]"], ["é1"]),
    ],
)
def test_a_pattern_is_sparks_with_percent(pattern: str, yes: list[str], no: list[str]) -> None:
    assert all(NamePattern(pattern).matches(name) for name in yes)
    assert not any(NamePattern(pattern).matches(name) for name in no)


def test_a_pattern_with_an_escape_is_sqls() -> None:
    pattern = NamePattern("a$_b_%", "$")
    assert pattern.matches("a_bcd")
    assert not pattern.matches("axbcd")
    assert not pattern.matches("a_b")


def test_the_label_is_the_statement_in_words() -> None:
    assert command("SHOW TABLES").label == "show tables"
    assert command("DROP VIEW v").label == "drop view"
