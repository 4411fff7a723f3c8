"""What Spark gets for a marker: named arguments, and the text around them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from sqe.binding.bound import BoundStatement
from sqe.engines.spark.parameters import marker_edits
from sqe.model.query import Parameter as P
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.parameters import with_values
from sqe.sql.counting import edits_of_count
from sqe.sql.parse import parse
from sqe.sql.splice import splice

MOMENT = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
WRITTEN = [
    (P("int", -1), ":sqe_1"),
    (P("string", "x' --"), ":sqe_1"),
    (P("decimal(10,2)", Decimal(1)), "CAST( :sqe_1  AS DECIMAL(10,2))"),
    (P("timestamp", MOMENT), "timestamp_micros( :sqe_1 )"),
    (P("int", None), "CAST(NULL AS INT)"),
    (P("void", None), "NULL"),
    (P("array<int>", [1, None]), "CAST(array( :sqe_1 , NULL) AS ARRAY<INT>)"),
    (P("array<int>", []), "CAST(array() AS ARRAY<INT>)"),
    (P("map<int,string>", {1: "a"}), "CAST(map( :sqe_1 ,  :sqe_2 ) AS MAP<INT, STRING>)"),
    (P("struct<a`b:int>", [1]), "CAST(struct( :sqe_1 ) AS STRUCT<`a``b`: INT>)"),
    (P("struct<a>) --:int>", [1]), "CAST(struct( :sqe_1 ) AS STRUCT<`a>) --`: INT>)"),
]


def guarded(sql: str, *values: P) -> GuardedStatement:
    return with_values(GuardedStatement(BoundStatement(parse(sql), ()), {}), values)


@pytest.mark.parametrize(("value", "text"), WRITTEN)
def test_a_value_is_an_argument_and_its_type_is_said(value: P, text: str) -> None:
    edits, arguments = marker_edits(guarded("SELECT 1 -?", value), "Europe/Berlin")
    assert splice("SELECT 1 -?", edits).text == f"SELECT 1 - {text} "
    assert all(f":{name} " in f"{text} " for name in arguments)


def test_in_utc_a_moment_is_a_literal() -> None:
    edits, arguments = marker_edits(guarded("SELECT ?", P("timestamp", MOMENT)), "UTC")
    assert edits[0].text == " :sqe_1 "
    assert arguments["sqe_1"].timestamp == 1704067200000000


def test_a_count_has_the_arguments_of_the_markers_that_are_left() -> None:
    sql = "UPDATE t SET a = ?, b = b + ? WHERE c = ? AND d = ?"
    statement = guarded(sql, *(P("int", n) for n in (1, 2, 3, 4)))
    counting = edits_of_count(statement.bound.statement)
    assert counting is not None
    edits, arguments = marker_edits(statement, "UTC", counting)
    text = splice(sql, [*counting, *edits]).text
    assert text == "SELECT count(*) FROM t WHERE c =  :sqe_1  AND d =  :sqe_2 "
    assert [arguments[name].integer for name in ("sqe_1", "sqe_2")] == [3, 4]
