"""Where a text is wrong, and what is said of it. The places are those that Trino 476 gives."""

from __future__ import annotations

import pytest

from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.parser import parse, parse_expression


def refusal(text: str) -> Refused:
    with pytest.raises(Refused) as raised:
        parse(text)
    return raised.value


@pytest.mark.parametrize(
    ("text", "stops_at"),
    [
        ("SELECT * FROM t WHERE x ^", "^"),
        ("SELECT a FROM t WHERE x = 1 WHERE y", "WHERE y"),
        ("SELECT * FROM t JOIN u WHERE x = 1", "WHERE"),
        ("SELECT f(a b) FROM t", "b)"),
        ("SELECT count( FROM t", "FROM"),
        ("SELECT 1 + f(,) FROM t", "(,"),
        ("SELECT (1 + f(,)) FROM t", ",)"),
        ("SELECT r. FROM t", "FROM"),
        ("SELECT 1 FROM t WHERE r. = 1", ". ="),
        ("SELECT a + t.* FROM t", ".*"),
        ("SELECT * FROM t WHERE x IN (1, 2,)", "IN"),
        ("SELECT * FROM t WHERE x NOT IN (1, 2,)", ")"),
        ("SELECT * FROM t WHERE (x IN (1, 2,))", "))"),
        ("SELECT * FROM t WHERE x IN (SELECT y FROM u WHERE) AND z", "IN"),
        ("SELECT x = ANY (SELECT FROM y)", "(SELECT"),
        ("SELECT ()", ""),
        ("SELECT CAST(x AS timestamp with zone)", "zone"),
        ("SELECT * FROM UNNEST(x) WITH ORDINAL", "WITH"),
        ("SELECT ARRAY TABLESAMPLE [1]", "[1"),
        ("(WITH a AS (SELECT 1) SELECT * FROM a)", "WITH"),
        ("SELECT x::integer", "::"),
        ("SELECT * FROM t LIMIT 1, 2", ", 2"),
        ("SELECT * FROM t LIMIT 1 OFFSET 1", "OFFSET"),
        ("SELECT 'it's'", "'"),
        ("SELECT 1\f", "\f"),
        ("SELECT auto", "auto"),
        ("SELECT /* never ends", "/"),
    ],
)
def test_the_place_of_a_syntax_error(text: str, stops_at: str) -> None:
    found = refusal(text)
    assert found.name == "SYNTAX_ERROR"
    assert found.at is not None
    rest = text[found.at :]
    assert rest.startswith(stops_at) if stops_at else not rest


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("SELECT `a`", 7, "backquoted identifiers are not supported; use double quotes"),
        ('SELECT ""', 7, "Zero-length delimited identifier not allowed"),
        ("SELECT 1 AS 2b", 12, "identifiers must not start with a digit"),
        ("SELECT 9223372036854775808", 7, "Invalid numeric literal: 9223372036854775808"),
        ("SELECT -0x8000_0000_0000_0001", 7, "Invalid numeric literal: -0x8000_0000_0000_0001"),
        ("SELECT X'0G'", 7, "Binary literal can only contain hexadecimal digits"),
        ("SELECT x '00'", 7, "Spaces are not allowed between 'X' and the starting quote"),
        (r"SELECT U&'\+110000'", 7, "Invalid escaped character: 110000"),
        (r"SELECT U&'\zzzz'", 7, "Invalid hexadecimal digit: z"),
        (r"SELECT U&'a\'", 7, "Incomplete escape sequence: "),
        ("SELECT U&'a' UESCAPE ''", 7, "Empty Unicode escape character"),
        ("SELECT U&'a' UESCAPE '+'", 7, "Invalid Unicode escape character: +"),
        ("SELECT if(true)", 7, "Invalid number of arguments for 'if' function"),
        ("SELECT try(DISTINCT 1)", 7, "DISTINCT not valid for 'try' function"),
        ("SELECT nullif(1, 2) OVER ()", 7, "OVER clause not valid for 'nullif' function"),
        ("SELECT trim(FROM 'a')", 7, "The 'trim' function must have specification"),
    ],
)
def test_what_the_grammar_allows_and_trino_refuses(text: str, at: int, message: str) -> None:
    found = refusal(text)
    assert (found.name, found.at) == ("SYNTAX_ERROR", at)
    assert found.message.startswith(message)


def test_an_error_of_the_grammar_comes_before_one_in_a_literal() -> None:
    assert refusal("SELECT 9223372036854775808 FROM").message.startswith("mismatched input")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "WITH FUNCTION f() RETURNS bigint BEGIN RETURN 1; END SELECT f()",
            "A function's body of several statements (BEGIN, IF, LOOP …)",
        ),
        (
            "CREATE FUNCTION a.b.f(x bigint) RETURNS bigint LANGUAGE PYTHON AS $$x$$",
            "A function in Python",
        ),
        (
            "CREATE FUNCTION a.b.f() RETURNS bigint SECURITY DEFINER RETURN 1",
            "SECURITY DEFINER of a function",
        ),
        ("WITH SESSION a = 1 SELECT 1", "WITH SESSION"),
        ("SELECT FINAL last(a) FROM t", "FINAL (row pattern recognition)"),
        ("SELECT count(t.*) FROM t", "label.* (row pattern recognition)"),
        ("SELECT a OVER w FROM t", "A measure of row pattern recognition"),
        ("SELECT sum(a) OVER (ROWS CURRENT ROW PATTERN (A) DEFINE A AS b)", "PATTERN in a window"),
    ],
)
def test_what_trino_has_and_sqe_has_not(text: str, what: str) -> None:
    found = refusal(text)
    assert (found.name, found.message) == ("NOT_SUPPORTED", f"{what} is not supported")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(", ")"),
        ("(SELECT ", ")"),
        ("f(", ")"),
        ("a[", "]"),
        ("CASE WHEN ", " THEN 1 END"),
        ("a IN (", ")"),
        ("x -> ", ""),
    ],
)
def test_depth_has_a_limit(before: str, after: str) -> None:
    parse_expression(before * 60 + "1" + after * 60)
    for times in (250, 20_000):
        with pytest.raises(Refused) as raised:
            parse_expression(before * times + "1" + after * times)
        assert raised.value.name == "STATEMENT_TOO_COMPLEX"


@pytest.mark.parametrize("text", ["NOT " * 9_000 + "a", "- " * 9_000 + "a", "a" + " + a" * 9_000])
def test_chains_have_a_limit(text: str) -> None:
    with pytest.raises(Refused) as raised:
        parse_expression(text)
    assert raised.value.name == "STATEMENT_TOO_COMPLEX"


def test_types_have_a_limit_of_depth() -> None:
    with pytest.raises(Refused) as raised:
        parse_expression(f"CAST(a AS {'array(' * 9_000}bigint{')' * 9_000})")
    assert raised.value.name == "STATEMENT_TOO_COMPLEX"


def test_joins_have_a_limit_of_depth() -> None:
    assert refusal("SELECT 1 FROM " + "(" * 9_000 + "t").name == "STATEMENT_TOO_COMPLEX"
