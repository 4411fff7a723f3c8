"""Statements about row filters, column masks and tags, and those that show the rules."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.model.grants import THE_COLUMN
from sqe.model.masks import ExpressionMask, TruncateMask
from sqe.model.rules import Subject, SubjectKind
from sqe.sql.access import commands
from sqe.sql.access.expressions import read_policy
from sqe.sql.alter import AlterTable
from sqe.sql.parse import parse
from sqe.sql.statement import Access, StatementKind
from sqe.sql.text import TextLimits

LIMITS = TextLimits()


def said(text: str, kind: type[Any]) -> Any:
    command = parse(text).command
    assert isinstance(command, kind)
    return command


def test_row_filters_are_made_and_dropped() -> None:
    found = said("CREATE OR REPLACE ROW FILTER f AS (a = 'x') WITH CHECK", commands.CreateRowFilter)
    assert (found.name.text, found.rows.condition.sql, found.rows.check, found.replace) == (
        "f",
        "a = 'x'",
        True,
        True,
    )
    assert said("DROP ROW FILTER IF EXISTS f", commands.DropRowFilter).if_exists


def test_column_masks_are_made_and_dropped() -> None:
    found = said("CREATE COLUMN MASK m AS TRUNCATE(month)", commands.CreateColumnMask)
    assert (found.name.text, found.mask.mask) == ("m", TruncateMask("month"))
    assert said("DROP COLUMN MASK m", commands.DropColumnMask).name.text == "m"


def test_policies_are_made_where_there_are_none() -> None:
    found = said("CREATE ROW FILTER IF NOT EXISTS f AS (a)", commands.CreateRowFilter)
    assert (found.name.text, found.if_not_exists, found.replace) == ("f", True, False)
    mask = said("CREATE COLUMN MASK IF NOT EXISTS m AS NULL", commands.CreateColumnMask)
    assert (mask.name.text, mask.if_not_exists, mask.replace) == ("m", True, False)
    assert not said("CREATE COLUMN MASK m AS NULL", commands.CreateColumnMask).if_not_exists
    for kind in ("ROW FILTER", "COLUMN MASK"):
        with pytest.raises(UserError, match="exclude each other"):
            parse(f"CREATE OR REPLACE {kind} IF NOT EXISTS f AS (a)")


@pytest.mark.parametrize(
    ("sql", "hint"),
    [
        ("GRANT SELECT (a, b) ON t TO u", "COLUMNS (a, b)"),
        ("REVOKE SELECT (a) ON t FROM u", "COLUMNS (a, b)"),
        ("GRANT USAGE ON SCHEMA s TO u", "not needed"),
        ("GRANT USE SCHEMA ON SCHEMA s TO u", "not needed"),
        ("GRANT MODIFY ON t TO u", "INSERT, UPDATE, DELETE"),
        ("GRANT SELECT ON FUTURE TABLES IN SCHEMA s TO u", "made later too"),
        ("GRANT SELECT ON ALL VIEWS IN SCHEMA s TO u", "ON SCHEMA s"),
        ("GRANT SELECT ON t TO u COLUMNS (a.b MASKED WITH NULL)", "a MASKED WITH (named_struct"),
    ],
)
def test_what_other_systems_have_is_refused_with_what_it_is_here(sql: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(sql)
    assert caught.value.code is ErrorCode.SYNTAX_ERROR
    assert hint in caught.value.hint


def test_a_table_may_be_called_future() -> None:
    assert parse("GRANT SELECT ON future TO u").references[0].parts == ("future",)


def test_a_mask_for_many_columns_has_a_name_for_the_one() -> None:
    found = said(
        "CREATE COLUMN MASK m (c) AS (concat(left(c, 1), o.c, c(1), `C`))",
        commands.CreateColumnMask,
    )
    assert found.mask.mask == ExpressionMask(
        f"concat(left({THE_COLUMN}, 1), o.c, c(1), {THE_COLUMN})"
    )


def test_a_mask_is_not_the_name_of_another() -> None:
    with pytest.raises(UserError, match="not the name of another"):
        parse("CREATE COLUMN MASK m AS other")


def test_policies_are_put_on_tables() -> None:
    added = said("ALTER TABLE t ADD ROW FILTER f EXCEPT ROLE a, USER b", commands.AddRowFilter)
    assert added.exempt == (Subject(SubjectKind.ROLE, "a"), Subject(SubjectKind.USER, "b"))
    assert said("ALTER TABLE t DROP ROW FILTER f", commands.RemoveRowFilter).name.text == "f"
    masked = said("ALTER TABLE t ALTER COLUMN c SET MASK m EXCEPT PUBLIC", commands.SetColumnMask)
    assert (masked.column.text, masked.name.text, len(masked.exempt)) == ("c", "m", 1)
    assert said("ALTER VIEW v ALTER c DROP MASK", commands.UnsetColumnMask).column.text == "c"


def test_tags_are_set_on_tables_and_columns() -> None:
    assert said("ALTER TABLE t SET TAG pii", commands.SetTag).column is None
    column = said("ALTER TABLE t ALTER COLUMN c SET TAG pii", commands.SetTag).column
    assert column.text == "c"
    assert said("ALTER TABLE t UNSET TAG pii", commands.UnsetTag).tag.text == "pii"
    assert said("ALTER TABLE t ALTER COLUMN c UNSET TAG pii", commands.UnsetTag).column.text == "c"


def test_policies_are_put_on_tags() -> None:
    found = said("APPLY COLUMN MASK m TO TAG pii EXCEPT GROUP g", commands.ApplyToTag)
    assert (found.mask, found.name.text, found.tag.text, len(found.exempt)) == (True, "m", "pii", 1)
    assert not said("REMOVE ROW FILTER f FROM TAG pii", commands.RemoveFromTag).mask


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE t CREATE TAG x",
        "ALTER TABLE t DROP TAG x",
        "ALTER TABLE t ALTER COLUMN c TYPE bigint",
        "ALTER TABLE t ALTER COLUMN a.b DROP NOT NULL",
        "ALTER TABLE t DROP COLUMN row",
        "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')",
    ],
)
def test_icebergs_tags_and_other_changes_stay_what_they_are(text: str) -> None:
    statement = parse(text)
    assert statement.kind is StatementKind.ALTER_TABLE
    assert isinstance(statement.command, AlterTable)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SHOW ROLES", commands.ShowRoles),
        ("SHOW CURRENT ROLES", commands.ShowCurrentRoles),
        ("SHOW ROLE GRANTS", commands.ShowRoleGrants),
        ("SHOW GRANTS", commands.ShowGrants),
        ("SHOW ROW FILTERS", commands.ShowRowFilters),
        ("SHOW COLUMN MASKS", commands.ShowColumnMasks),
    ],
)
def test_shows_without_more(text: str, kind: type[Any]) -> None:
    said(text, kind)
    assert parse(text).references == ()


def test_grants_are_shown_of_an_object_and_a_subject() -> None:
    found = said("SHOW GRANTS ON TABLE hr.emp TO ROLE r", commands.ShowGrants)
    assert found.subject == Subject(SubjectKind.ROLE, "r")
    [reference] = parse("SHOW GRANTS ON hr.emp").references
    assert (reference.parts, reference.access) == (("hr", "emp"), Access.DESCRIBE)
    assert parse("SHOW GRANTS ON SCHEMA hr FOR ann").references == ()
    of_roles = said("SHOW ROLE GRANTS FOR USER ann", commands.ShowRoleGrants)
    assert of_roles.subject == Subject(SubjectKind.USER, "ann")


def test_the_effective_policy_is_shown_for_somebody() -> None:
    text = "SHOW EFFECTIVE POLICY FOR USER ann GROUPS (a, `b c`) ON hr.emp"
    found = said(text, commands.ShowEffectivePolicy)
    assert (found.subject, found.groups) == (Subject(SubjectKind.USER, "ann"), ("a", "b c"))
    assert parse(text).references[0].parts == ("hr", "emp")
    assert said("SHOW EFFECTIVE POLICY ON TABLE t", commands.ShowEffectivePolicy).subject is None
    group = said("SHOW EFFECTIVE POLICY FOR GROUP g ON t", commands.ShowEffectivePolicy)
    assert group.subject == Subject(SubjectKind.GROUP, "g")
    with pytest.raises(UserError, match="Expected ON"):
        parse("SHOW EFFECTIVE POLICY FOR GROUP g GROUPS (h) ON t")


def test_explain_policy_holds_a_statement_that_is_not_run() -> None:
    statement = parse("EXPLAIN POLICY\nDELETE FROM t WHERE a = 1")
    command = statement.command
    assert isinstance(command, commands.ExplainPolicy)
    assert (statement.kind, statement.inner) == (StatementKind.COMMAND, None)
    assert command.about.kind is StatementKind.DELETE
    assert command.about.references[0].span.of(statement.text) == "t"


def test_functions_are_for_everybody() -> None:
    with pytest.raises(UserError) as caught:
        parse("DENY EXECUTE ON FUNCTION upper TO PUBLIC")
    assert caught.value.code is ErrorCode.NOT_SUPPORTED
    assert "everybody" in caught.value.hint


def test_set_role_is_refused_with_the_reason() -> None:
    with pytest.raises(UserError) as caught:
        parse("SET ROLE analyst")
    assert caught.value.code is ErrorCode.NOT_SUPPORTED
    assert "in force" in caught.value.hint


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("a = 1 AND (b > c)", [("a",), ("b",), ("c",)]),
        ("e.a = home.zip", [("e", "a"), ("home", "zip")]),
        ("exists(xs, x -> x > n)", [("xs",), ("n",)]),
        ("a IN (SELECT z FROM lake.hr.t WHERE b = 1)", [("a",)]),
    ],
)
def test_the_columns_of_a_policy_are_those_of_its_row(
    sql: str, columns: list[tuple[str, ...]]
) -> None:
    assert sorted(read_policy(sql, LIMITS).columns) == sorted(columns)


def test_the_tables_of_a_policy_are_those_of_its_subqueries() -> None:
    found = read_policy("a IN (SELECT b FROM lake.hr.t) OR EXISTS (SELECT 1 FROM x.y.z)", LIMITS)
    assert found.tables == (("lake", "hr", "t"), ("x", "y", "z"))


@pytest.mark.parametrize("sql", ["1", "'x'", "a + 1", "a || b", "concat(a, b)", "-a"])
def test_some_expressions_are_certainly_no_conditions(sql: str) -> None:
    assert read_policy(sql, LIMITS).never_true


@pytest.mark.parametrize("sql", ["a", "a = 1", "a AND b", "NOT a", "a LIKE 'x'", "coalesce(a, b)"])
def test_others_may_be(sql: str) -> None:
    assert not read_policy(sql, LIMITS).never_true


def test_more_than_one_expression_is_refused() -> None:
    with pytest.raises(UserError):
        read_policy("a, b", LIMITS)
