"""The trees of expressions."""

from __future__ import annotations

import pytest

from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.parser import parse_expression


def column(name: str) -> n.Column:
    return n.Column(0, n.Identifier(0, name))


def call(name: str, *arguments: n.Expression) -> n.Call:
    return n.Call(0, (n.Identifier(0, name),), arguments)


def string(value: str) -> n.StringLiteral:
    return n.StringLiteral(0, value)


A, B, C, X, Y = (column(name) for name in "abcxy")
ONE, TWO = n.LongLiteral(0, 1), n.LongLiteral(0, 2)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("NULL", n.NullLiteral(0)),
        ("tRuE", n.BooleanLiteral(0, True)),
        ("'it''s'", string("it's")),
        (r"U&'d\0061t\+000061\\'", string("data\\")),
        ("U&'d!0061' UESCAPE '!'", string("da")),
        ("X'65 6c\n6C'", n.BinaryLiteral(0, b"ell")),
        ("1_000", n.LongLiteral(0, 1000)),
        ("0xFF", n.LongLiteral(0, 255)),
        ("0o1_7", n.LongLiteral(0, 15)),
        ("0B101", n.LongLiteral(0, 5)),
        ("-9223372036854775808", n.LongLiteral(0, -(2**63))),
        ("- 1", n.LongLiteral(0, -1)),
        ("1.", n.DecimalLiteral(0, "1.")),
        (".5", n.DecimalLiteral(0, ".5")),
        ("-1_000.50_1", n.DecimalLiteral(0, "-1000.501")),
        ("1e0", n.DoubleLiteral(0, "1e0")),
        ("-.5E-3", n.DoubleLiteral(0, "-.5E-3")),
        ("DATE '2020-01-01'", n.GenericLiteral(0, "DATE", "2020-01-01")),
        ("double precision '1'", n.GenericLiteral(0, "DOUBLE", "1")),
        ("INTERVAL - '1' DAY", n.IntervalLiteral(0, "1", True, "day")),
        ("INTERVAL '1-2' YEAR TO MONTH", n.IntervalLiteral(0, "1-2", False, "year", "month")),
        ("INTERVAL '1'", n.GenericLiteral(0, "INTERVAL", "1")),
        ("interval", column("interval")),
        ('"a""b"', column('a"b')),
        ("a /* x */ -- y\n", A),
        ("?", n.Parameter(0, 0)),
    ],
)
def test_literals_and_names(text: str, tree: n.Expression) -> None:
    assert parse_expression(text) == tree


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a + b * c", "a + (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a || b + c", "a || (b + c)"),
        ("-a * b", "(-a) * b"),
        ("-a AT TIME ZONE 'x'", "-(a AT TIME ZONE 'x')"),
        ("a * -b", "a * (-b)"),
        ("a.b[1].c", "((a.b)[1]).c"),
        ("NOT a = b AND c", "(NOT (a = b)) AND c"),
        ("a OR b AND c", "a OR (b AND c)"),
        ("a = b + c", "a = (b + c)"),
        ("a BETWEEN b AND c AND x", "(a BETWEEN b AND c) AND x"),
        ("a NOT LIKE b ESCAPE c", "NOT (a LIKE b ESCAPE c)"),
        ("a != b", "a <> b"),
        ("x -> x + 1", "(x) -> (x + 1)"),
        ("[a, b]", "ARRAY[a, b]"),
        ("((SELECT 1))", "((SELECT 1))"),
    ],
)
def test_precedence(text: str, same: str) -> None:
    assert parse_expression(text) == parse_expression(same)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a AND b AND c", n.Logical(0, "AND", (A, B, C))),
        ("(a AND b) AND c", n.Logical(0, "AND", (n.Logical(0, "AND", (A, B)), C))),
        ("a IS NOT NULL", n.IsNull(0, A, negated=True)),
        ("a IS NOT DISTINCT FROM b", n.Not(0, n.Comparison(0, "IS DISTINCT FROM", A, B))),
        ("a NOT IN (b)", n.Not(0, n.InList(0, A, (B,)))),
        ("(a, b)", n.RowConstructor(0, (A, B))),
        ("ROW(a)", n.RowConstructor(0, (A,))),
        ("row()", call("row")),
        ("() -> 1", n.Lambda(0, (), ONE)),
        (
            "(x, y) -> x",
            n.Lambda(0, (n.Identifier(0, "x"), n.Identifier(0, "y")), X),
        ),
        ("CASE a WHEN 1 THEN b END", n.Case(0, A, (n.When(0, ONE, B),), None)),
        ("CASE WHEN a THEN 1 ELSE 2 END", n.Case(0, None, (n.When(0, A, ONE),), TWO)),
        ("a + -1", n.Arithmetic(0, "+", A, n.LongLiteral(0, -1))),
        ("+a", n.Negative(0, A, "+")),
        ("- - a", n.Negative(0, n.Negative(0, A))),
        (
            "a AT TIME ZONE INTERVAL '1' HOUR",
            n.AtTimeZone(0, A, n.IntervalLiteral(0, "1", False, "hour")),
        ),
        ("a.b", n.Dereference(0, A, n.Identifier(0, "b"))),
        ("ANY(a)", call("ANY", A)),
    ],
)
def test_operators(text: str, tree: n.Expression) -> None:
    assert parse_expression(text) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("substring(a FROM 1 FOR 2)", call("substr", A, ONE, TWO)),
        ("substring(a, 1)", call("substring", A, ONE)),
        ("substring(a = b)", call("substring", n.Comparison(0, "=", A, B))),
        ("position(a IN b)", call("position", A, B)),
        ("position(a, b)", call("position", A, B)),
        ("trim(a)", call("trim", A)),
        ("trim(a, b)", call("trim", A, B)),
        ("trim(LEADING FROM a)", call("ltrim", A)),
        ("trim(b FROM a)", call("trim", A, B)),
        ("trim(TRAILING b FROM a)", call("rtrim", A, B)),
        ("trim(both 'x')", call("trim", n.GenericLiteral(0, "both", "x"))),
        ("normalize(a)", call("normalize", A, string("NFC"))),
        ("normalize(a, NFKD)", call("normalize", A, string("NFKD"))),
        ("extract(year FROM a)", call("extract", string("YEAR"), A)),
        ("GROUPING(a, b)", call("grouping", A, B)),
        ("try_cast(a)", call("try_cast", A)),
        ("TRY_CAST(a AS bigint)", n.Cast(0, A, "bigint", 0, safe=True)),
        ("current_date", n.Call(0, (n.Identifier(0, "current_date"),), words=True)),
        (
            "LOCALTIMESTAMP(6)",
            n.Call(0, (n.Identifier(0, "localtimestamp"),), (n.LongLiteral(0, 6),), words=True),
        ),
        ("count(*)", n.Call(0, (n.Identifier(0, "count"),), star=True)),
        ("count(DISTINCT a)", n.Call(0, (n.Identifier(0, "count"),), (A,), distinct=True)),
        ("count(ALL a)", call("count", A)),
        ("count(all)", call("count", column("all"))),
        (
            "s.f(a)",
            n.Call(0, (n.Identifier(0, "s"), n.Identifier(0, "f")), (A,)),
        ),
    ],
)
def test_calls(text: str, tree: n.Expression) -> None:
    assert parse_expression(text) == tree


def test_an_aggregate_with_everything() -> None:
    found = parse_expression(
        "array_agg(a ORDER BY b DESC NULLS FIRST, c) FILTER (WHERE x) IGNORE NULLS OVER "
        "(w PARTITION BY a, b ORDER BY c ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING)"
    )
    assert found == n.Call(
        0,
        (n.Identifier(0, "array_agg"),),
        (A,),
        order_by=(n.SortItem(0, B, ascending=False, nulls_first=True), n.SortItem(0, C)),
        filter=X,
        null_treatment="IGNORE NULLS",
        window=n.WindowSpec(
            0,
            n.Identifier(0, "w"),
            (A, B),
            (n.SortItem(0, C),),
            n.Frame(
                0,
                "ROWS",
                n.FrameBound(0, "UNBOUNDED PRECEDING"),
                n.FrameBound(0, "FOLLOWING", ONE),
            ),
        ),
    )


def test_listagg_has_the_arguments_of_trinos_function() -> None:
    found = parse_expression(
        "LISTAGG(DISTINCT a, ',' ON OVERFLOW TRUNCATE '…' WITH COUNT) WITHIN GROUP (ORDER BY b)"
    )
    assert found == n.Call(
        0,
        (n.Identifier(0, "listagg"),),
        (A, string(","), n.BooleanLiteral(0, False), string("…"), n.BooleanLiteral(0, True)),
        distinct=True,
        order_by=(n.SortItem(0, B),),
        within_group=True,
    )


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("bigint", "bigint"),
        ("DECIMAL(10, 2)", "DECIMAL(10, 2)"),
        ("double precision", "double"),
        ("timestamp(3) with time zone", "timestamp(3) with time zone"),
        ("TIME WITHOUT TIME ZONE", "TIME"),
        ("interval day to second", "interval day to second"),
        ("array<map<bigint, varchar(3)>>", "array(map(bigint, varchar(3)))"),
        ("bigint ARRAY[5] ARRAY", "array(array(bigint))"),
        ('row(a bigint, "B c" array(date))', 'row(a bigint, "B c" array(date))'),
        ("row(bigint, double precision)", "row(bigint, double)"),
        ("row(x row(y date), z timestamp)", "row(x row(y date), z timestamp)"),
        ("row(a array)", "row(array(a))"),
    ],
)
def test_types_are_written_in_one_way(written: str, text: str) -> None:
    found = parse_expression(f"CAST(a AS {written})")
    assert isinstance(found, n.Cast)
    assert (found.target_text, found.target_at) == (text, 10)


@pytest.mark.parametrize(
    ("text", "name", "arguments", "clauses"),
    [
        (
            "JSON_EXISTS(a, 'lax $' PASSING b AS x TRUE ON ERROR)",
            "json_exists",
            (A, string("lax $")),
            (("PASSING", ((n.Identifier(0, "x"), B, None),)), ("ON ERROR", "TRUE")),
        ),
        (
            "JSON_VALUE(a FORMAT JSON, '$' RETURNING bigint DEFAULT 1 ON EMPTY NULL ON ERROR)",
            "json_value",
            (A, string("$")),
            (
                ("FORMAT", "JSON"),
                ("RETURNING", n.TypeName(0, "bigint")),
                ("ON EMPTY", ONE),
                ("ON ERROR", "NULL"),
            ),
        ),
        (
            "JSON_QUERY(a, '$' WITH ARRAY WRAPPER OMIT QUOTES ON SCALAR STRING "
            "EMPTY ARRAY ON ERROR)",
            "json_query",
            (A, string("$")),
            (
                ("WRAPPER", "UNCONDITIONAL"),
                ("QUOTES", "OMIT"),
                ("QUOTES ON SCALAR", True),
                ("ON ERROR", "EMPTY ARRAY"),
            ),
        ),
        (
            "JSON_OBJECT(KEY 'a' VALUE 1, 'b' : 2 FORMAT JSON ABSENT ON NULL WITH UNIQUE KEYS)",
            "json_object",
            (string("a"), ONE, string("b"), TWO),
            (("FORMATS", (None, "JSON")), ("NULLS", "ABSENT"), ("UNIQUE", True)),
        ),
        (
            "JSON_ARRAY(1, 2 NULL ON NULL RETURNING varchar FORMAT JSON ENCODING UTF8)",
            "json_array",
            (ONE, TWO),
            (
                ("FORMATS", (None, None)),
                ("NULLS", "NULL"),
                ("RETURNING", n.TypeName(0, "varchar")),
                ("RETURNING FORMAT", "JSON ENCODING UTF8"),
            ),
        ),
        ("JSON_OBJECT()", "json_object", (), ()),
    ],
)
def test_json_functions(
    text: str, name: str, arguments: tuple[n.Expression, ...], clauses: tuple[object, ...]
) -> None:
    found = parse_expression(text)
    assert isinstance(found, n.SpecialCall)
    assert (found.name, found.arguments, found.clauses) == (name, arguments, clauses)


def test_a_query_in_brackets_after_in_is_a_value_only_if_it_is_bracketed_twice() -> None:
    assert isinstance(parse_expression("a IN (SELECT 1)"), n.InQuery)
    assert isinstance(parse_expression("a IN ((SELECT 1) UNION (SELECT 2))"), n.InQuery)
    found = parse_expression("a IN ((SELECT 1))")
    assert isinstance(found, n.InList)
    assert isinstance(found.items[0], n.ScalarQuery)


def test_a_quantified_comparison() -> None:
    found = parse_expression("a >= SOME (VALUES 1)")
    assert isinstance(found, n.Quantified)
    assert (found.operator, found.quantifier, found.value) == (">=", "ANY", A)


def test_every_node_knows_its_place() -> None:
    found = parse_expression("a.b + f(c)[1] <= 'x'")
    assert isinstance(found, n.Comparison)
    assert found.at == 14
    assert isinstance(found.left, n.Arithmetic)
    assert (found.left.at, found.left.left.at, found.left.right.at) == (4, 0, 6)


def test_long_chains_are_not_deep() -> None:
    chain = parse_expression(" OR ".join(["a AND b"] * 5_000))
    assert isinstance(chain, n.Logical)
    assert len(chain.terms) == 5_000
    assert isinstance(parse_expression(" || ".join(["a"] * 1_000)), n.Concat)
