"""Which INSERTs take many rows at once, and the one type of a marker in all of them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from sqe.client.parameters import parameters_of
from sqe.errors import UserError
from sqe.rewrite.parameter_rows import common_type, row_text, types_may_fit, with_rows
from sqe.sql.parse import parse
from tests.unit.rewrite.test_parameters import guarded


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t VALUES (?, ?)",
        "insert into lake.s.t (id, n) values (?, CAST(? AS INT));",
        "INSERT INTO TABLE t VALUES (?, 'x', -1, NULL, true, (?)) -- done",
        "INSERT INTO t (id) VALUES (?::bigint)",
    ],
)
def test_an_insert_of_a_plain_row_takes_many(text: str) -> None:
    row = row_text(parse(text))
    assert row is not None
    assert parse(text).text[row.opening.start :].upper().startswith("VALUES")
    assert row.closing.of(text) == ")"


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t VALUES (1, 2)",
        "INSERT INTO t VALUES (?), (?)",
        "INSERT INTO t VALUES (?, upper(?))",
        "INSERT INTO t VALUES (?, (SELECT max(n) FROM u))",
        "INSERT INTO t VALUES (?, DEFAULT)",
        "INSERT INTO t VALUES (?) AS x",
        "INSERT INTO t SELECT ?, ?",
        "INSERT INTO t BY NAME SELECT ? AS n",
        "INSERT OVERWRITE t VALUES (?, ?)",
        "INSERT INTO t REPLACE WHERE n = 1 VALUES (?)",
        "UPDATE t SET n = ?",
        "SELECT ?",
    ],
)
def test_other_statements_run_row_by_row(text: str) -> None:
    assert row_text(parse(text)) is None


@pytest.mark.parametrize(
    ("values", "target", "found"),
    [
        ([None, None], "int", "void"),
        ([1, None], "string", "int"),
        ([1, 2**40], "int", "bigint"),
        ([1, 2**40], "string", None),
        ([Decimal("1.5"), Decimal("100.25")], "decimal(10,2)", "decimal(5,2)"),
        ([Decimal("1.5"), 7], "double", "decimal(11,1)"),
        ([Decimal("1E+37"), Decimal("0.01")], "double", None),
        ([1, 0.5], "double", "double"),
        ([1, 0.5], "decimal(10,2)", None),
        ([2**60, 0.5], "double", None),
        ([1, "a"], "string", None),
        ([1, 2**40], "", None),
    ],
)
def test_a_type_is_widened_only_where_the_same_is_stored(
    values: list[object], target: str, found: str | None
) -> None:
    assert common_type(parameters_of(values), target) == found


def test_lists_and_texts_beside_numbers_are_no_columns() -> None:
    rows = [parameters_of(row) for row in ([1, "a"], [2**40, None])]
    assert types_may_fit(rows)
    assert not types_may_fit([*rows, parameters_of(["b", "c"])])
    assert not types_may_fit([parameters_of([[1]])])


def test_each_value_is_checked_and_its_row_named() -> None:
    insert = guarded("INSERT INTO t (id, price) VALUES (?, ?)")
    rows = [parameters_of(row) for row in ([1, Decimal("1.5")], [2**40, Decimal("2.25")])]
    found = with_rows(insert, rows)
    assert found.rows is not None
    assert found.rows.types == ("bigint", "decimal(3,2)")
    assert with_rows(insert, found.value_rows) == found
    with pytest.raises(UserError, match="row 2 has 1 values"):
        with_rows(insert, [rows[0], rows[1][:1]])


def test_a_cast_takes_numbers_of_several_types() -> None:
    insert = guarded("INSERT INTO t (name, id) VALUES (CAST(? AS DECIMAL(9, 2)), ?)")
    rows = [parameters_of(row) for row in ([Decimal("1.5"), 1], [Decimal("22.25"), 2])]
    found = with_rows(insert, rows)
    assert found.rows is not None
    assert found.rows.types == ("decimal(4,2)", "int")
