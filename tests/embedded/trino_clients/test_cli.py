"""Trino's command line, 476."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.embedded.trino_clients.conftest import SCHEMA
from tests.trino_clients.cli import Cli

# The first run on a machine fetches the program.
pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(600)]


def test_statements_are_executed_one_after_the_other(cli: Cli) -> None:
    said = cli.execute(
        "SELECT n_name, n_comment FROM nation ORDER BY 1 LIMIT 2; SHOW TABLES", schema=SCHEMA
    )
    assert (said.code, said.lines) == (
        0,
        ['"ALGERIA","x"', '"ARGENTINA","y"', '"nation"', '"region"'],
    )


def test_values_are_printed_in_the_format_that_was_asked_for(cli: Cli) -> None:
    """But for arrays, which this version's JSON cannot print, whatever the server is."""
    text = "SELECT DECIMAL '1.50' AS d, TIMESTAMP '2020-01-02 03:04:05.678' AS t, NULL AS n"
    said = cli.execute(text, "--output-format", "JSON")
    assert json.loads(said.out) == {"d": "1.50", "t": "2020-01-02 03:04:05.678", "n": None}


def test_an_error_is_shown_at_its_place_and_ends_the_run(cli: Cli) -> None:
    said = cli.execute("SELECT 1; SELECT n_name, nosuch FROM nation; SELECT 2", schema=SCHEMA)
    assert (said.code, said.lines) == (1, ['"1"'])
    assert "failed: line 1:16: Column 'nosuch' cannot be resolved" in said.err
    place = "LINE 1: SELECT n_name, nosuch FROM nation"
    assert f"{place}\n{' ' * place.index('nosuch')}^" in said.err


def test_errors_can_be_passed_over(cli: Cli) -> None:
    said = cli.execute("SELECT nosuch; SELECT 2", "--ignore-errors")
    assert said.lines == ['"2"']


def test_what_a_statement_sets_is_kept_for_the_next(cli: Cli) -> None:
    said = cli.execute(
        f"USE lake.{SCHEMA}; PREPARE p FROM SELECT r_name FROM region WHERE r_regionkey = ?; "
        "EXECUTE p USING 1; DESCRIBE INPUT p; DEALLOCATE PREPARE p; "
        "SET SESSION query_max_run_time = '5m'; SHOW SESSION LIKE 'query_max_run_time'; "
        "RESET SESSION query_max_run_time"
    )
    assert said.code == 0, said.err
    assert said.lines[:2] == ['"AMERICA"', '"0","bigint"']
    assert said.lines[2].startswith('"query_max_run_time","5m","100.00d","varchar"')
    for word in ("USE", "PREPARE", "DEALLOCATE", "SET SESSION", "RESET SESSION"):
        assert word in said.err


def test_a_deallocated_statement_is_gone(cli: Cli) -> None:
    said = cli.execute("PREPARE p FROM SELECT 1; DEALLOCATE PREPARE p; EXECUTE p")
    assert said.code == 1
    assert "Prepared statement not found: p" in said.err


def test_a_transaction_can_read(cli: Cli) -> None:
    said = cli.execute("START TRANSACTION; SELECT count(*) FROM nation; COMMIT", schema=SCHEMA)
    assert (said.code, said.lines) == (0, ['"3"'])


def test_tables_are_made_changed_and_dropped(cli: Cli) -> None:
    said = cli.execute(
        "CREATE SCHEMA cli; CREATE TABLE cli.t AS SELECT 1 AS a UNION ALL SELECT 2; "
        "INSERT INTO cli.t VALUES 3; DELETE FROM cli.t WHERE a = 1; UPDATE cli.t SET a = a * 10; "
        "SELECT a FROM cli.t ORDER BY a; DROP TABLE cli.t; DROP SCHEMA cli"
    )
    assert (said.code, said.lines) == (0, ['"20"', '"30"']), said.err
    for word in ("CREATE SCHEMA", "CREATE TABLE: 2 rows", "INSERT: 1 row", "DELETE: 1 row"):
        assert word in said.err
    assert "UPDATE: 2 rows" in said.err


def test_a_script_is_read_from_a_file(cli: Cli, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text("-- first\nSELECT 1;\n/* second */ SELECT 'a;b'\n;\n")
    assert cli.run("--file", str(script)).lines == ['"1"', '"a;b"']


def test_statements_can_be_typed_in(cli: Cli) -> None:
    said = cli.run(typed=f"SELECT 7;\nUSE {SCHEMA};\nSELECT count(*) FROM region;\n")
    assert (said.code, said.lines) == (0, ['"7"', '"3"'])
