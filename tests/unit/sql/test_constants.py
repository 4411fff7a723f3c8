"""IDENTIFIER and EXECUTE IMMEDIATE with constants become the names and texts they stand for."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.model.variables import SessionVariable
from sqe.sql.constants import write_out
from sqe.sql.parser import Parser
from sqe.sql.statement import StatementKind
from sqe.sql.text import TextLimits

LIMITS = TextLimits()
PARSER = Parser(LIMITS)
VARIABLES = {
    "t": SessionVariable("T", "string", "'hr.emp'", "NULL", "hr.emp"),
    "q": SessionVariable("q", "string", "'SELECT ?'", "NULL", "SELECT ?"),
    "n": SessionVariable("n", "int", "5", "NULL"),
    "none": SessionVariable("none", "string", "CAST(NULL AS STRING)", "NULL"),
}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("SELECT 1", "SELECT 1"),
        ("SELECT * FROM IDENTIFIER('hr.emp') e", "SELECT * FROM `hr`.`emp` e"),
        ("SELECT identifier ( 'a' || '.b' ) FROM t", "SELECT `a`.`b` FROM t"),
        ("SELECT IDENTIFIER('`a.b`.c')", "SELECT `a.b`.`c`"),
        ("SELECT IDENTIFIER('abs')(-1)", "SELECT `abs`(-1)"),
        ("DROP TABLE IDENTIFIER('x')", "DROP TABLE `x`"),
        ("SELECT 'IDENTIFIER(''x'')' -- IDENTIFIER('y')", None),
        ("SELECT `identifier`('x')", None),
        ("SELECT a.identifier('x')", None),
        ("SELECT IDENTIFIER(c) FROM t", None),
        ("SELECT IDENTIFIER('a' || c) FROM t", None),
        ("EXECUTE IMMEDIATE 'SELECT * FROM hr.emp'", "SELECT * FROM hr.emp"),
        ("execute immediate 'SELECT ' || '1'", "SELECT 1"),
        ("EXECUTE IMMEDIATE 'SELECT ?, ?' USING 1, 'a'", "SELECT  1 ,  'a' "),
        ("EXECUTE IMMEDIATE 'SELECT :x - :y' USING (-1 AS x, 2 AS Y)", "SELECT  -1  -  2 "),
        ("EXECUTE IMMEDIATE 'SELECT v:x, :x' USING NULL AS x", "SELECT v:x,  NULL "),
        ("EXECUTE IMMEDIATE 'SELECT 1 - ?' USING -1", "SELECT 1 -  -1 "),
        ("EXECUTE IMMEDIATE 'SELECT ?' USING DATE '2024-01-01'", "SELECT  DATE '2024-01-01' "),
        ("EXECUTE IMMEDIATE 'SELECT * FROM IDENTIFIER(''a.b'')'", "SELECT * FROM `a`.`b`"),
        ("-- EXECUTE IMMEDIATE\nSELECT 1", None),
    ],
)
def test_it_is_written_out(text: str, written: str | None) -> None:
    assert write_out(text, LIMITS, {}) == (text if written is None else written)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("SELECT * FROM IDENTIFIER(t)", "SELECT * FROM `hr`.`emp`"),
        ("TABLE IDENTIFIER(system.session.T)", "TABLE `hr`.`emp`"),
        ("SELECT * FROM IDENTIFIER('lake.' || session.t)", "SELECT * FROM `lake`.`hr`.`emp`"),
        ("SELECT IDENTIFIER(n), IDENTIFIER(none), IDENTIFIER(x.t), IDENTIFIER(a)", None),
        ("EXECUTE IMMEDIATE q USING n", "SELECT  5 "),
        ("EXECUTE IMMEDIATE q || ' AS a' USING T", "SELECT  'hr.emp'  AS a"),
        ("EXECUTE IMMEDIATE 'SELECT :a' USING n AS a", "SELECT  5 "),
        (
            "EXECUTE IMMEDIATE q INTO n, session.`t u` USING 1",
            "SET VARIABLE (n, session.`t u`) = (\nSELECT  1 \n)",
        ),
    ],
)
def test_variables_are_constants(text: str, written: str | None) -> None:
    assert write_out(text, LIMITS, VARIABLES) == (text if written is None else written)


@pytest.mark.parametrize("text", ["EXECUTE IMMEDIATE n", "EXECUTE IMMEDIATE q USING a"])
def test_only_variables_of_texts_are_statements(text: str) -> None:
    with pytest.raises(UserError) as raised:
        PARSER.parse(text, VARIABLES)
    assert raised.value.code is ErrorCode.NOT_SUPPORTED


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT IDENTIFIER('a b')", ErrorCode.SYNTAX_ERROR),
        ("SELECT IDENTIFIER('a; DROP TABLE b')", ErrorCode.SYNTAX_ERROR),
        ("SELECT IDENTIFIER('a`')", ErrorCode.SYNTAX_ERROR),
        ("SELECT IDENTIFIER('')", ErrorCode.SYNTAX_ERROR),
        (r"SELECT IDENTIFIER('a\u002eb')", ErrorCode.NOT_SUPPORTED),
        ("SELECT IDENTIFIER(c) FROM t", ErrorCode.NOT_SUPPORTED),
        ("SELECT IDENTIFIER('reflect')('java.lang.System', 'exit', '0')", ErrorCode.NOT_SUPPORTED),
        ("SELECT * FROM IDENTIFIER('q_" + "0" * 32 + ".t')", ErrorCode.NOT_SUPPORTED),
        ("EXECUTE IMMEDIATE s", ErrorCode.NOT_SUPPORTED),
        ("EXECUTE IMMEDIATE concat('a', 'b')", ErrorCode.NOT_SUPPORTED),
        ("EXECUTE IMMEDIATE 'DELETE FROM t' INTO x", ErrorCode.SYNTAX_ERROR),
        ("EXECUTE IMMEDIATE 'SELECT ?' USING (SELECT 1)", ErrorCode.NOT_SUPPORTED),
        ("EXECUTE IMMEDIATE 'SELECT ?' USING a", ErrorCode.NOT_SUPPORTED),
        ("EXECUTE IMMEDIATE 'SELECT ?' USING 1, 2", ErrorCode.INVALID_ARGUMENT),
        ("EXECUTE IMMEDIATE 'SELECT ?, ?' USING 1", ErrorCode.INVALID_ARGUMENT),
        ("EXECUTE IMMEDIATE 'SELECT :a' USING 1 AS b", ErrorCode.INVALID_ARGUMENT),
        ("EXECUTE IMMEDIATE 'SELECT ''a'' ?' USING 'b'", ErrorCode.INVALID_ARGUMENT),
        ("EXECUTE IMMEDIATE 'EXECUTE IMMEDIATE ''SELECT 1'''", ErrorCode.NOT_SUPPORTED),
        ("EXECUTE IMMEDIATE 'SELECT 1; SELECT 2'", ErrorCode.MULTIPLE_STATEMENTS),
        ("EXECUTE IMMEDIATE 'ADD JAR ''/x.jar'''", ErrorCode.NOT_SUPPORTED),
        ("EXECUTE IMMEDIATE 'SELECT reflect(''a'', ''b'')'", ErrorCode.NOT_SUPPORTED),
    ],
)
def test_what_is_not_constant_or_not_allowed_is_refused(text: str, code: ErrorCode) -> None:
    with pytest.raises(UserError) as raised:
        PARSER.parse(text, {})
    assert raised.value.code is code


def test_the_names_written_out_are_the_statement_s() -> None:
    found = PARSER.parse("EXPLAIN SELECT * FROM IDENTIFIER('hr.emp') JOIN t USING (id)", {}).inner
    assert found is not None
    assert [r.parts for r in found.references] == [("hr", "emp"), ("t",)]
    assert [r.span.of(found.text) for r in found.references] == ["`hr`.`emp`", "t"]
    written = PARSER.parse("EXECUTE IMMEDIATE 'DELETE FROM hr.emp WHERE id = ?' USING 3", {})
    assert written.kind is StatementKind.DELETE
    assert written.text == "DELETE FROM hr.emp WHERE id =  3"
