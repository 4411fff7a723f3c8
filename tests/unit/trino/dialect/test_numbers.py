"""What the translation of numbers decides without an engine: types, refusals, and the text's size.
The values are compared with a real Trino's in tests/trino/edges."""

from __future__ import annotations

import pytest

from sqe.errors import SqeError
from tests.unit.trino.dialect.catalog import translated


def _type(expression: str) -> str:
    return str(translated(f"SELECT {expression}").columns[0].type)


def _error(expression: str) -> str:
    with pytest.raises(SqeError) as raised:
        translated(f"SELECT {expression}")
    return raised.value.subcode


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1.25 + 1.5", "decimal(4,2)"),
        ("1.25 / 3", "decimal(3,2)"),
        ("1.25 % 1.5", "decimal(3,2)"),
        ("CAST(1 AS decimal(20,2)) * CAST(1 AS decimal(30,2))", "decimal(38,4)"),
        ("NULL + 1.5", "decimal(3,1)"),
        ("TINYINT '1' + SMALLINT '1'", "smallint"),
        ("REAL '1' + 1", "real"),
        ("- REAL '1.5'", "real"),
        ("round(1.567, 1)", "decimal(5,3)"),
        ("truncate(0.55)", "decimal(1,0)"),
        ("mod(5.5, 2)", "decimal(2,1)"),
        ("greatest(1, 2.5)", "decimal(11,1)"),
        ("CAST('a' AS varchar(2147483647))", "varchar"),
    ],
)
def test_the_type_of_a_result(expression: str, expected: str) -> None:
    assert _type(expression) == expected


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("CAST(1 AS decimal(39,0))", "INVALID_FUNCTION_ARGUMENT"),
        ("CAST(1 AS varchar(a))", "TYPE_MISMATCH"),
        ("CAST(ARRAY[DATE '2020-01-01'] AS array(integer))", "TYPE_MISMATCH"),
        ("CAST(CAST('1' AS char(1)) AS integer)", "TYPE_MISMATCH"),
        ("NULL + NULL", "AMBIGUOUS_FUNCTION_CALL"),
        ("+ true", "TYPE_MISMATCH"),
        ("DOUBLE 'inf'", "INVALID_LITERAL"),
        ("DECIMAL '1e3'", "INVALID_LITERAL"),
        ("NUMERIC '1'", "TYPE_NOT_FOUND"),
    ],
)
def test_what_is_an_error(expression: str, name: str) -> None:
    assert _error(expression) == name


@pytest.mark.parametrize(
    "expression",
    ["TRY(coalesce(1/0, 5))", "TRY(1/0 IS NULL)", "TRY(ARRAY[1/0])", "TRY((SELECT 1/0))"],
)
def test_a_try_where_null_would_not_go_up_is_refused(expression: str) -> None:
    assert _error(expression) == "NOT_SUPPORTED"


@pytest.mark.parametrize("expression", ["1 / id", "CAST(name AS integer)", "ARRAY[1][id]"])
def test_nothing_in_a_try_can_fail(expression: str) -> None:
    text = translated(f"SELECT TRY({expression}) FROM lake.s.t").text
    assert "raise_error" not in text
    assert " CAST(`name`" not in text


def test_casts_in_casts_do_not_double_the_text() -> None:
    inner = "name"
    for _ in range(12):
        inner = f"CAST(CAST({inner} AS double) AS varchar)"
    assert len(translated(f"SELECT {inner} FROM lake.s.t").text) < 100_000


def test_a_random_number_is_drawn_once() -> None:
    text = translated("SELECT CAST(random() AS bigint)").text
    assert text.count("rand()") == 1
