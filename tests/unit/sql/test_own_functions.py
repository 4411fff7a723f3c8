"""Functions in SQL: how they are made, and what is written in place of their calls."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.model.functions import FunctionParameter, SqlFunction
from sqe.sql.own_functions.definition import (
    CreateFunction,
    CreateTemporaryFunction,
    DescribeFunction,
    DropFunction,
    DropTemporaryFunction,
    ShowCreateFunction,
)
from sqe.sql.own_functions.inline import MOST_OPEN, write_functions_in
from sqe.sql.own_functions.names import with_full_names
from sqe.sql.parse import parse as parse_strictly
from sqe.sql.parser import Parser
from sqe.sql.statement import Statement
from sqe.sql.text import TextLimits

LIMITS = TextLimits()
PARSER = Parser(LIMITS)


def function(
    head: str, returns: str, body: str, columns: str = "", *, query: bool = False
) -> SqlFunction:
    """``head`` is ``name(a INT, b STRING)``."""
    name, _, inside = head.removesuffix(")").partition("(")

    def fields(text: str) -> tuple[FunctionParameter, ...]:
        parts = (field.strip().partition(" ") for field in text.split(",") if field.strip())
        return tuple(FunctionParameter(name, *_type_and_default(rest)) for name, _, rest in parts)

    return SqlFunction(
        name, None, fields(inside), returns, body, query or bool(columns), fields(columns)
    )


def _type_and_default(text: str) -> tuple[str, str | None]:
    kind, says, default = text.partition(" = ")
    return kind, default if says else None


KNOWN = {
    known.short_name: known
    for known in (
        function("inc(x INT)", "INT", "x + 1"),
        function("sub(x INT, y INT)", "INT", "y - x"),
        function("twice(x DOUBLE)", "DOUBLE", "x + twice.x"),
        function("pad(s STRING, n INT = 5)", "STRING", "lpad(s, n, '-- ?')"),
        function("add(xs ARRAY<INT>, n INT)", "ARRAY<INT>", "transform(xs, e -> e + n)"),
        function("left_one(a INT, b INT)", "INT", "a"),
        function("zip(p STRUCT<a: INT>)", "INT", "p.a + zip.p.a"),
        function("top(k INT)", "INT", "SELECT max(v) FROM lake.hr.t WHERE t.k = top.k", query=True),
        function("more(k INT)", "INT", "inc(top(k)) + k"),
        function("picked(n INT)", "", "SELECT a, b FROM lake.hr.t WHERE a > n", "a INT, b STRING"),
        function("mine()", "INT", "(SELECT max(a) FROM my_view)"),
        function("left_hand(x INT)", "INT", "right_hand(x)"),
        function("right_hand(x INT)", "INT", "left_hand(x)"),
        function("lost(x INT)", "INT", "nowhere(x)"),
        *(
            function(f"level{n}(x INT)", "INT", f"level{n + 1}(x)")
            for n in range(MOST_OPEN)
        ),
        function(f"level{MOST_OPEN}(x INT)", "INT", "x"),
    )
}  # fmt: skip


def write(text: str, limits: TextLimits = LIMITS) -> Statement:
    return write_functions_in(
        PARSER.parse(text, {}), lambda parts: KNOWN.get(parts[-1].lower()), limits
    )


def of_type(kind: str, *values: str) -> list[str]:
    return [f"CAST(({value}) AS {kind})" for value in values]


ONE, TWO, INC = of_type("INT", "1", "2", "CAST((a) AS INT) + 1")
X, COMMA, ROW = *of_type("STRING", "'x'", "','"), *of_type("STRUCT<a: INT>", "s")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("abs(1)", "abs(1)"),
        ("inc(a)", INC),
        ("2 * INC(a)", f"2 * {INC}"),
        ("sub(1, 2)", f"CAST(({TWO} - {ONE}) AS INT)"),
        ("sub(y => 1, x => 2)", f"CAST(({ONE} - {TWO}) AS INT)"),
        ("pad(',', 2)", f"CAST((lpad({COMMA}, {TWO}, '-- ?')) AS STRING)"),
        ("pad('x')", f"CAST((lpad({X}, CAST((5) AS INT), '-- ?')) AS STRING)"),
        ("zip(s)", f"CAST(({ROW}.a + {ROW}.a) AS INT)"),
        ("transform(xs, a -> inc(a))", f"transform(xs, a -> {INC})"),
        ("inc(sum(a))", f"CAST(({of_type('INT', 'sum(a)')[0]} + 1) AS INT)"),
    ],
)
def test_an_expression_is_written_with_its_arguments(text: str, written: str) -> None:
    for around in ("SELECT {} AS v FROM t", "DELETE FROM t WHERE {} = 1", "FROM t |> WHERE {} > 1"):
        assert write(around.format(text)).text == around.format(written)


def test_a_column_is_named_after_its_call() -> None:
    assert write("SELECT INC(a), inc(a) b, inc(a) + 1").text == (
        f"SELECT {INC} AS `inc(a)`, {INC} b, {INC} + 1"
    )


@pytest.mark.parametrize(
    ("argument", "times"), [("a", 2), ("a + 1", 2), ("rand()", 1), ("uuid() || 'x'", 1)]
)
def test_what_may_change_is_computed_once(argument: str, times: int) -> None:
    assert write(f"SELECT twice({argument}) AS v FROM t").text.count(argument) == times


def test_an_argument_never_means_a_variable_of_the_body() -> None:
    """The lambda's ``e`` is not the caller's."""
    written = write("SELECT add(xs, e) AS v FROM t").text
    assert "e -> e + CAST((e)" not in written
    assert written.index("CAST((e) AS INT)") < written.index("e -> e + ")
    assert "e -> e + CAST((k) AS INT)" in write("SELECT add(xs, k) AS v FROM t").text


def test_markers_stay_in_their_order_and_once_each() -> None:
    for text in ("SELECT sub(?, a + ?) AS v FROM t", "SELECT sub(y => ?, x => a + ?) AS v FROM t"):
        written = write(text)
        assert len(written.markers) == 2
        assert written.text.index("CAST((?)") < written.text.index("CAST((a + ?)")


def test_a_body_that_reads_has_its_parameters_as_columns_of_its_own() -> None:
    written = write("SELECT top(k) FROM u")
    assert [reference.parts for reference in written.references] == [("lake", "hr", "t"), ("u",)]
    assert "AS `k` FROM (SELECT CAST((k) AS INT) AS " in written.text
    assert written.text.endswith(" AS `top`) AS `top(k)` FROM u")
    nested = write("SELECT more(q) AS v FROM u").text
    assert nested.count("lake.hr.t") == 1
    assert "CAST((q) AS INT)" in nested


def test_an_argument_that_nothing_uses_is_still_there() -> None:
    assert "CAST((no_column) AS INT)" in write("SELECT left_one(a, no_column) AS v FROM t").text


@pytest.mark.parametrize("text", ["SELECT top(sum(a)) FROM u", "SELECT top(explode(xs)) FROM u"])
def test_an_aggregate_does_not_get_into_a_subquery(text: str) -> None:
    with pytest.raises(UserError, match="becomes a subquery") as refused:
        write(text)
    assert refused.value.code is ErrorCode.NOT_SUPPORTED
    write("SELECT inc(sum(a)) FROM u")
    write("SELECT top((SELECT max(a) FROM u)) FROM u")


def test_a_table_function_is_a_derived_table() -> None:
    alone = write("SELECT * FROM picked(1)").text
    assert alone.endswith(") AS `picked`")
    assert alone.startswith("SELECT * FROM (SELECT CAST(")
    joined = write("SELECT * FROM u, LATERAL hr.picked(u.a) AS r(x, y)").text
    assert joined.endswith(") AS r(x, y)")
    assert "CAST((u.a) AS INT)" in joined


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("SELECT none(1)", ErrorCode.FUNCTION_NOT_FOUND, "Function none does not exist."),
        ("SELECT hr.none(1)", ErrorCode.FUNCTION_NOT_FOUND, "Function hr.none does not exist."),
        ("SELECT lost(1)", ErrorCode.FUNCTION_NOT_FOUND, "In function lost: Function nowhere"),
        ("SELECT inc()", ErrorCode.INVALID_ARGUMENT, "was not given x"),
        ("SELECT inc(1, 2)", ErrorCode.INVALID_ARGUMENT, "was given 2 arguments"),
        ("SELECT inc(y => 1)", ErrorCode.INVALID_ARGUMENT, "has no y"),
        ("SELECT sub(x => 1, x => 2)", ErrorCode.INVALID_ARGUMENT, "x twice"),
        ("SELECT sub(x => 1, 2)", ErrorCode.NOT_SUPPORTED, "behind one with a name"),
        ("SELECT inc(DISTINCT a) FROM t", ErrorCode.NOT_SUPPORTED, "DISTINCT"),
        ("SELECT inc(*) FROM t", ErrorCode.NOT_SUPPORTED, "cannot be called with *"),
        ("SELECT inc(a) OVER () FROM t", ErrorCode.NOT_SUPPORTED, "OVER"),
        ("SELECT inc(a) FILTER (WHERE b) FROM t", ErrorCode.NOT_SUPPORTED, "FILTER"),
        ("SELECT * FROM inc(1)", ErrorCode.INVALID_ARGUMENT, "no table function"),
        ("SELECT picked(1)", ErrorCode.INVALID_ARGUMENT, "a table function"),
        ("SELECT left_hand(1)", ErrorCode.INVALID_ARGUMENT, "left_hand calls right_hand"),
        ("SELECT level0(1)", ErrorCode.STATEMENT_TOO_COMPLEX, "levels deep"),
        ("WITH my_view AS (SELECT 1 a) SELECT mine()", ErrorCode.AMBIGUOUS_NAME, "my_view"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_refused_with_its_reason(text: str, code: ErrorCode, message: str) -> None:
    with pytest.raises(UserError) as refused:
        write(text)
    assert refused.value.code is code
    assert message in refused.value.message


@pytest.mark.parametrize("text", ["SELECT (a).inc(1) FROM t", "SELECT xs[0].inc(1) FROM t"])
def test_what_is_no_call_of_a_name_is_refused_as_ever(text: str) -> None:
    """Lock 1: nothing that SQE does not know gets to Spark."""
    for parse in (lambda text: PARSER.parse(text, {}), parse_strictly):
        with pytest.raises(UserError) as refused:
            parse(text)
        assert refused.value.code in (ErrorCode.FUNCTION_NOT_FOUND, ErrorCode.SYNTAX_ERROR)


def test_the_text_cannot_grow_without_bounds() -> None:
    text = "SELECT " + "twice(" * 12 + "a" + ")" * 12
    with pytest.raises(UserError, match="more than 20,000 characters") as refused:
        write(text, TextLimits(statement_bytes=20_000))
    assert refused.value.code is ErrorCode.STATEMENT_TOO_LARGE


def test_a_definition_is_read_with_all_it_says() -> None:
    statement = PARSER.parse(
        "CREATE OR REPLACE FUNCTION hr.f(a INT COMMENT 'c', b STRING DEFAULT 'x') RETURNS "
        "MAP<STRING, ARRAY<INTERVAL DAY TO SECOND>> LANGUAGE SQL NOT DETERMINISTIC COMMENT 'hi' "
        "READS SQL DATA RETURN map(b, array())",
        {},
    )
    command = statement.command
    assert isinstance(command, CreateFunction)
    assert command.name.parts == ("hr", "f")
    assert command.parameters == (
        FunctionParameter("a", "INT", None, "c"),
        FunctionParameter("b", "STRING", "'x'"),
    )
    assert command.returns == "MAP<STRING, ARRAY<INTERVAL DAY TO SECOND>>"
    assert (command.replace, command.deterministic, command.comment) == (True, False, "hi")
    assert command.body == "map(b, array())"
    assert not command.is_query
    assert statement.inner is not None
    assert "SELECT CAST((map(b, array())) AS MAP<" in statement.inner.text
    place = statement.text.index("map(b")
    assert statement.inner.text[place:].startswith("map(b")  # places in errors are the user's


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("CREATE TEMPORARY FUNCTION f() RETURN 1", CreateTemporaryFunction),
        ("CREATE FUNCTION IF NOT EXISTS f() RETURNS TABLE (a INT) RETURN SELECT 1", CreateFunction),
        ("CREATE FUNCTION f() RETURNS INT RETURN WITH x AS (SELECT 1) TABLE x", CreateFunction),
        ("DROP FUNCTION IF EXISTS a.b.f", DropFunction),
        ("DROP TEMPORARY FUNCTION f", DropTemporaryFunction),
        ("DESCRIBE FUNCTION EXTENDED hr.f", DescribeFunction),
        ("DESC FUNCTION +", DescribeFunction),
        ("SHOW CREATE FUNCTION f", ShowCreateFunction),
    ],
)
def test_statements_about_functions(text: str, command: type) -> None:
    assert type(PARSER.parse(text, {}).command) is command


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE FUNCTION f(a INT) RETURNS INT LANGUAGE PYTHON AS $$a$$", "A function in Python"),
        ("CREATE FUNCTION f AS 'org.x.Y' USING JAR 'a.jar'", "A function of a Java class"),
        ("CREATE FUNCTION f() RETURNS INT BEGIN RETURN 1; END", "BEGIN … END"),
        ("CREATE FUNCTION f(a INT) RETURNS INT RETURN max(a)", "with an aggregate"),
        ("CREATE FUNCTION f(a INT) RETURNS INT RETURN rank() OVER (ORDER BY a)", "an aggregate"),
        ("CREATE FUNCTION f(a INT) RETURNS INT RETURN explode(array(a))", "or generator"),
        ("CREATE FUNCTION f() RETURNS INT SQL SECURITY DEFINER RETURN 1", "SQL SECURITY DEFINER"),
        ("CREATE FUNCTION f() RETURNS INT RETURN ?", "A parameter marker"),
        ("CREATE FUNCTION f(a INT NOT NULL) RETURNS INT RETURN 1", "NOT NULL"),
        ("CREATE TEMPORARY FUNCTION a.f() RETURNS INT RETURN 1", "A qualified name"),
        (
            "CREATE FUNCTION f(a INT) RETURNS INT RETURN SELECT b FROM t WHERE c = abs(a) LIMIT 1",
            "LIMIT or OFFSET",
        ),
        ("CREATE FUNCTION f() RETURNS INT RETURN reflect('a', 'b')", "Function reflect is refused"),
    ],
)
def test_what_no_function_can_be_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(UserError) as refused:
        PARSER.parse(text, {})
    assert refused.value.code is ErrorCode.NOT_SUPPORTED
    assert message in refused.value.message


@pytest.mark.parametrize(
    "text",
    [
        "CREATE FUNCTION f(a INT, A INT) RETURNS INT RETURN 1",
        "CREATE FUNCTION f(a INT DEFAULT 1, b INT) RETURNS INT RETURN 1",
        "CREATE FUNCTION f() RETURNS INT COMMENT 'a' COMMENT 'b' RETURN 1",
        "CREATE FUNCTION f() RETURNS INT",
        "CREATE FUNCTION f() RETURNS INT RETURN",
        "CREATE FUNCTION f() RETURNS INT RETURN 1) + (2",
        "CREATE FUNCTION f() RETURNS INT RETURN 1 AS x",
        "CREATE FUNCTION f() RETURNS INT RETURN 1, 2",
        "CREATE FUNCTION f() RETURNS TABLE (a INT) RETURN SELECT 1) AS x, (SELECT 1",
        "CREATE FUNCTION f(a ARRAY<INT) RETURNS INT RETURN 1",
        "CREATE OR REPLACE FUNCTION IF NOT EXISTS f() RETURNS INT RETURN 1",
        "DROP FUNCTION f()",
    ],
)
def test_a_definition_that_is_no_single_expression_is_an_error(text: str) -> None:
    with pytest.raises(UserError) as refused:
        PARSER.parse(text, {})
    assert refused.value.code in (ErrorCode.SYNTAX_ERROR, ErrorCode.AMBIGUOUS_NAME)


def test_a_kept_body_names_what_it_reads_in_full() -> None:
    written = with_full_names(
        "(SELECT max(e.a + inc(e.b)) FROM emp e JOIN `old one` USING (a) WHERE emp.a = 'emp')",
        False,
        {("emp",): ("lake", "hr", "emp"), ("old one",): ("lake", "hr", "old one")},
        lambda parts: ("lake", "hr", *parts),
        LIMITS,
    )
    assert written == (
        "(SELECT max(e.a + lake.hr.inc(e.b)) FROM lake.hr.emp e JOIN lake.hr.`old one` USING (a) "
        "WHERE emp.a = 'emp')"
    )
