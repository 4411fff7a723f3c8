"""Decimal arithmetic and averages against Python's exact numbers: every way they are computed."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext
from random import Random

import duckdb
import pytest

from sqe.engines.local.compile.arithmetic import average, average_type, binary
from sqe.engines.local.compile.value import Value
from sqe.engines.local.types import SparkType

# Short and long ones: 64 bits, through doubles, through products and through text.
TYPES = [(5, 2), (10, 2), (15, 2), (15, 9), (16, 2), (18, 6), (21, 6), (25, 2)]
FACTORS = [(5, 2), (10, 10), (15, 2), (18, 0), (18, 6), (19, 2)]
ROWS = 60


def decimals(kind: SparkType, random: Random) -> list[Decimal]:
    """Few digits and many, halves and powers of ten, around the limit of the short way."""
    most = 10**kind.precision - 1
    numbers = [1, -1, 5, -5, 10**15 - 1, 10**15, -(10**15), most, -most]
    while len(numbers) < ROWS:
        number = random.randint(1, 10 ** random.randint(1, kind.precision) - 1)
        numbers.append(number * random.choice((1, -1)))
    return [Decimal(min(most, max(-most, n))).scaleb(-kind.scale) for n in numbers]


def half_up(dividend: Decimal, divisor: Decimal, scale: int) -> Decimal:
    with localcontext(prec=120):
        return (dividend / divisor).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)


def given(connection: duckdb.DuckDBPyConnection, left: SparkType, right: SparkType) -> None:
    random = Random(f"{left} {right}")
    connection.execute(f"CREATE OR REPLACE TABLE t (a {left.duckdb}, b {right.duckdb})")
    rows = zip(decimals(left, random), reversed(decimals(right, random)), strict=True)
    connection.executemany("INSERT INTO t VALUES (?, ?)", [list(row) for row in rows])


def edges(kind: SparkType) -> list[Decimal | None]:
    """Numbers around every power of ten, which is where a shorter way has to end."""
    powers = [10**digits for digits in range(kind.precision)]
    numbers = {0, *powers, *(10 * power - 1 for power in powers)}
    signed = [sign * number for number in sorted(numbers) for sign in (1, -1)]
    return [None, *(Decimal(number).scaleb(-kind.scale) for number in signed)]


def worked_out(operator: str, a: Decimal | None, b: Decimal | None, scale: int) -> Decimal | None:
    if a is None or b is None:
        return None
    with localcontext(prec=120):
        exact = {"+": a + b, "-": a - b, "*": a * b}[operator]
        return exact.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)


@pytest.mark.parametrize("operator", ["+", "-", "*"])
@pytest.mark.parametrize("right", FACTORS)
@pytest.mark.parametrize("left", FACTORS)
def test_sums_and_products_are_exact_and_of_sparks_type(
    left: tuple[int, int], right: tuple[int, int], operator: str
) -> None:
    kinds = SparkType("decimal", *left), SparkType("decimal", *right)
    value = binary(operator, Value("a", kinds[0], "a"), Value("b", kinds[1], "b"))
    with duckdb.connect() as connection:
        for name, kind in zip("ab", kinds, strict=True):
            connection.execute(f"CREATE TABLE {name} ({name} {kind.duckdb})")
            listed = ", ".join("(NULL)" if n is None else f"({n})" for n in edges(kind))
            connection.execute(f"INSERT INTO {name} VALUES {listed}")
        answer = connection.execute(f"SELECT a, b, TRY({value.sql}) FROM a, b")
        assert str(answer.description[2][1]) == value.type.duckdb
        found = answer.fetchall()
    if "SQE:LOCAL:" in value.sql:  # such rows are left to Spark
        found = [row for row in found if row[2] is not None]
        assert len(found) > ROWS
    scale = value.type.scale
    assert [c for *_, c in found] == [worked_out(operator, a, b, scale) for a, b, _ in found]


@pytest.mark.parametrize("right", TYPES)
@pytest.mark.parametrize("left", TYPES)
def test_a_quotient_is_exact_and_rounded_half_up(
    left: tuple[int, int], right: tuple[int, int]
) -> None:
    kinds = SparkType("decimal", *left), SparkType("decimal", *right)
    quotient = binary("/", Value("a", kinds[0], "a"), Value("b", kinds[1], "b"))
    with duckdb.connect() as connection:
        given(connection, *kinds)
        found = connection.execute(f"SELECT a, b, TRY({quotient.sql}) FROM t").fetchall()
    answered = [(a, b, q) for a, b, q in found if q is not None]  # the rest is left to Spark
    assert len(answered) > ROWS // 4
    assert [q for *_, q in answered] == [half_up(a, b, quotient.type.scale) for a, b, _ in answered]


@pytest.mark.parametrize("divisor", [1, 2, 3, 4, 5, 7, 10, 12, 100, 1000])
@pytest.mark.parametrize("kind", TYPES)
def test_a_quotient_by_a_number_as_written_is_the_same(kind: tuple[int, int], divisor: int) -> None:
    left = SparkType("decimal", *kind)
    written = Value(str(divisor), SparkType("int"), str(divisor), False, divisor, bare=True)
    quotient = binary("/", Value("a", left, "a"), written)
    with duckdb.connect() as connection:
        given(connection, left, left)
        found = connection.execute(f"SELECT a, {quotient.sql} FROM t").fetchall()
    scale = quotient.type.scale
    assert [q for _, q in found] == [half_up(a, Decimal(divisor), scale) for a, _ in found]


@pytest.mark.parametrize("kind", TYPES)
def test_an_average_is_exact_and_rounded_half_up(kind: tuple[int, int]) -> None:
    left = SparkType("decimal", *kind)
    mean = average(Value("a", left, "a"), "", "")
    with duckdb.connect() as connection:
        given(connection, left, left)
        found = connection.execute(
            f"SELECT sum(a), count(a), {mean}"
            " FROM (SELECT a, row_number() OVER () % 11 AS g FROM t)"
            " GROUP BY g HAVING count(a) > 0"
        ).fetchall()
    scale = average_type(left).scale
    assert [m for *_, m in found] == [half_up(total, Decimal(n), scale) for total, n, _ in found]


def test_nothing_has_no_average() -> None:
    mean = average(Value("a", SparkType("decimal", 10, 2), "a"), "", "")
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (a DECIMAL(10,2))")
        assert connection.execute(f"SELECT {mean} FROM t").fetchall() == [(None,)]
