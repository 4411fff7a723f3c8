"""Which queries may be refreshed by their new rows alone, and which texts may answer otherwise."""

from __future__ import annotations

import pytest

from sqe.sql.linear import NotLinear, branches_of, fingerprint, unstable_word
from sqe.sql.parse import parse


@pytest.mark.parametrize(
    ("query", "branches"),
    [
        ("SELECT a, b + 1 FROM t WHERE c > 3", ["t"]),
        ("SELECT * FROM x.t AS q", ["x.t"]),
        ("SELECT a FROM t UNION ALL SELECT a FROM u", ["t", "u"]),
        ("(SELECT a FROM t) UNION ALL (SELECT a FROM u)", ["t", "u"]),
        ("SELECT * FROM t JOIN u ON t.a = u.a CROSS JOIN w", ["t u w"]),
        ("SELECT * FROM t, u WHERE t.a = u.a", ["t u"]),
        ("SELECT * FROM t LEFT JOIN u USING (a)", ["t|u"]),
    ],
)
def test_selects_over_tables_are_linear(query: str, branches: list[str]) -> None:
    found = []
    for branch in branches_of(parse(query)):
        names = " ".join(span.of(query) for span in branch.relations)
        optional = " ".join(span.of(query) for span in branch.optional)
        found.append(f"{names}|{optional}" if optional else names)
    assert found == branches


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM t",
        "SELECT bool_and(a) FROM t",
        "SELECT a FROM t GROUP BY a",
        "SELECT DISTINCT a FROM t",
        "SELECT a FROM t ORDER BY a LIMIT 3",
        "SELECT sum(a) OVER () FROM t",
        "SELECT a FROM t UNION SELECT a FROM u",
        "SELECT a FROM t EXCEPT SELECT a FROM u",
        "SELECT a FROM t UNION ALL SELECT 1",
        "SELECT a FROM t WHERE a IN (SELECT a FROM u)",
        "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u)",
        "SELECT (SELECT max(a) FROM u) FROM t",
        "SELECT a FROM (SELECT a FROM t)",
        "WITH q AS (SELECT a FROM t) SELECT a FROM q",
        "SELECT a FROM t RIGHT JOIN u USING (a)",
        "SELECT a FROM t FULL JOIN u USING (a)",
        "SELECT a FROM t LEFT ANTI JOIN u USING (a)",
        "SELECT a FROM t LEFT SEMI JOIN u USING (a)",
        "SELECT a FROM t NATURAL JOIN u",
        "SELECT a FROM t TABLESAMPLE (10 PERCENT)",
        "SELECT a FROM t VERSION AS OF 1",
        "SELECT a, e FROM t LATERAL VIEW explode(b) AS e",
        "SELECT explode(b) FROM t",
        "SELECT * FROM t, LATERAL (SELECT t.a)",
        "SELECT * FROM t PIVOT (sum(a) FOR b IN (1, 2))",
        "SELECT a FROM range(3)",
        "VALUES (1)",
        "TABLE t",
    ],
)
def test_anything_else_is_not(query: str) -> None:
    with pytest.raises(NotLinear):
        branches_of(parse(query))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT now() FROM t",
        "SELECT current_date FROM t",
        "SELECT a FROM t WHERE ts > Current_Timestamp ( )",
        "SELECT rand(3) FROM t",
        "SELECT DATE 'today' FROM t",
        "SELECT * FROM t TABLESAMPLE (3 ROWS)",
    ],
)
def test_clocks_and_dice_are_seen(query: str) -> None:
    assert unstable_word(query)


@pytest.mark.parametrize("query", ["SELECT now, uuid FROM t", "SELECT upper(a) /* now() */ FROM t"])
def test_names_and_comments_are_not_clocks(query: str) -> None:
    assert not unstable_word(query)


def test_a_fingerprint_is_of_the_words_alone() -> None:
    assert fingerprint("SELECT  1 -- one\n") == fingerprint("SELECT 1")
    assert fingerprint("SELECT 'a'") != fingerprint("SELECT 'b'")
