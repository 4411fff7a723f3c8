"""Each lock holds by itself, and neither handles nor secrets get out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sqe.binding.bound import BoundStatement
from sqe.engines.protocol import Run
from sqe.errors import ErrorCode, SqeError
from sqe.model.query import EngineKind
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.statement import Statement, StatementKind
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

HANDLE = re.compile(r"q_[0-9a-f]{32}")
MARKER = "MaRkErSeCrEt0815"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM s.t",
        "SELECT * FROM lake.s.t",
        "SELECT * FROM sqe.s.t",
        "SELECT * FROM t",
        "SELECT * FROM parquet.`/etc/passwd`",
        "SELECT * FROM text.`/etc/passwd`",
        "SELECT * FROM spark_catalog.default.t",
        "SHOW TABLES",
        "SHOW NAMESPACES IN sqe",
        "SET spark.sql.catalog.sqe.token",
        "CREATE SCHEMA sqe.x",
        "SELECT reflect('java.lang.System', 'getProperty', 'user.dir')",
    ],
)
def test_a_name_that_the_parser_missed_is_not_found_by_spark(tables: Lake, sql: str) -> None:
    """As if parsing had found no relation at all: nothing is granted, so that nothing answers."""
    bound = BoundStatement(Statement(sql, StatementKind.QUERY), ())
    engine = tables.server.gateway._pipeline.runner.engines[EngineKind.SPARK]
    with pytest.raises(SqeError) as raised:
        prepared = engine.prepare(GuardedStatement(bound, {}), tables.session)
        prepared.run(Run("test", tables.session)).read_all()
    assert not HANDLE.search(str(raised.value))


FAILING = [
    "SELECT nope FROM s.t",
    "SELECT t.nope.x FROM s.t JOIN s2.t u ON true",
    "SELECT a FROM s.t x, s.t y",
    "SELECT * FROM s.t VERSION AS OF 1",
    "SELECT * FROM s.t.tag_nope",
    "SELECT * FROM s.t GROUP BY a",
    "SELECT b + 1 FROM s.t WHERE b IS NOT NULL",
    "SELECT raise_error(b) FROM s.t",
    "INSERT INTO s.t VALUES (1)",
    "INSERT INTO s.t SELECT 'x', 'y'",
    "INSERT INTO s.t (nope) VALUES (1)",
    "UPDATE s.t SET nope = 1",
    "DELETE FROM s.t WHERE nope = 1",
    "MERGE INTO s.t USING s2.t u ON t.a = u.nope WHEN MATCHED THEN DELETE",
    "ALTER TABLE s.t DROP COLUMN nope",
    "ALTER TABLE s.t ALTER COLUMN a TYPE STRING",
    "CREATE TABLE s.x PARTITIONED BY (nope) AS SELECT 1 AS a",
    "CREATE VIEW s.x AS SELECT nope FROM s.t",
    "SELECT * FROM s.t WHERE a = (SELECT a FROM s.t)",
    "EXPLAIN SELECT nope FROM s.t",
    "EXPLAIN ANALYZE SELECT 1/0 FROM s.t",
    f"CREATE TABLE s.x TBLPROPERTIES ('s3.secret-access-key'='{MARKER}') AS SELECT nope FROM s.t",
    f"SELECT '{MARKER}' AS password, nope FROM s.t -- password='{MARKER}'",
]


@pytest.fixture(scope="module")
def failed(tables: Lake) -> Iterator[list[str]]:
    """All that was said to anybody while many statements failed, and some did not."""
    said = []
    for sql in FAILING:
        error = tables.fails(sql)
        said += [str(error), error.hint, repr(error.position)]
    for mode in ("", "EXTENDED", "FORMATTED", "COST", "ANALYZE"):
        said.append(tables.explained(f"EXPLAIN {mode} SELECT * FROM s.t JOIN s2.t u USING (a)"))
    yield said


def test_no_handle_is_in_any_message_plan_or_record(tables: Lake, failed: list[str]) -> None:
    assert [text for text in failed if HANDLE.search(text)] == []
    # The text is the user's own, and some tests type what looks like a handle.
    records = [replace(record, text="") for record in tables.server.gateway.records()]
    assert not HANDLE.search(repr(records))
    result = tables.run("SELECT typeof(struct(t.*)), s.t.a FROM s.t LIMIT 1")
    assert not HANDLE.search(repr(result.schema) + repr(result.to_pylist()))


def test_no_handle_and_no_secret_is_in_any_log(tables: Lake, failed: list[str]) -> None:
    logs = tables.home / "logs"
    for path in [*logs.glob("*.jsonl"), *logs.glob("sqe.log*")]:
        text = path.read_text()
        # Handles typed by a user are refused, and the refusal is on record as they typed it.
        typed = "0123456789abcdef0123456789abcdef"
        assert not HANDLE.search(text.lower().replace(typed, "")), path
        assert f"='{MARKER}'" not in text, path
        assert f"\\'{MARKER}" not in text, path


def test_no_token_is_in_any_log(tables: Lake) -> None:
    session = tables.server.broker.open_session()
    tables.run("SELECT 1")
    tokens = [session.token.reveal(), *tables.server.broker._sessions]
    text = "".join(path.read_text() for path in (tables.home / "logs").glob("*.jsonl"))
    text += "".join(path.read_text() for path in (tables.home / "logs").glob("*.log"))
    assert [token for token in tokens if token in text] == []
    tables.server.broker.close_session(session)


def test_the_handles_of_a_query_that_fails_on_its_rows_are_gone(tables: Lake) -> None:
    assert tables.fails("SELECT a / (a - a) FROM s.t").code is ErrorCode.DIVISION_BY_ZERO
    sessions = tables.server.broker._sessions.values()
    assert [session.catalog._tables for session in sessions if session.catalog._tables] == []


def test_a_view_is_asked_what_its_query_is_asked(mine: Lake) -> None:
    """Spark reads 'it''s' as its; the local engine leaves such text to Spark, in views too."""
    mine.run("CREATE TEMPORARY VIEW joined_text AS SELECT a, 'it''s' AS x FROM s.t")
    mine.run("SET SESSION sqe.engine = 'local'")
    error = mine.fails("SELECT x FROM joined_text")
    assert (error.code, "strings" in error.message) == (ErrorCode.NOT_SUPPORTED, True)
