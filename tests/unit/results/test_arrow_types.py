"""Spark's spelling of types, and the Arrow types that go with it."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sqe.errors import SqeError
from sqe.model.query import Column
from sqe.model.types import Array, Map, Member, Plain, Struct, parse_type
from sqe.results.arrow_types import arrow_schema, arrow_type

SHAPE = pa.struct([pa.field("srid", pa.int32(), False), pa.field("wkb", pa.binary(), False)])
ARROW = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "decimal(38,10)": pa.decimal128(38, 10),
    "string": pa.string(),
    "varchar(10)": pa.string(),
    "string collate UTF8_LCASE": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="Europe/Berlin"),
    "timestamp_ntz": pa.timestamp("us"),
    "void": pa.null(),
    "variant": pa.string(),
    "interval": pa.month_day_nano_interval(),
    "interval day to second": pa.duration("us"),
    "interval hour": pa.duration("us"),
    "time(6)": pa.time64("ns"),
    "geometry(4326)": SHAPE,
    "geography(any)": SHAPE,
    "array<array<int>>": pa.list_(pa.list_(pa.int32())),
    "map<string,decimal(5,1)>": pa.map_(pa.string(), pa.decimal128(5, 1)),
    "struct<a:int,B c:array<string>>": pa.struct(
        [("a", pa.int32()), ("B c", pa.list_(pa.string()))]
    ),
}


@pytest.mark.parametrize("text", ARROW)
def test_a_type_has_its_arrow_type(text: str) -> None:
    assert arrow_type(parse_type(text), "Europe/Berlin") == ARROW[text]


def test_months_are_a_type_that_pyarrow_only_carries() -> None:
    for text in ("interval year", "interval year to month"):
        assert arrow_type(parse_type(text), "UTC").id == pa.lib.Type_INTERVAL_MONTHS


@pytest.mark.parametrize("text", [*ARROW, "interval year to month"])
def test_types_are_spelled_as_they_are_read(text: str) -> None:
    spelled = str(parse_type(text))
    assert spelled == text or spelled == "string"
    assert parse_type(spelled) == parse_type(text)


def test_nested_types_are_read_by_their_parts() -> None:
    assert parse_type("map<int,array<void>>") == Map(Plain("int"), Array(Plain("void")))
    assert parse_type("struct<a:int>") == Struct((Member("a", Plain("int")),))
    assert parse_type("struct<>") == Struct(())


@pytest.mark.parametrize("text", ["", "integerish", "array<int", "map<int>", "struct<a>", "a<int>"])
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(SqeError):
        parse_type(text)


def test_a_schema_has_names_and_what_may_be_null() -> None:
    columns = (Column("a", "int", nullable=False), Column("b", "void", nullable=False))
    assert arrow_schema(columns) == pa.schema([pa.field("a", pa.int32(), False), ("b", pa.null())])


@pytest.mark.parametrize("name", ["a", "a b", "a,b", "a:b", "a<b>", "(", "a`b", "`", ""])
def test_a_quoted_name_of_a_member_may_hold_anything(name: str) -> None:
    quoted = "`" + name.replace("`", "``") + "`"
    inner = Struct((Member(name, Plain("int")), Member("z", Array(Plain("date")))))
    assert parse_type(f"struct<{quoted}:int,z:array<date>>") == inner
    assert parse_type(f"array<struct<{quoted} : int, z: array<date>>>") == Array(inner)
