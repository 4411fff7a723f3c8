"""A policy's text is one expression over a row, with the reader's identity in it, or refused."""

from __future__ import annotations

import pytest

from sqe.model.identity import Identity
from sqe.rewrite.expressions import spark_expression
from sqe.rewrite.unfit import Unfit

ANN = Identity(
    "o'br\\ien",
    groups=frozenset({"it", "hr"}),
    roles=frozenset({"boss"}),
    claims=(("tenant", "t'1"), ("twice", "a"), ("twice", "b")),
)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("owner = current_user", r"owner = 'o\'br\\ien'"),
        ("owner = CURRENT_USER()", r"owner = 'o\'br\\ien'"),
        ("owner = session_user", r"owner = 'o\'br\\ien'"),
        ("owner = current_user AND a", r"owner = 'o\'br\\ien' AND a"),
        ("in_group('it') OR in_group('IT')", "TRUE OR FALSE"),
        ("has_role('boss') AND NOT has_role( 'it' )", "TRUE AND NOT FALSE"),
        ("claim('tenant') = t", r"'t\'1' = t"),
        ("claim('none') = t", "CAST(NULL AS string) = t"),
        ("claim('twice') = t", "CAST(NULL AS string) = t"),
        ("array_contains(current_groups(), g)", "array_contains(array('hr', 'it'), g)"),
        ("array_contains(current_roles(), g)", "array_contains(array('boss'), g)"),
        (
            "`current_user` = 'x' OR t.current_user = 1",
            "`current_user` = 'x' OR t.current_user = 1",
        ),
        ("claim = 'x' AND in_group", "claim = 'x' AND in_group"),
        ("current_groups = current_roles", "current_groups = current_roles"),
        ("note = 'current_user'", "note = 'current_user'"),
        ("d = (SELECT max(d) FROM lake.p.q)", "d = (SELECT max(d) FROM lake.p.q)"),
        ("transform(a, x -> x + 1)[0] = 1", "transform(a, x -> x + 1)[0] = 1"),
    ],
)
def test_who_reads_is_written_into_the_text(sql: str, expected: str) -> None:
    assert spark_expression(sql, ANN) == expected


def test_nobody_is_in_no_group() -> None:
    text = spark_expression("array_contains(current_groups(), g)", Identity("bob"))
    assert text == "array_contains(CAST(array() AS array<string>), g)"


@pytest.mark.parametrize(
    "sql",
    [
        "TRUE) OR (1=1",
        "TRUE) OR (TRUE",
        "a = 1;",
        "a = 1; DROP TABLE t",
        "a = 1 -- nothing",
        "a = 1 /* nothing */",
        "/* nothing */ a = 1",
        "a = 1 /*+ hint */ OR TRUE",
        "a = 1, b = 2",
        "a AS b",
        "a = 1 UNION SELECT 1",
        "a = 1 ORDER BY a",
        "a = 1 |> WHERE TRUE",
        "'open",
        "(a = 1",
        "a = ?",
        "",
        "   ",
        "max(a) = 1",
        "count(*) > 0",
        "bool_or(a)",
        "every(a)",
        "kurtosis(a) > 1",
        "try_sum(a) > 1",
        "regr_count(a, b) = 1",
        "histogram_numeric(a, 5) IS NULL",
        "json_tuple(a, 'b') = 'x'",
        "inline(a)",
        "row_number() OVER (ORDER BY a) = 1",
        "explode(a)",
        "stack(2, a, b) = 1",
        "*",
        "t.*",
        "reflect('java.lang.System', 'exit', 0)",
        "java_method('a', 'b')",
        "identifier('a') = 1",
        "nosuchfunction(a)",
        "in_group(a)",
        "in_group('it' || '')",
        "in_group('it''s')",
        "(VALUES (1))",
        "unnest(id)",
        "current_user.",
        r"in_group('\x69t')",
        'in_group("it")',
        "claim('a', 'b')",
        "current_roles('a')",
        "has_role()",
        "a = 1 b",
        "sum(a) OVER () = 1",
        "(SELECT max(b) FROM lake.p.q) = max(a)",
        "current_schema() = 'a'",
        "user() = 'a'",
        "a = 'x' OR (SELECT TRANSFORM(a) USING 'sh' FROM lake.p.q) = 1",
        "q_0123456789abcdef0123456789abcdef_1.t = 1",
    ],
)
def test_what_is_not_one_expression_over_a_row_is_refused(sql: str) -> None:
    with pytest.raises(Unfit):
        spark_expression(sql, ANN)
