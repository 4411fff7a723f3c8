"""Values for markers: counted, checked, and the types that fit them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from sqe.binding.bound import BoundReference, BoundStatement, BoundTable
from sqe.catalog.protocol import Ident
from sqe.errors import ErrorCode, SqeError
from sqe.model.decision import Allow, Restrict
from sqe.model.names import RelationName, SchemaName
from sqe.model.query import Column, Parameter
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.parameters import fill_with_nulls, with_values
from sqe.sql.parse import parse

S = SchemaName("lake", ("s",))
TABLES = {
    "t": "id bigint, n int, name string, d date, price decimal(10,2), ts timestamp",
    "u": "id int, ok boolean, tags array<date>, rec struct<x:double>, dbl double",
}


def guarded(sql: str, hidden: str = "") -> GuardedStatement:
    statement = parse(sql)
    while statement.tree is None and statement.inner is not None:
        statement = statement.inner
    bound, decisions = [], {}
    for reference in statement.references:
        name = RelationName(S, reference.parts[-1])
        pairs = (part.split(maxsplit=1) for part in TABLES[name.name].split(", "))
        columns = tuple(Column(column, kind) for column, kind in pairs)
        table = BoundTable(name, Ident(("s",), name.name), None, columns)
        bound.append(BoundReference(reference, table))
        restricted = Restrict("hidden", hidden=frozenset({hidden}))
        decisions[(name, reference.access, "")] = restricted if hidden else Allow("test")
    return GuardedStatement(BoundStatement(statement, tuple(bound)), decisions)


def types(sql: str, hidden: str = "") -> str:
    return " ".join(one.type for one in fill_with_nulls(guarded(sql, hidden)).parameters)


FITTING = [
    ("SELECT * FROM t WHERE id = ? AND ? < d AND price <> ? AND (n) >= (?)",
     "bigint date decimal(10,2) int"),
    ("SELECT * FROM t WHERE d BETWEEN ? AND ? AND n IN (?, ?) AND name LIKE ? AND ts <=> ?",
     "date date int int string timestamp"),
    ("SELECT n + ?, price * ?, d + ?, d - ?, id % ? FROM t", "int decimal(10,2) int int bigint"),
    ("SELECT id FROM t LIMIT ? OFFSET ?", "int int"),
    ("SELECT coalesce(d, ?), nullif(name, ?), if(n > ?, ?, price) FROM t",
     "date string int decimal(10,2)"),
    ("SELECT CASE WHEN n = ? THEN ? ELSE d END, CASE n WHEN ? THEN 1 END FROM t", "int date int"),
    ("SELECT CAST(? AS DATE), ?::double, CAST(? AS decimal(5, 1)), ?",
     "date double decimal(5,1) string"),
    ("SELECT substring(name, ?, ?), date_add(d, ?), date_sub(d, ?), round(price, ?) FROM t",
     "int int int int int"),
    ("SELECT * FROM t WHERE lower(name) = ? AND year(d) = ? AND name || ? = 'x'",
     "string int string"),
    ("SELECT n FROM t GROUP BY n HAVING count(*) > ? AND sum(price) > ? AND max(d) < ? AND"
     " avg(n) < ?",
     "bigint decimal(20,2) date double"),
    ("SELECT * FROM t JOIN u ON t.id = u.id AND u.dbl = ? WHERE u.ok = ? AND ?",
     "double boolean boolean"),
    ("SELECT * FROM (SELECT d AS day, price FROM t) x WHERE x.day = ? AND price = ?",
     "date decimal(10,2)"),
    ("WITH c(a, b) AS (SELECT id, ts FROM t) SELECT * FROM c WHERE b > ? AND c.a = ?",
     "timestamp bigint"),
    ("SELECT * FROM (SELECT * FROM t) x WHERE d = ?", "date"),
    ("SELECT * FROM t a WHERE EXISTS (SELECT 1 FROM u WHERE u.id = a.n AND a.d = ? AND u.ok = ?)",
     "date boolean"),
    ("SELECT * FROM t WHERE d = (SELECT max(d) FROM t WHERE n < ?) AND ? IN (SELECT id FROM u)",
     "int int"),
    ("SELECT * FROM t WHERE (id, d) IN ((?, ?)) AND (n, name) = (?, ?)", "bigint date int string"),
    ("SELECT array_contains(tags, ?), tags[?] FROM u WHERE rec.x = ? AND u.rec.x = ?",
     "date int double double"),
    ("SELECT id FROM t UNION ALL SELECT ?", "bigint"),
    ("SELECT * FROM VALUES (1, ?), (?, DATE '2024-01-01') AS v(a, b) WHERE a = ?", "date int int"),
    ("WITH r AS (SELECT id FROM range(5)) SELECT * FROM r, range(9) q WHERE r.id = ? AND q.id < ?",
     "bigint bigint"),
    ("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", "bigint int string date decimal(10,2) timestamp"),
    ("INSERT INTO t (d, n) VALUES (?, ?), (?, -?)", "date int date int"),
    ("INSERT INTO t (name, d) SELECT ?, ? AS x FROM u WHERE u.dbl > ?", "string date double"),
    ("UPDATE t SET d = ?, name = concat(name, ?) WHERE price < ?", "date string decimal(10,2)"),
    ("DELETE FROM t WHERE ts < ?", "timestamp"),
    ("MERGE INTO t USING u ON t.id = u.id WHEN MATCHED AND u.ok = ? THEN UPDATE SET d = ?"
     " WHEN NOT MATCHED THEN INSERT (id, price) VALUES (u.id, ?)",
     "boolean date decimal(10,2)"),
    ("EXPLAIN SELECT * FROM t WHERE d = ?", "date"),
    ("SELECT ?, ? + ?, nothing = ?, ? IS NULL FROM t", "string string string string string"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "wanted"), FITTING)
def test_a_marker_has_the_type_of_what_it_meets(sql: str, wanted: str) -> None:
    assert types(sql) == wanted


def test_a_column_that_is_hidden_has_no_type() -> None:
    assert types("SELECT n FROM t WHERE d = ? AND n = ?", hidden="d") == "string int"


def test_a_limit_that_nobody_knows_yet_is_a_number() -> None:
    parameters = fill_with_nulls(guarded("SELECT n FROM t WHERE d = ? LIMIT ?")).parameters
    assert parameters == (Parameter("date", None), Parameter("int", 1))


GOOD: list[tuple[str, Any, Any]] = [
    ("boolean", True, True),
    ("tinyint", -128, -128),
    ("float", 0.1, 0.10000000149011612),
    ("double", 3, 3.0),
    ("decimal(5,2)", Decimal("1.5"), Decimal("1.50")),
    ("decimal(38,0)", 10**38 - 1, Decimal(10**38 - 1)),
    ("binary", bytearray(b"x"), b"x"),
    ("date", dt.date(2024, 1, 1), dt.date(2024, 1, 1)),
    (
        "timestamp",
        dt.datetime(2024, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))),
        dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
    ),
    ("array<tinyint>", [1, None], (1, None)),
    ("map<string,int>", {"a": 1}, (("a", 1),)),
    ("struct<a:int,b:string>", {"b": "x"}, (None, "x")),
    ("INT", None, None),
]
BAD: list[tuple[str, Any]] = [
    ("boolean", 1),
    ("tinyint", 128),
    ("int", True),
    ("int", "1"),
    ("bigint", 2**63),
    ("float", 1e300),
    ("double", "1"),
    ("decimal(3,1)", Decimal("100")),
    ("decimal(3,1)", Decimal("1.55")),
    ("decimal(3,1)", Decimal("NaN")),
    ("string", b"x"),
    ("string", "\ud800"),
    ("date", dt.datetime(2024, 1, 1)),
    ("timestamp", dt.datetime(2024, 1, 1)),
    ("timestamp_ntz", dt.datetime(2024, 1, 1, tzinfo=dt.UTC)),
    ("array<int>", "12"),
    ("array<int>", ["1"]),
    ("struct<a:int>", [1, 2]),
    ("void", 1),
]


@pytest.mark.parametrize(("kind", "value", "wanted"), GOOD)
def test_a_value_of_its_type_is_taken(kind: str, value: Any, wanted: Any) -> None:
    (found,) = with_values(guarded("SELECT ?"), [Parameter(kind, value)]).parameters
    assert (found.type, found.value) == (kind.lower(), wanted)


@pytest.mark.parametrize(("kind", "value"), BAD)
def test_a_value_of_another_type_is_refused_without_showing_it(kind: str, value: Any) -> None:
    with pytest.raises(SqeError) as raised:
        with_values(guarded("SELECT ?"), [Parameter(kind, value)])
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT
    assert raised.value.message == f"The value of parameter 1 is none of type {kind}."


@pytest.mark.parametrize(
    "kind", ["variant", "interval", "interval year to month", "array<variant>"]
)
def test_types_without_a_literal_are_not_supported(kind: str) -> None:
    with pytest.raises(SqeError) as raised:
        value = [object()] if kind.startswith("array") else object()
        with_values(guarded("SELECT ?"), [Parameter(kind, value)])
    assert raised.value.code is ErrorCode.NOT_SUPPORTED


def test_the_number_of_values_must_be_that_of_the_markers() -> None:
    one = Parameter("int", 1)
    for sql, values in (
        ("SELECT ?", []),
        ("SELECT ?", None),
        ("SELECT ?", [one, one]),
        ("SELECT 1", [one]),
    ):
        with pytest.raises(SqeError, match="parameter markers") as raised:
            with_values(guarded(sql), values)
        assert raised.value.code is ErrorCode.INVALID_ARGUMENT


def test_a_bigint_becomes_an_int_only_where_nothing_else_is_taken() -> None:
    sql = "SELECT n + ? FROM t WHERE substring(name, ?, 1) = 'x' LIMIT ?"
    values = [Parameter("bigint", 5), Parameter("bigint", 1), Parameter("bigint", 2**31)]
    found = with_values(guarded(sql), values).parameters
    assert [one.type for one in found] == ["bigint", "int", "bigint"]


def test_what_is_no_bigint_stays_as_it_is() -> None:
    for value in (Parameter("smallint", 5), Parameter("bigint", None)):
        assert with_values(guarded("SELECT n FROM t LIMIT ?"), [value]).parameters == (value,)


def test_markers_of_what_is_explained_are_found() -> None:
    explained = GuardedStatement(BoundStatement(parse("EXPLAIN SELECT 1 LIMIT ?"), ()), {})
    found = with_values(explained, [Parameter("bigint", 5)]).parameters
    assert found == (Parameter("int", 5),)
    nothing = GuardedStatement(BoundStatement(parse("SHOW TABLES"), ()), {})
    assert fill_with_nulls(nothing) is nothing
