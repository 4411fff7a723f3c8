"""Session variables in a text: their statements, and where a name is one."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.model.literals import literal_of
from sqe.model.types import parse_type
from sqe.model.variables import SessionVariable
from sqe.sql.parse import parse
from sqe.sql.variable_uses import find_variable_uses, write_out_variables
from sqe.sql.variables import DeclareVariable, SetVariable

VARIABLES = {
    "x": SessionVariable("x", "int", "7", "NULL"),
    "s": SessionVariable("s", "string", "'it''s'", "NULL", "it's"),
}


def written(text: str) -> str:
    """``t`` has the columns a and b; of ``u`` nothing is known."""
    statement = parse(text)
    starts = {
        reference.span.start: {"a": "a", "b": "b"}
        for reference in statement.references
        if reference.parts[-1] == "t"
    }
    names = {reference.parts[-1] for reference in statement.references} | {"a", "b"}
    uses = find_variable_uses(statement, starts.get, names, VARIABLES)
    text = write_out_variables(statement, uses) if uses else text
    return " ".join(text.split()).replace(" ,", ",").replace(" )", ")").replace("( ", "(")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT x", "SELECT 7 AS x"),
        ("SELECT X + 1 AS c, s FROM t", "SELECT 7 + 1 AS c, 'it''s' AS s FROM t"),
        ("SELECT session.x, system.Session.X", "SELECT 7 AS x, 7 AS X"),
        ("SELECT a FROM t WHERE a > x AND b = session.s LIMIT x",
         "SELECT a FROM t WHERE a > 7 AND b = 'it''s' LIMIT 7"),
        ("VALUES (x)", "VALUES (7)"),
        ("SELECT sum(x) FROM VALUES (1)", "SELECT sum(7) FROM VALUES (1)"),
        ("SELECT id FROM range(10) WHERE id = x", "SELECT id FROM range(10) WHERE id = 7"),
        ("INSERT INTO t SELECT x, a FROM t", "INSERT INTO t SELECT 7 AS x, a FROM t"),
        ("INSERT INTO t VALUES (x, s)", "INSERT INTO t VALUES (7, 'it''s')"),
        ("UPDATE t SET a = x WHERE b = s", "UPDATE t SET a = 7 WHERE b = 'it''s'"),
        ("DELETE FROM t WHERE a = x", "DELETE FROM t WHERE a = 7"),
        ("MERGE INTO t USING t AS n ON t.a = n.a WHEN NOT MATCHED THEN INSERT (a) VALUES (x)",
         "MERGE INTO t USING t AS n ON t.a = n.a WHEN NOT MATCHED THEN INSERT (a) VALUES (7)"),
        ("SELECT a FROM t GROUP BY a + x ORDER BY x", "SELECT a FROM t GROUP BY a + CAST(7 AS INT)"
         " ORDER BY CAST(7 AS INT)"),
        ("WITH c AS (SELECT x) SELECT * FROM c WHERE x > 1",
         "WITH c AS (SELECT 7 AS x) SELECT * FROM c WHERE x > 1"),
        ("SELECT transform(array(1), e -> e + x) AS r",
         "SELECT transform(array(1), e -> e + 7) AS r"),
        ("SELECT e FROM t LATERAL VIEW explode(array(x)) v AS e",
         "SELECT e FROM t LATERAL VIEW explode(array(7)) v AS e"),
    ],
)  # fmt: skip
def test_a_name_that_is_no_column_is_a_variable(text: str, expected: str) -> None:
    assert written(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "SELECT x FROM VALUES (2) AS t(x)",
        "SELECT c FROM VALUES (2) AS t(x), LATERAL (SELECT x) AS l(c)",
        "SELECT (SELECT max(id) FROM range(9) WHERE id < x) FROM VALUES (1) AS v(x)",
        "SELECT a AS x, x + 1 FROM t",
        "SELECT x FROM u",  # it may have such a column
        "SELECT a AS x FROM t ORDER BY x",
        "SELECT transform(array(1), x -> x + 1)",
        "SELECT explode(array(1)) AS x, x FROM t",
        "SELECT t.x, session.y, b.session.x, session.x.y FROM t",
        "SELECT session.x FROM t AS session",
        "SELECT session.x FROM (SELECT named_struct('x', 1) AS session)",
        "SELECT 'x', `a` FROM t /* x */",
        "SELECT e FROM t LATERAL VIEW explode(array(1)) v AS x, e WHERE x = 1",
    ],
)
def test_a_name_that_may_be_a_column_is_left_alone(text: str) -> None:
    assert written(text) == text


def test_values_keep_their_places_in_the_text() -> None:
    text = "SET VARIABLE x = 1 +\n 2, session.s = DEFAULT, y = f(1, 2)"
    statement = parse(text.replace("f(", "pmod("))
    assert statement.command == SetVariable((("x",), ("session", "s"), ("y",)), frozenset({1}))
    assert statement.inner is not None
    inner = statement.inner.text
    assert inner.index("1 +\n 2") == text.index("1 +\n 2")
    assert inner.index("pmod") == text.index("f(1")
    assert len(inner) == len(statement.text)


def test_a_declaration_has_a_type_or_a_default() -> None:
    statement = parse("DECLARE OR REPLACE VARIABLE a, b MAP<STRING, INT> DEFAULT map('k', 1)")
    assert statement.command == DeclareVariable(
        ("a", "b"), "MAP<STRING, INT>", "map('k', 1)", replace=True
    )
    assert parse("DECLARE x = 5").command == DeclareVariable(("x",), "", "5")
    assert parse("DECLARE x INT").command == DeclareVariable(("x",), "INT", "NULL")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("DECLARE x", ErrorCode.INVALID_ARGUMENT),
        ("DECLARE x, X INT", ErrorCode.INVALID_ARGUMENT),
        ("DECLARE IF NOT EXISTS x INT", ErrorCode.SYNTAX_ERROR),
        ("DECLARE builtin.x INT", ErrorCode.VARIABLE_NOT_FOUND),
        ("DECLARE x INT = (SELECT 1)", ErrorCode.INVALID_ARGUMENT),
        ("DECLARE x INT) AS a, CAST(1 AS INT = 1", ErrorCode.SYNTAX_ERROR),
        ("DECLARE x INT = 1 FROM t", ErrorCode.INVALID_ARGUMENT),
        ("DECLARE x INT = 1, 2", ErrorCode.INVALID_ARGUMENT),
        ("SET VARIABLE x = 1, X = 2", ErrorCode.INVALID_ARGUMENT),
        ("SET VARIABLE x = 'a' || DEFAULT", ErrorCode.INVALID_ARGUMENT),
        ("SET VARIABLE x = ?", ErrorCode.NOT_SUPPORTED),
        ("SET VARIABLE (x) = (DELETE FROM t)", ErrorCode.SYNTAX_ERROR),
        ("SET VARIABLE (x) = (SELECT DEFAULT FROM t)", ErrorCode.NOT_SUPPORTED),
        ("SET VARIABLE (x) = (VALUES (DEFAULT))", ErrorCode.NOT_SUPPORTED),
        ("SET VARIABLE () = (SELECT 1)", ErrorCode.INVALID_ARGUMENT),
        ("SET VARIABLE x = reflect('a', 'b')", ErrorCode.NOT_SUPPORTED),
        ("DROP VARIABLE x", ErrorCode.SYNTAX_ERROR),
    ],
)
def test_what_is_wrong_is_told(text: str, code: ErrorCode) -> None:
    with pytest.raises(UserError) as raised:
        parse(text)
    assert raised.value.code is code, raised.value


@pytest.mark.parametrize(
    ("kind", "value", "sql"),
    [
        ("void", None, "NULL"),
        ("int", None, "CAST(NULL AS INT)"),
        ("int", 5, "5"),
        ("int", -5, "CAST('-5' AS INT)"),
        ("bigint", 5, "CAST('5' AS BIGINT)"),
        ("boolean", True, "true"),
        ("double", float("nan"), "CAST('nan' AS DOUBLE)"),
        ("double", 1e300, "CAST('1e+300' AS DOUBLE)"),
        ("decimal(10,2)", Decimal("1.50"), "CAST('1.50' AS DECIMAL(10,2))"),
        ("string", "it's \\", r"'it\'s \\'"),
        ("binary", b"\x01\xff", "X'01FF'"),
        ("date", datetime.date(2024, 2, 29), "DATE '2024-02-29'"),
        ("array<int>", [1, None], "CAST(array(1, CAST(NULL AS INT)) AS ARRAY<INT>)"),
        ("map<string,int>", [("k", 1)], "CAST(map('k', 1) AS MAP<STRING, INT>)"),
        ("struct<`a b`:int>", {"a b": 1}, "CAST(struct(1) AS STRUCT<`a b`: INT>)"),
    ],
)
def test_a_value_is_written_as_a_constant_of_its_type(kind: str, value: Any, sql: str) -> None:
    assert literal_of(parse_type(kind), value) == sql


def test_a_variable_does_not_show_its_value() -> None:
    assert "it" not in repr(VARIABLES["s"])
