"""The grammar of materialized views."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.sql.materialized import (
    CreateMaterializedView,
    DropMaterializedView,
    RefreshMaterializedView,
    ShowMaterializedViews,
)
from sqe.sql.parse import parse
from sqe.sql.statement import Access


def test_create_takes_all_clauses_and_keeps_the_query() -> None:
    text = (
        "CREATE OR REPLACE MATERIALIZED VIEW s.v (a, `b c`) COMMENT 'it''s'"
        " PARTITIONED BY (days(a), bucket(4, `b c`)) TBLPROPERTIES ('k' = 'v')\n"
        "AS SELECT a, b FROM t -- all\n"
    )
    statement = parse(text)
    command = statement.command
    assert isinstance(command, CreateMaterializedView)
    assert command.columns == ("a", "b c")
    assert command.comment == "it's"
    assert command.partitioning == "(days(a), bucket(4, `b c`))"
    assert command.properties == (("k", "v"),)
    assert command.query_text.startswith("SELECT a, b FROM t")
    assert (command.replace, command.if_not_exists) == (True, False)
    assert statement.references[0].access is Access.CREATE
    assert statement.inner is not None
    assert statement.inner.references[0].span.of(text) == "t"


def test_refresh_drop_and_show() -> None:
    assert parse("REFRESH MATERIALIZED VIEW s.v").command == RefreshMaterializedView()
    assert parse("REFRESH MATERIALIZED VIEW v FULL").command == RefreshMaterializedView(full=True)
    dropping = parse("DROP MATERIALIZED VIEW IF EXISTS v")
    assert dropping.command == DropMaterializedView(if_exists=True)
    assert dropping.references[0].if_exists
    shown = parse("SHOW MATERIALIZED VIEWS FROM s LIKE 'a*'").command
    assert isinstance(shown, ShowMaterializedViews)
    assert shown.schema is not None
    assert shown.pattern is not None


@pytest.mark.parametrize(
    "text",
    [
        "CREATE OR REPLACE MATERIALIZED VIEW IF NOT EXISTS v AS SELECT 1",
        "CREATE MATERIALIZED VIEW v",
        "CREATE MATERIALIZED VIEW v AS",
        "CREATE MATERIALIZED VIEW v AS INSERT INTO t VALUES (1)",
        "CREATE MATERIALIZED VIEW v PARTITIONED BY (SELECT) AS SELECT 1",
        "CREATE MATERIALIZED VIEW v PARTITIONED BY ('a') AS SELECT 1",
        "CREATE MATERIALIZED VIEW v PARTITIONED BY (a AS SELECT 1",
        "CREATE MATERIALIZED VIEW v (a COMMENT 'x') AS SELECT 1",
        "CREATE MATERIALIZED VIEW v LOCATION 's3://x' AS SELECT 1",
        "CREATE MATERIALIZED VIEW v TBLPROPERTIES ('sqe.materialized-view' = 'x') AS SELECT 1",
        "CREATE MATERIALIZED VIEW v TBLPROPERTIES ('location' = 'x') AS SELECT 1",
        "REFRESH MATERIALIZED VIEW v PARTLY",
        "REFRESH TABLE t",
        "SHOW MATERIALIZED VIEWS s",
    ],
)
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(text)
    assert raised.value.code in (
        ErrorCode.SYNTAX_ERROR,
        ErrorCode.NOT_SUPPORTED,
        ErrorCode.INVALID_ARGUMENT,
    )


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (a INT) TBLPROPERTIES ('sqe.materialized-view' = 'x')",
        "CREATE TABLE t TBLPROPERTIES ('sqe.materialized-view' = 'x') AS SELECT 1 AS a",
        "ALTER TABLE t SET TBLPROPERTIES ('sqe.materialized-view' = 'x')",
        "ALTER TABLE t SET TBLPROPERTIES (SQE.`materialized-view` = 'x')",
        "ALTER TABLE t UNSET TBLPROPERTIES ('sqe.materialized-view')",
    ],
)
def test_nobody_writes_a_definition_by_hand(text: str) -> None:
    """Whoever refreshes it would store rows that its writer may not read."""
    with pytest.raises(UserError) as raised:
        parse(text)
    assert "reserved" in raised.value.message
