"""The trees of queries and of prepared statements."""

from __future__ import annotations

import pytest

from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.parser import immediate_text, parse, parse_query


def column(name: str) -> n.Column:
    return n.Column(0, n.Identifier(0, name))


def table(name: str) -> n.TableRef:
    return n.TableRef(0, (n.Identifier(0, name),))


def aliased(relation: n.Relation, name: str, *columns: str) -> n.Aliased:
    names = tuple(n.Identifier(0, one) for one in columns)
    return n.Aliased(0, relation, n.Identifier(0, name), names)


def source(text: str) -> n.Relation:
    body = parse_query(f"SELECT * FROM {text}").body
    assert isinstance(body, n.Select)
    assert body.source is not None
    return body.source


A, B, X = column("a"), column("b"), column("x")
ONE, TWO = n.LongLiteral(0, 1), n.LongLiteral(0, 2)
T, U, V = table("t"), table("u"), table("v")
VALUES_ONE = n.Query(0, n.Values(0, (ONE,)))


def test_a_select_with_everything() -> None:
    found = parse_query(
        "WITH RECURSIVE w (x) AS (VALUES 1) SELECT DISTINCT a AS b, *, t.* AS (c), a d "
        "FROM t WHERE a GROUP BY b HAVING x WINDOW v AS (ORDER BY a) "
        "ORDER BY a OFFSET 2 ROWS FETCH FIRST 1 ROW WITH TIES"
    )
    assert found == n.Query(
        0,
        n.Select(
            0,
            (
                n.SelectItem(0, A, n.Identifier(0, "b")),
                n.Star(0),
                n.Star(0, column("t"), (n.Identifier(0, "c"),)),
                n.SelectItem(0, A, n.Identifier(0, "d")),
            ),
            distinct=True,
            source=T,
            where=A,
            group_by=n.GroupBy(0, (n.GroupingElement(0, "SIMPLE", ((B,),)),)),
            having=X,
            windows=((n.Identifier(0, "v"), n.WindowSpec(0, order_by=(n.SortItem(0, A),))),),
        ),
        withs=(n.With(0, n.Identifier(0, "w"), (n.Identifier(0, "x"),), VALUES_ONE),),
        recursive=True,
        order_by=(n.SortItem(0, A),),
        offset=TWO,
        limit=ONE,
        with_ties=True,
        fetch=True,
    )


@pytest.mark.parametrize(
    ("clauses", "limit", "offset"),
    [
        ("", None, None),
        ("LIMIT 2", TWO, None),
        ("LIMIT ALL", None, None),
        ("OFFSET 1 LIMIT ?", n.Parameter(0, 0), ONE),
        ("FETCH NEXT ROW ONLY", ONE, None),
    ],
)
def test_limits(clauses: str, limit: n.Expression | None, offset: n.Expression | None) -> None:
    found = parse_query(f"TABLE t {clauses}")
    assert (found.limit, found.offset) == (limit, offset)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("t", T),
        ("t x", aliased(T, "x")),
        ("t AS x (a, b)", aliased(T, "x", "a", "b")),
        ("t limit", aliased(T, "limit")),
        ("t LIMIT 1", T),
        ("t FOR VERSION AS OF 1", n.TableRef(0, T.name, version=ONE)),
        ("t FOR TIMESTAMP AS OF a x", aliased(n.TableRef(0, T.name, moment=A), "x")),
        ("(VALUES 1)", n.Subquery(0, VALUES_ONE)),
        ("((VALUES 1) x)", aliased(n.Subquery(0, VALUES_ONE), "x")),
        ("LATERAL (VALUES 1)", n.Lateral(0, VALUES_ONE)),
        ("lateral", table("lateral")),
        ("UNNEST(a, b) WITH ORDINALITY", n.Unnest(0, (A, B), ordinality=True)),
        ("t TABLESAMPLE SYSTEM (1)", n.Sampled(0, T, "SYSTEM", ONE)),
        ("t, u", n.Join(0, "IMPLICIT", T, U)),
        ("t CROSS JOIN u", n.Join(0, "CROSS", T, U)),
        ("t JOIN u ON a", n.Join(0, "INNER", T, U, A)),
        ("t LEFT OUTER JOIN u USING (a)", n.Join(0, "LEFT", T, U, using=(A.identifier,))),
        ("t NATURAL FULL JOIN u", n.Join(0, "FULL", T, U, natural=True)),
        (
            "t JOIN u ON a RIGHT JOIN v ON b",
            n.Join(0, "RIGHT", n.Join(0, "INNER", T, U, A), V, B),
        ),
        ("t JOIN u JOIN v ON a ON b", n.Join(0, "INNER", T, n.Join(0, "INNER", U, V, A), B)),
        ("(t JOIN u ON a)", n.Join(0, "INNER", T, U, A)),
        (
            "t MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS (true)) AS m",
            aliased(n.MatchRecognize(0, T), "m"),
        ),
    ],
)
def test_relations(text: str, tree: n.Relation) -> None:
    assert source(text) == tree


def test_table_functions() -> None:
    found = source(
        "TABLE(s.f(1, y => TABLE(t) AS q PARTITION BY (a, b) KEEP WHEN EMPTY ORDER BY x, "
        "TABLE(VALUES 1), DESCRIPTOR(a, b bigint), CAST(NULL AS DESCRIPTOR) "
        "COPARTITION (t, u)))"
    )
    assert found == n.TableFunction(
        0,
        (n.Identifier(0, "s"), n.Identifier(0, "f")),
        (
            (None, ONE),
            (
                n.Identifier(0, "y"),
                n.TableArgument(0, aliased(T, "q"), (A, B), (n.SortItem(0, X),), "KEEP"),
            ),
            (None, n.TableArgument(0, n.Subquery(0, VALUES_ONE))),
            (
                None,
                n.Descriptor(0, ((A.identifier, None), (B.identifier, n.TypeName(0, "bigint")))),
            ),
            (None, n.Descriptor(0, None)),
        ),
        ((T.name, U.name),),
    )


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("a, b", (("SIMPLE", ((A,),)), ("SIMPLE", ((B,),)))),
        ("(a, b)", (("SIMPLE", ((A, B),)),)),
        ("()", (("SIMPLE", ((),)),)),
        ("(a) + 1", (("SIMPLE", ((n.Arithmetic(0, "+", A, ONE),),)),)),
        ("ROLLUP (a, (b, x))", (("ROLLUP", ((A,), (B, X))),)),
        ("CUBE ()", (("CUBE", ()),)),
        ("GROUPING SETS ((), a)", (("SETS", ((), (A,))),)),
        ("ALL a", (("SIMPLE", ((A,),)),)),
        ("all", (("SIMPLE", ((column("all"),),)),)),
        ("AUTO", (("AUTO", ()),)),
    ],
)
def test_grouping(text: str, elements: tuple[tuple[str, object], ...]) -> None:
    body = parse_query(f"SELECT 1 FROM t GROUP BY {text}").body
    assert isinstance(body, n.Select)
    assert body.group_by is not None
    assert tuple((one.kind, one.sets) for one in body.group_by.elements) == elements


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("TABLE t UNION TABLE u INTERSECT TABLE v", "TABLE t UNION (TABLE u INTERSECT TABLE v)"),
        ("TABLE t EXCEPT TABLE u UNION TABLE v", "(TABLE t EXCEPT TABLE u) UNION TABLE v"),
    ],
)
def test_set_operations_bind(text: str, same: str) -> None:
    """The same but for the query that the brackets make."""

    def shape(body: n.Body) -> object:
        if isinstance(body, n.Query):
            return shape(body.body)
        if isinstance(body, n.SetOperation):
            return body.operator, shape(body.left), shape(body.right)
        return body

    assert shape(parse_query(text)) == shape(parse_query(same))


def test_set_operations() -> None:
    found = parse_query("TABLE t UNION ALL CORRESPONDING TABLE u")
    t, u = n.TableQuery(0, T), n.TableQuery(0, U)
    assert found.body == n.SetOperation(0, "UNION", False, t, u, corresponding=True)


@pytest.mark.parametrize("word", ["limit", "offset", "window", "over", "at", "filter", "fetch"])
def test_words_of_clauses_are_names_too(word: str) -> None:
    body = parse_query(f"SELECT f(a) {word} FROM t").body
    assert isinstance(body, n.Select)
    item = body.items[0]
    assert isinstance(item, n.SelectItem)
    assert item.alias == n.Identifier(0, word)


def test_prepared_statements() -> None:
    assert parse("PREPARE p FROM SELECT ? , 1 ") == n.Prepare(
        0, n.Identifier(0, "p"), "SELECT ? , 1"
    )
    assert parse("EXECUTE p USING 1, a") == n.Execute(0, n.Identifier(0, "p"), (ONE, A))
    assert parse("EXECUTE immediate") == n.Execute(0, n.Identifier(0, "immediate"))
    assert parse("DEALLOCATE PREPARE p") == n.Deallocate(0, n.Identifier(0, "p"))
    assert parse("DESCRIBE OUTPUT p") == n.DescribePrepared(0, "OUTPUT", n.Identifier(0, "p"))


def test_a_text_inside_execute_immediate_keeps_its_place() -> None:
    text = "EXECUTE\nIMMEDIATE 'SELECT\n ''a'', x' USING 1"
    statement = parse(text)
    assert isinstance(statement, n.ExecuteImmediate)
    assert (statement.text, statement.arguments) == ("SELECT\n 'a', x", (ONE,))
    inner = immediate_text(statement, text)
    assert inner.split("\n") == [" " * 7, " " * 11 + "SELECT", " 'a', x"]
    assert isinstance(parse(inner), n.QueryStatement)


def test_parameters_are_counted_in_the_order_of_the_text() -> None:
    found = parse_query("WITH w AS (SELECT ?) SELECT substring(?, ?) LIMIT ?")
    assert found.limit == n.Parameter(0, 3)
