"""Parsing: what is named where, and that nothing but an SqeError ever comes out."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqe.errors import ErrorCode, SqeError, UserError
from sqe.sql.parse import parse
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import Access, Span, Statement, StatementKind

CORPUS = [
    "SELECT a, b FROM s.t AS x WHERE x.a IN (SELECT c FROM `odd name`.`ta.ble`) ORDER BY 1",
    "WITH t AS (SELECT 1 AS a) SELECT * FROM t JOIN lake.s.t u ON t.a = u.a -- the end",
    "SELECT * FROM s.t VERSION AS OF 12 TABLESAMPLE (10 PERCENT) q, LATERAL (SELECT q.a) r",
    "SELECT * FROM s.t PIVOT (sum(a) FOR b IN ('x', 'y')) AS p",
    "SELECT * FROM a.b.c.d UNPIVOT (v FOR k IN (a))",
    "INSERT INTO s.t (a, b) SELECT 'it''s', \"two\" FROM s.u /* c */",
    "MERGE INTO s.t USING s.u ON t.a = u.a WHEN MATCHED THEN DELETE",
    "UPDATE s.t SET a = 1 WHERE b = 'x'",
    "DELETE FROM s.t WHERE a = 1",
    "CREATE TABLE s.n PARTITIONED BY (a) AS SELECT * FROM s.t",
    "CREATE OR REPLACE VIEW v (a COMMENT 'x') AS SELECT * FROM s.t",
    "EXPLAIN ANALYZE FROM s.t |> WHERE a > 1 |> SELECT a",
    "ALTER TABLE s.t ADD COLUMN x INT",
    "SHOW TABLES FROM s LIKE 'a*'",
    "DESCRIBE QUERY SELECT * FROM s.t",
    "SELECT current_user(), CASE WHEN a THEN b END FROM s.t GROUP BY ALL",
]


def references(statement: Statement) -> list[tuple[str, str, Access]]:
    inner = references(statement.inner) if statement.inner else []
    return [
        (".".join(r.parts), r.span.of(statement.text), r.access) for r in statement.references
    ] + inner


def unquoted(text: str) -> str:
    return text.replace("`", "")


@pytest.mark.parametrize("sql", CORPUS)
def test_a_references_span_is_exactly_its_name(sql: str) -> None:
    for name, written, _ in references(parse(sql)):
        assert unquoted(written) == name


def test_every_relation_of_a_statement_is_found_with_its_access() -> None:
    sql = (
        "MERGE INTO s.t USING (SELECT * FROM a.b, (TABLE c)) u ON true"
        " WHEN NOT MATCHED THEN INSERT (x) VALUES ((SELECT max(q) FROM d.e))"
    )
    found = references(parse(sql))
    assert [(name, access) for name, _, access in found] == [
        ("s.t", Access.WRITE),
        ("a.b", Access.READ),
        ("c", Access.READ),
        ("d.e", Access.READ),
    ]


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("WITH t AS (SELECT 1) SELECT * FROM t", []),
        ("WITH t AS (SELECT * FROM t) SELECT * FROM t", ["t"]),
        ("WITH RECURSIVE t AS (SELECT 1 UNION ALL SELECT * FROM t) SELECT * FROM t", []),
        ("WITH t AS (SELECT 1) SELECT * FROM s.t", ["s.t"]),
        ("WITH T AS (SELECT 1) SELECT * FROM `t`", []),
        ("SELECT * FROM t, (WITH t AS (SELECT 1) SELECT * FROM t)", ["t"]),
        ("WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b, c", ["c"]),
    ],
)
def test_names_of_ctes_are_not_relations(sql: str, names: list[str]) -> None:
    assert [name for name, _, _ in references(parse(sql))] == names


def test_the_text_of_an_inner_statement_keeps_its_places() -> None:
    statement = parse("EXPLAIN\n  SELECT *\n  FROM s.t")
    assert statement.kind is StatementKind.EXPLAIN
    assert statement.inner is not None
    (reference,) = statement.inner.references
    assert statement.text[reference.span.start : reference.span.end] == "s.t"


@given(st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parse(text)
    except SqeError as error:
        assert isinstance(error, UserError)


@given(st.sampled_from(CORPUS), st.integers(0, 10_000))
@settings(max_examples=400, deadline=None)
def test_a_mutated_statement_is_parsed_or_refused(sql: str, seed: int) -> None:
    generator = random.Random(seed)
    pieces = sql.split(" ")
    for _ in range(generator.randint(1, 3)):
        at = generator.randrange(len(pieces))
        other = generator.choice(generator.choice(CORPUS).split(" "))
        pieces[at : at + generator.randint(0, 2)] = [other]
        pieces = pieces or ["x"]
    try:
        found = references(parse(" ".join(pieces)))
    except SqeError as error:
        assert isinstance(error, UserError)
        return
    for name, written, _ in found:
        assert unquoted(written).replace(" ", "") == name.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT " + "(" * 10_000 + "1" + ")" * 10_000, ErrorCode.STATEMENT_TOO_COMPLEX),
        ("SELECT " + "NOT " * 3_000 + "true", ErrorCode.STATEMENT_TOO_COMPLEX),
        ("SELECT " + "[" * 500, ErrorCode.STATEMENT_TOO_COMPLEX),
        ("x" * 2_000_000, ErrorCode.STATEMENT_TOO_LARGE),
        ("\x00", ErrorCode.INVALID_TEXT),
    ],
    ids=["parentheses", "nots", "brackets", "large", "nul"],
)
def test_monstrous_text_is_refused(text: str, code: ErrorCode) -> None:
    with pytest.raises(UserError) as raised:
        parse(text)
    assert raised.value.code is code


edits = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5), st.text(max_size=8)), max_size=5)


@given(st.text(min_size=0, max_size=40), edits)
def test_offsets_of_a_spliced_text_map_back(text: str, wanted: list[tuple[int, int, str]]) -> None:
    position, chosen = 0, []
    for gap, length, new in wanted:
        start = position + gap
        position = start + length
        if position > len(text):
            break
        chosen.append(Edit(Span(start, position), new))
    spliced = splice(text, reversed(chosen))
    removed = {i for edit in chosen for i in range(edit.span.start, edit.span.end)}
    kept = [i for i in range(len(text)) if i not in removed]
    starts = {edit.span.start for edit in chosen}
    mapped = [spliced.original_offset(i) for i in range(len(spliced.text))]
    assert mapped == sorted(mapped)
    for offset, original in enumerate(mapped):
        assert spliced.text[offset] == text[original : original + 1] or original in starts
    assert set(kept) <= set(mapped)


def test_edits_that_overlap_are_a_defect() -> None:
    with pytest.raises(ValueError, match="overlap"):
        splice("abcdef", [Edit(Span(0, 3), "x"), Edit(Span(2, 4), "y")])


@pytest.mark.parametrize(
    "hint",
    ["BROADCAST(o)", "MAPJOIN(o, p)", "MERGE(o), SHUFFLE_HASH(p)", "BROADCAST(a.b.t) COALESCE(1)"],
)
def test_a_hint_names_no_relation(hint: str) -> None:
    statement = parse(f"SELECT /*+ {hint} */ 1 FROM a.t o JOIN (SELECT 1) p")
    assert [reference.parts for reference in statement.references] == [("a", "t")]
