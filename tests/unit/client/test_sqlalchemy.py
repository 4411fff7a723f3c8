"""The dialect's SQL, types and URLs, without a server; and a home in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sqlalchemy as sa
from sqlalchemy.schema import CreateIndex, CreateTable

from sqe.client.sqlalchemy.dialect import EmbeddedDialect, FlightDialect
from sqe.client.sqlalchemy.types import SparkType, sqlalchemy_type

PEOPLE = sa.Table(
    "people",
    sa.MetaData(),
    sa.Column("id", sa.BigInteger, primary_key=True),
    sa.Column("full name", sa.String(20), comment="it's"),
    sa.Column("order", sa.Numeric(10, 2)),
    sa.Column("Seen", sa.DateTime(timezone=True)),
    sa.Column("met", sa.DateTime),
    sa.Column("weight", sa.Float),
    sa.Column("tags", sa.ARRAY(sa.Integer)),
    sa.Column("photo", sa.LargeBinary),
    sa.Column("home", SparkType("struct<city:string>")),
    schema="a.b-c",
    comment="all of them",
)


def compiled(statement: Any, *, literal: bool = False) -> str:
    given = {"compile_kwargs": {"literal_binds": True}} if literal else {}
    text = str(statement.compile(dialect=FlightDialect(), **given))
    return " ".join(text.split())


def test_names_are_quoted_with_back_quotes_where_they_must_be() -> None:
    columns = PEOPLE.c
    query: Any = sa.select(columns["full name"], columns["order"])
    assert compiled(query.where(columns.id == 1)) == (
        "SELECT a.`b-c`.people.`full name`, a.`b-c`.people.`order` FROM a.`b-c`.people "
        "WHERE a.`b-c`.people.id = ?"
    )
    odd: sa.ColumnClause[Any] = sa.column("a`b")
    assert compiled(sa.select(odd)) == "SELECT `a``b`"


def test_limit_and_offset_are_numbers_in_the_text() -> None:
    x: sa.ColumnClause[int] = sa.column("x", sa.Integer)
    query = sa.select(x).limit(5).offset(2)
    assert "LIMIT" in compiled(query)
    assert compiled(query, literal=True) == "SELECT x LIMIT 5 OFFSET 2"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("O'Brien", r"'O\'Brien'"), ("a\\b", r"'a\\b'"), ("\\' OR 1=1 --", r"'\\\' OR 1=1 --'")],
)
def test_literals_are_escaped_as_spark_reads_them(value: str, expected: str) -> None:
    assert compiled(sa.select(sa.literal(value)), literal=True).startswith(f"SELECT {expected} AS")


def test_a_table_is_made_without_keys() -> None:
    assert compiled(CreateTable(PEOPLE)) == (
        "CREATE TABLE a.`b-c`.people ( id BIGINT NOT NULL, `full name` STRING COMMENT 'it\\'s', "
        "`order` DECIMAL(10, 2), `Seen` TIMESTAMP, met TIMESTAMP_NTZ, weight DOUBLE, "
        "tags ARRAY<INT>, photo BINARY, home struct<city:string> ) COMMENT 'all of them'"
    )
    with pytest.raises(sa.exc.CompileError, match="no indexes"):
        compiled(CreateIndex(sa.Index("i", PEOPLE.c.id)))


@pytest.mark.parametrize(
    ("spark", "expected"),
    [
        ("boolean", sa.BOOLEAN),
        ("tinyint", sa.SmallInteger),
        ("int", sa.INTEGER),
        ("bigint", sa.BIGINT),
        ("float", sa.REAL),
        ("double", sa.DOUBLE),
        ("string", sa.String),
        ("varchar(5)", sa.VARCHAR),
        ("binary", sa.LargeBinary),
        ("date", sa.DATE),
        ("timestamp", sa.TIMESTAMP),
        ("timestamp_ntz", sa.TIMESTAMP),
        ("decimal(38,10)", sa.DECIMAL),
        ("array<array<int>>", sa.ARRAY),
        ("map<string,int>", SparkType),
        ("interval day to second", SparkType),
        ("variant", SparkType),
    ],
)
def test_sparks_types_have_a_counterpart(spark: str, expected: type) -> None:
    found = sqlalchemy_type(spark)
    assert isinstance(found, expected)
    assert compiled(sa.cast(sa.column("x"), found)).lower().startswith("cast(x as ")


def test_arrays_of_arrays_are_spelled_again() -> None:
    text = compiled(sa.cast(sa.column("x"), sqlalchemy_type("array<array<int>>")))
    assert text == "CAST(x AS ARRAY<ARRAY<INT>>)"


def test_a_url_names_a_server_a_catalog_and_a_schema() -> None:
    url = sa.make_url("sqe+flight://ann:p%40ss@lake:9/cat/sch?tls_ca=/ca.pem")
    (target,), options = url.get_dialect()().create_connect_args(url)
    assert target == "grpc+tls://lake:9"
    assert options == {
        "tls_ca": "/ca.pem",
        "plaintext": False,
        "user": "ann",
        "password": "p@ss",
        "catalog": "cat",
        "schema": "sch",
    }


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("sqe+flight://127.0.0.1:9", "grpc+tcp://127.0.0.1:9"),
        ("sqe+flight://localhost/?tls=true", "grpc+tls://localhost"),
        ("sqe+flight://lake", "grpc+tls://lake"),
        ("sqe+flight://lake/?tls=false&plaintext=true", "grpc+tcp://lake"),
    ],
)
def test_only_this_machine_is_reached_without_tls(url: str, target: str) -> None:
    made = sa.make_url(url)
    assert FlightDialect().create_connect_args(made)[0] == [target]


@pytest.mark.parametrize(
    "url", ["sqe+flight://", "sqe+flight://lake/?tsl=true", "sqe+flight://lake/?tls=maybe"]
)
def test_a_wrong_url_is_refused(url: str) -> None:
    with pytest.raises(sa.exc.ArgumentError):
        FlightDialect().create_connect_args(sa.make_url(url))
    with pytest.raises(sa.exc.ArgumentError):
        EmbeddedDialect().create_connect_args(sa.make_url("sqe://ann@lake"))


def test_a_home_in_this_process_is_a_database(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqe:///{tmp_path}?create=true")
    with engine.connect() as connection:
        assert connection.scalar(sa.select(sa.literal(1) + 1).limit(1)) == 2
    assert pd.read_sql("SELECT id FROM range(3)", engine)["id"].tolist() == [0, 1, 2]
    inspector = sa.inspect(engine)
    assert inspector.get_schema_names() == ["default"]
    assert inspector.get_table_names() == inspector.get_view_names() == []
    assert not inspector.has_table("nowhere")
    engine.dispose()
