"""Parameters on the local engine: as literals, but never written into DuckDB's text."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from sqe.model.query import Parameter as P
from tests.unit.engines.local.compile.lakehouse import Lakehouse
from tests.unit.engines.local.compile.test_pruning import PARTS


@pytest.fixture(scope="module")
def parts(lakehouse: Lakehouse) -> Iterator[Lakehouse]:
    lakehouse.create("p", *PARTS)
    yield lakehouse
    lakehouse.catalog.drop_table("db.p")


TAKEN: list[tuple[str, list[P], str]] = [
    ("id = ?", [P("bigint", 7)], "id = 7"),
    ("? >= id AND id > ?", [P("int", 7), P("tinyint", -3)], "7 >= id AND id > -3"),
    ("id IN (?, ?)", [P("int", 1), P("int", None)], "id IN (1, NULL)"),
    ("id BETWEEN ? AND ? + 1", [P("int", 1), P("int", 3)], "id BETWEEN 1 AND 4"),
    ("amount < ?", [P("int", 2)], "amount < 2"),
    ("amount = ?", [P("decimal(38,2)", Decimal("2.25"))], "amount = 2.25"),
    ("amount * ? > 12", [P("decimal(3,1)", Decimal("1.5"))], "amount * 1.5 > 12"),
    ("name LIKE ?", [P("string", "n1%")], "name LIKE 'n1%'"),
    (r"name LIKE 'n1\_%'", [], r"name LIKE 'n1\\_%'"),
    ("name = ?", [P("string", "it's")], "name = 'its'"),
    ("day = ?", [P("date", dt.date(2024, 2, 3))], "day = DATE '2024-02-03'"),
    ("day > ?", [P("string", "2024-03-05")], "day > '2024-03-05'"),
    (
        "at >= ?",
        [P("timestamp", dt.datetime(2024, 3, 1, 5, tzinfo=dt.UTC))],
        "at >= TIMESTAMP '2024-03-01 05:00:00'",
    ),
    ("id = ?", [P("string", "12")], "id = '12'"),
    ("? AND id < 9", [P("boolean", True)], "true AND id < 9"),
    ("CASE WHEN id = ? THEN ? ELSE name END = ?",
     [P("int", 1), P("string", "x"), P("string", "x")], "id = 1"),
    ("coalesce(name, ?) = ?", [P("string", "?"), P("string", "?")], "name IS NULL"),
    ("id = CAST(? AS int)", [P("bigint", 5)], "id = 5"),
    ("name <=> ?", [P("void", None)], "name IS NULL"),
    ("name LIKE ? OR id < 9", [P("string", None)], "id < 9"),
    ("name NOT LIKE ? OR id < 9", [P("string", None)], "id < 9"),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "values", "literal"), TAKEN)
def test_a_parameter_answers_and_prunes_as_a_literal(
    parts: Lakehouse, condition: str, values: list[P], literal: str
) -> None:
    query, plain = (f"SELECT id FROM p WHERE {text} ORDER BY id" for text in (condition, literal))
    assert parts.ask(query, *values).equals(parts.ask(plain))


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("id = ?", P("bigint", 7)),
        ("day = ?", P("date", dt.date(2024, 2, 3))),
        ("day = ?", P("string", "2024-02-03")),
        ("name LIKE ?", P("string", "n2x%")),
        ("amount = ?", P("decimal(10,2)", Decimal("4.25"))),
        ("at = ?", P("timestamp", dt.datetime(2024, 1, 1, 5, tzinfo=dt.UTC))),
    ],
)
def test_files_are_skipped_by_the_value(parts: Lakehouse, condition: str, value: P) -> None:
    assert parts.files(f"SELECT id FROM p WHERE {condition}", value) == {"p": 1}


def test_limits_are_parameters_too(parts: Lakehouse) -> None:
    found = parts.ask("SELECT id FROM p ORDER BY id LIMIT ? OFFSET ?", P("bigint", 2), P("int", 3))
    assert found.column(0).to_pylist() == [-2, -1]
    assert "number of rows" in parts.refusal("SELECT id FROM p LIMIT ?", P("int", -1))
    assert "number of rows" in parts.refusal("SELECT id FROM p LIMIT ?", P("int", None))


def test_selected_parameters_have_their_types(parts: Lakehouse) -> None:
    values = [P("decimal(10,2)", Decimal("1.5")), P("float", 0.5), P("int", None), P("tinyint", 3)]
    found = parts.ask("SELECT ? AS a, ? AS b, ? AS c, id + ? AS d FROM p LIMIT 1", *values)
    assert found.schema == pa.schema(
        [
            pa.field("a", pa.decimal128(10, 2), nullable=False),
            pa.field("b", pa.float32()),
            pa.field("c", pa.int32()),
            pa.field("d", pa.int32()),
        ]
    )
    assert found.num_rows == 1


def test_a_tinyint_beside_a_decimal_has_all_its_digits(parts: Lakehouse) -> None:
    found = parts.ask(
        "SELECT amount * ? AS a, amount * ? AS b, amount * 5Y AS c, amount * -5Y AS d,"
        " amount * 5S AS e FROM p LIMIT 1",
        *(P("tinyint", 5), P("tinyint", None)),
    )
    wide, narrow = pa.decimal128(14, 2), pa.decimal128(12, 2)
    assert found.schema.types == [wide, wide, wide, wide, narrow]


def test_a_null_of_no_type_stays_without_one(parts: Lakehouse) -> None:
    found = parts.ask("SELECT ? AS a, NULL AS b FROM p LIMIT 2", P("void", None))
    assert found.schema.types == [pa.null(), pa.null()]
    assert found.num_rows == 2


def test_a_value_is_never_in_the_text(parts: Lakehouse) -> None:
    values = (P("string", "n1x17'; --"), P("string", "2024-02-08"), P("int", 424242), P("int", 5))
    sql = "EXPLAIN SELECT id FROM p WHERE name = ? AND day = ? AND id < ? LIMIT ?"
    plan = str(parts.ask(sql, *values).column(0)[0])
    text = plan[plan.index("Query:") : plan.index("Plan:")]
    assert "$p1" in text and "LIMIT $p" in text
    for shown in ("n1x17", "2024-02-08", "424242", "LIMIT 5"):
        assert shown not in text


REFUSED: list[tuple[str, list[P], str]] = [
    ("SELECT ? FROM p", [P("int", 1)], "in this place"),
    ("SELECT id + ? FROM p", [P("int", 1)], "a name that is certain"),
    ("SELECT id FROM p ORDER BY ?", [P("int", 1)], "in this place"),
    ("SELECT id FROM p ORDER BY id + ?", [P("int", 1)], "ORDER BY"),
    ("SELECT id + ? AS x FROM p GROUP BY id + ?", [P("int", 1), P("int", 2)], "GROUP BY"),
    ("SELECT count(?) AS n FROM p", [P("int", 1)], "in this place"),
    ("SELECT substring(name, ?, 1) AS x FROM p", [P("int", 1)], "in this place"),
    ("SELECT id FROM p WHERE name ILIKE ?", [P("string", "N%")], "in this place"),
    ("SELECT id FROM p WHERE amount = ?", [P("double", float("nan"))], "NaN"),
    ("SELECT id FROM p WHERE amount = ?", [P("double", -0.0)], "-0.0"),
    ("SELECT id FROM p WHERE name = ?", [P("string", "a\0b")], "NUL"),
    ("SELECT id FROM p WHERE id = ? + 1", [P("int", 2**31 - 1)], "cannot be computed"),
    ("SELECT id FROM p WHERE day = ?", [P("string", "nonsense")], "meet in one expression"),
    ("SELECT ? AS a FROM p", [P("binary", b"x")], "binary"),
    ("SELECT ? AS a FROM p", [P("array<int>", [1])], "array<int>"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "values", "why"), REFUSED)
def test_what_is_not_proven_is_left_to_spark(
    parts: Lakehouse, sql: str, values: list[P], why: str
) -> None:
    assert why in parts.refusal(sql, *values)


def test_unbound_markers_are_described_without_running(parts: Lakehouse) -> None:
    from sqe.model.query import QueryRequest

    sql = "SELECT id, amount + ? AS x, ? AS y FROM p WHERE day = ? LIMIT ?"
    found = parts.server.gateway.describe(QueryRequest(parts.session.id, sql))
    assert found.parameters == ("decimal(10,2)", "string", "date", "int")
    assert found.schema.types == [pa.int32(), pa.decimal128(11, 2), pa.string()]
    values: list[Any] = [Decimal("1.00"), "x", dt.date(2024, 1, 1), 5]
    bound = [P(kind, value) for kind, value in zip(found.parameters, values, strict=True)]
    assert parts.ask(sql, *bound).schema.types == found.schema.types
