"""NOT FOUND and FORBIDDEN are one: what is said depends on the user and the name alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Allow
from tests.embedded.pipe.lake import Lake
from tests.embedded.policy.quiet import Quiet, quiet_lake

# Of each pair the first is there; none of them is to be known of. All names are equally long.
TABLES = [("secret", "absent"), ("ghosts", "absent")]
SCHEMAS = [("vault", "ghost")]
CATALOGS = [("attic", "ghost")]

OF_TABLES = [
    "SELECT * FROM hr.{}",
    "SELECT * FROM lake.hr.{} AS x WHERE x.id > 1",
    "SELECT x.nothing FROM hr.{} x",
    "SELECT 1 WHERE 1 IN (SELECT id FROM hr.{})",
    "WITH c AS (SELECT * FROM hr.{}) SELECT 1",
    "SELECT * FROM hr.emp JOIN hr.{} USING (id)",
    "TABLE hr.{}",
    "SELECT * FROM hr.{} VERSION AS OF 1",
    "SELECT * FROM hr.{} TIMESTAMP AS OF '2020-01-01'",
    "SELECT * FROM hr.{}.snapshots",
    "SELECT * FROM lake.hr.{}.files",
    "SELECT * FROM hr.{}.branch_main",
    "EXPLAIN SELECT * FROM hr.{}",
    "DESCRIBE hr.{}",
    "DESCRIBE EXTENDED hr.{}",
    "DESCRIBE hr.{} id",
    "DESCRIBE QUERY SELECT * FROM hr.{}",
    "SHOW COLUMNS IN hr.{}",
    "SHOW CREATE TABLE hr.{}",
    "SHOW CREATE VIEW hr.{}",
    "SHOW CREATE MATERIALIZED VIEW hr.{}",
    "SHOW TBLPROPERTIES hr.{}",
    "SHOW STATS FOR hr.{}",
    "ANALYZE TABLE hr.{} COMPUTE STATISTICS",
    "INSERT INTO hr.{} VALUES (1, 'a')",
    "INSERT OVERWRITE hr.{} SELECT 1, 'a'",
    "INSERT INTO hr.dept SELECT * FROM hr.{}",
    "UPDATE hr.{} SET id = 1",
    "DELETE FROM hr.{}",
    "MERGE INTO hr.{} USING hr.dept d ON d.id = 1 WHEN MATCHED THEN DELETE",
    "MERGE INTO hr.dept USING hr.{} s ON s.id = 1 WHEN MATCHED THEN DELETE",
    "TRUNCATE TABLE hr.{}",
    "ALTER TABLE hr.{} ADD COLUMN x INT",
    "ALTER TABLE hr.{} RENAME TO hr.other",
    "ALTER TABLE hr.dept RENAME TO hr.{}",
    "COMMENT ON TABLE hr.{} IS 'x'",
    "DROP TABLE hr.{}",
    "DROP TABLE IF EXISTS hr.{}",
    "DROP VIEW hr.{}",
    "DROP VIEW IF EXISTS hr.{}",
    "DROP MATERIALIZED VIEW IF EXISTS hr.{}",
    "REFRESH MATERIALIZED VIEW hr.{}",
    "CREATE TABLE hr.{} (a INT)",
    "CREATE TABLE IF NOT EXISTS hr.{} (a INT)",
    "CREATE OR REPLACE TABLE hr.{} (a INT)",
    "CREATE TABLE hr.{} AS SELECT 1 AS a",
    "CREATE TABLE hr.{} LIKE hr.dept",
    "CREATE TABLE hr.other LIKE hr.{}",
    "CREATE VIEW hr.{} AS SELECT 1 AS a",
    "CREATE VIEW hr.other AS SELECT * FROM hr.{}",
    "CREATE TEMPORARY VIEW other AS SELECT * FROM hr.{}",
    "CREATE MATERIALIZED VIEW hr.{} AS SELECT id FROM hr.dept",
    "CALL system.rewrite_data_files(table => 'hr.{}')",
    "CALL lake.system.rollback_to_snapshot('hr.{}', 1)",
    "CALL system.register_table(table => 'hr.{}', metadata_file => '/x.json')",
]
OF_SCHEMAS = [
    "SELECT * FROM {}.gold",
    "SELECT * FROM lake.{}.gold",
    "SELECT * FROM lake.{}.gold.files",
    "DROP TABLE IF EXISTS {}.gold",
    "CREATE TABLE {}.gold (a INT)",
    "SHOW TABLES IN {}",
    "SHOW TABLES IN lake.{}",
    "SHOW VIEWS IN {}",
    "SHOW MATERIALIZED VIEWS IN {}",
    "SHOW SCHEMAS IN {}",
    "SHOW CREATE SCHEMA {}",
    "DESCRIBE SCHEMA {}",
    "DESCRIBE SCHEMA EXTENDED {}",
    "USE {}",
    "USE lake.{}",
    "USE SCHEMA {}",
]
OF_CATALOGS = [
    "SELECT * FROM {}.hr.gold",
    "SHOW SCHEMAS IN {}",
    "SHOW TABLES IN {}.hr",
    "USE CATALOG {}",
    "USE {}.hr",
    "USE {}",
]
OF_TRINO = [
    "SELECT * FROM hr.{}",
    "SELECT * FROM lake.hr.{} FOR VERSION AS OF 1",
    'SELECT * FROM hr."{}$snapshots"',
    "DESCRIBE hr.{}",
    "SHOW COLUMNS FROM hr.{}",
    "SHOW CREATE TABLE hr.{}",
    "SHOW CREATE VIEW hr.{}",
    "SHOW STATS FOR hr.{}",
    "EXPLAIN SELECT * FROM hr.{}",
    "EXPLAIN (TYPE IO) SELECT * FROM hr.{}",
    "EXPLAIN (TYPE VALIDATE) SELECT * FROM hr.{}",
    "INSERT INTO hr.{} VALUES (1)",
    "DELETE FROM hr.{}",
    "UPDATE hr.{} SET id = 1",
    "DROP TABLE hr.{}",
    "DROP VIEW hr.{}",
    "CREATE TABLE hr.{} (a int)",
    "CREATE TABLE hr.{} AS SELECT 1 a",
    "CREATE VIEW hr.{} AS SELECT 1 a",
    "ALTER TABLE hr.{} ADD COLUMN x int",
    "TRUNCATE TABLE hr.{}",
    "COMMENT ON TABLE hr.{} IS 'x'",
    "ANALYZE hr.{}",
    "ALTER TABLE hr.{} EXECUTE optimize",
]


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Quiet]:
    with quiet_lake(tmp_path_factory.mktemp("home")) as found, found.hiding():
        yield found


def said(lake: Lake, text: str, name: str) -> tuple[Any, ...]:
    """All that a person learns, with the name left out of it."""
    error = lake.fails(text.format(name))
    where = error.position and (error.position.line, error.position.column)
    return error.code, str(error).replace(name, "…"), error.hint.replace(name, "…"), where


@pytest.mark.parametrize(("there", "absent"), TABLES)
@pytest.mark.parametrize("text", OF_TABLES)
def test_of_a_table(quiet: Quiet, text: str, there: str, absent: str) -> None:
    told = said(quiet.lake, text, there)
    assert told[0] is ErrorCode.ACCESS_DENIED
    assert told == said(quiet.lake, text, absent)


@pytest.mark.parametrize(("there", "absent"), SCHEMAS)
@pytest.mark.parametrize("text", OF_SCHEMAS)
def test_of_a_schema(quiet: Quiet, text: str, there: str, absent: str) -> None:
    told = said(quiet.lake, text, there)
    assert told[0] is ErrorCode.ACCESS_DENIED
    assert told == said(quiet.lake, text, absent)


@pytest.mark.parametrize(("there", "absent"), CATALOGS)
@pytest.mark.parametrize("text", OF_CATALOGS)
def test_of_a_catalog(quiet: Quiet, text: str, there: str, absent: str) -> None:
    told = said(quiet.lake, text, there)
    assert told[0] is ErrorCode.ACCESS_DENIED
    assert told == said(quiet.lake, text, absent)


@pytest.mark.parametrize(("there", "absent"), TABLES)
@pytest.mark.parametrize("text", OF_TRINO)
def test_of_a_table_in_trinos_words(quiet: Quiet, text: str, there: str, absent: str) -> None:
    answers = [quiet.trino.ask(text.format(name)) for name in (there, absent)]
    told, other = (
        (one.error, one.kind, one.message.replace(name, "…"), one.location)
        for one, name in zip(answers, (there, absent), strict=True)
    )
    assert told[0] == "PERMISSION_DENIED"
    assert told == other


@pytest.mark.parametrize(
    ("text", "there", "absent"),
    [
        ("SHOW TABLES FROM {}", "vault", "ghost"),
        ("USE {}", "vault", "ghost"),
        ("SHOW CREATE SCHEMA {}", "vault", "ghost"),
        ("SHOW SCHEMAS FROM {}", "attic", "ghost"),
        ("SELECT * FROM {}.hr.gold", "attic", "ghost"),
        ("SELECT * FROM {}.information_schema.tables", "attic", "ghost"),
    ],
)
def test_of_a_schema_or_catalog_in_trinos_words(
    quiet: Quiet, text: str, there: str, absent: str
) -> None:
    """There what is hidden is not there."""
    answers = [quiet.trino.ask(text.format(name)) for name in (there, absent)]
    told, other = (
        (one.error, one.message.replace(name, "…"), one.location)
        for one, name in zip(answers, (there, absent), strict=True)
    )
    assert told[0]
    assert told == other


def test_a_name_that_is_allowed_gets_the_real_message(quiet: Quiet) -> None:
    error = quiet.lake.fails("SELECT * FROM hr.dep")
    assert error.code is ErrorCode.TABLE_NOT_FOUND and error.hint == "Did you mean dept?"
    error = quiet.lake.fails("CREATE TABLE hr.dept LIKE hr.emp")
    assert error.code is ErrorCode.TABLE_ALREADY_EXISTS


def test_a_reading_of_a_name_that_is_hidden_does_not_count(quiet: Quiet) -> None:
    """``secret.files`` may be a table in a schema ``secret``, or the files of ``hr.secret``."""
    own = quiet.lake.another_session(engine="auto")
    own.run("USE hr")
    with quiet.lake.rules.on("lake.secret.files", Allow("a rule about something else")):
        hidden = said(own, "SELECT * FROM {}.files", "secret")
    assert hidden == said(own, "SELECT * FROM {}.files", "absent")
    own.close()


def test_a_broken_view_says_so_to_those_who_may_read_it(tmp_path_factory: Any) -> None:
    with quiet_lake(tmp_path_factory.mktemp("home")) as found:
        error = found.lake.fails("SELECT * FROM hr.ghosts")
    assert error.code is ErrorCode.TABLE_NOT_FOUND
    assert error.message.startswith("In view lake.hr.ghosts: ")
    assert error.position is not None and error.position.column == 15
