"""Every type on its way to a client, from both engines: value, NULL and schema."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import pyarrow as pa
import pytest

from sqe.auth.anonymous import Anonymous
from sqe.auth.chain import Authenticators
from sqe.protocols.flight_sql.options import FlightOptions
from sqe.protocols.flight_sql.server import FlightSqlServer
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]
UTC = datetime.UTC
# SQL, the Arrow type it comes as, the value as Python has it.
BOTH: list[tuple[str, pa.DataType, Any]] = [
    ("true", pa.bool_(), True),
    ("CAST(-7 AS TINYINT)", pa.int8(), -7),
    ("CAST(-7 AS SMALLINT)", pa.int16(), -7),
    ("-7", pa.int32(), -7),
    ("9223372036854775807", pa.int64(), 2**63 - 1),
    ("CAST(1.5 AS FLOAT)", pa.float32(), 1.5),
    ("CAST(1e300 AS DOUBLE)", pa.float64(), 1e300),
    ("CAST(12345.6789 AS DECIMAL(20,4))", pa.decimal128(20, 4), Decimal("12345.6789")),
    ("'Grüße'", pa.string(), "Grüße"),
    ("DATE '2026-02-28'", pa.date32(), datetime.date(2026, 2, 28)),
    (
        "TIMESTAMP '2026-02-28 01:02:03.000004'",
        pa.timestamp("us", tz="UTC"),
        datetime.datetime(2026, 2, 28, 1, 2, 3, 4, UTC),
    ),
    (
        "TIMESTAMP_NTZ '2026-02-28 01:02:03.000004'",
        pa.timestamp("us"),
        datetime.datetime(2026, 2, 28, 1, 2, 3, 4),
    ),
]
ONLY_SPARK: list[tuple[str, pa.DataType, Any]] = [
    ("X'00FF'", pa.binary(), b"\x00\xff"),
    (
        "INTERVAL '1 02:03:04.000005' DAY TO SECOND",
        pa.duration("us"),
        datetime.timedelta(days=1, hours=2, minutes=3, seconds=4, microseconds=5),
    ),
    (
        "array(1, NULL, 3)",
        pa.list_(pa.field("element", pa.int32(), True)),
        [1, None, 3],
    ),
    (
        "named_struct('a', 1, 'b', 'x')",
        pa.struct([pa.field("a", pa.int32(), False), pa.field("b", pa.string(), False)]),
        {"a": 1, "b": "x"},
    ),
    (
        "map('k', 1.5, 'l', NULL)",
        pa.map_(pa.string(), pa.field("value", pa.decimal128(2, 1), True)),
        [("k", Decimal("1.5")), ("l", None)],
    ),
    ("NULL", pa.null(), None),
    ("parse_json('{\"a\": [1, null]}')", pa.string(), '{"a":[1,null]}'),
]


@pytest.fixture(scope="module")
def address(shared_lake: Lake) -> Iterator[str]:
    gateway = shared_lake.server.gateway
    server = FlightSqlServer(gateway, Authenticators([Anonymous()]), FlightOptions())
    yield f"grpc://127.0.0.1:{server.start()}"
    server.stop()


@pytest.fixture(scope="module", params=["spark", "local"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def connection(address: str, engine: str) -> Iterator[adbc.Connection]:
    with adbc.connect(address, autocommit=True) as opened:
        with opened.cursor() as cursor:
            cursor.execute(f"SET SESSION sqe.engine = '{engine}'")
        yield opened


def fetched(connection: adbc.Connection, text: str) -> tuple[pa.Schema, pa.Table]:
    """The schema that was told before it ran, and the result."""
    with connection.cursor() as cursor:
        before = cursor.adbc_execute_schema(text)
        cursor.execute(text)
        return before, cursor.fetch_arrow_table()


def nullable(sql: str) -> str:
    return f"CASE WHEN i = 1 THEN {sql} END"


def both_ways(engine: str) -> list[tuple[str, pa.DataType, Any]]:
    return BOTH if engine == "local" else BOTH + ONLY_SPARK


def test_values_nulls_and_schema(connection: adbc.Connection, engine: str) -> None:
    cases = both_ways(engine)
    columns = ", ".join(f"{nullable(sql)} AS c{at}" for at, (sql, *_) in enumerate(cases))
    text = f"SELECT {columns} FROM VALUES (1), (2) AS t(i) ORDER BY i"
    before, table = fetched(connection, text)
    assert before.equals(table.schema)
    assert table.schema.types == [kind for _, kind, _ in cases]
    assert all(field.nullable for field in table.schema)
    with_values, without = table.to_pylist()
    assert list(with_values.values()) == [value for _, _, value in cases]
    assert set(without.values()) == {None}


def test_the_time_zone_of_the_session(address: str) -> None:
    with adbc.connect(address, autocommit=True) as opened:
        with opened.cursor() as cursor:
            cursor.execute("SET SESSION sqe.time_zone = 'Asia/Tokyo'")
        before, table = fetched(opened, "SELECT TIMESTAMP '2026-02-28 01:02:03' AS t")
    assert before.equals(table.schema)
    assert table.schema.field("t").type == pa.timestamp("us", tz="Asia/Tokyo")
    (value,) = table["t"].to_pylist()
    assert value.astimezone(UTC) == datetime.datetime(2026, 2, 27, 16, 2, 3, tzinfo=UTC)


def test_no_rows_of_every_type(connection: adbc.Connection, engine: str) -> None:
    cases = both_ways(engine)
    columns = ", ".join(f"{nullable(sql)} AS c{at}" for at, (sql, *_) in enumerate(cases))
    before, table = fetched(connection, f"SELECT {columns} FROM VALUES (1) AS t(i) WHERE i > 1")
    assert before.equals(table.schema)
    assert table.num_rows == 0


def test_year_month_intervals_pass_unopened(address: str) -> None:
    """pyarrow has no arrays of them, so the schema and the row count are what can be looked at."""
    text = "SELECT INTERVAL '1-2' YEAR TO MONTH AS i, array(INTERVAL '3' MONTH) AS l"
    with adbc.connect(address, autocommit=True) as opened, opened.cursor() as cursor:
        before = cursor.adbc_execute_schema(text)
        cursor.execute(text)
        reader = cursor.fetch_record_batch()
        assert reader.schema.equals(before)
        assert reader.schema.field("i").type.id == pa.lib.Type_INTERVAL_MONTHS
        assert sum(batch.num_rows for batch in reader) == 1


def test_each_field_says_its_type_in_sparks_words(address: str) -> None:
    text = "SELECT CAST(1 AS DECIMAL(10,2)) AS n, array(1) AS l, 'x' AS s"
    with adbc.connect(address, autocommit=True) as opened, opened.cursor() as cursor:
        cursor.execute(text)
        schema = cursor.fetch_arrow_table().schema
    told = [field.metadata for field in schema]
    name = b"ARROW:FLIGHT:SQL:TYPE_NAME"
    assert [metadata[name] for metadata in told] == [b"decimal(10,2)", b"array<int>", b"string"]
    assert told[0][b"ARROW:FLIGHT:SQL:SCALE"] == b"2"


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Vienna"])
def test_timestamps_as_parameters_in_every_unit(
    connection: adbc.Connection, unit: str, zone: str | None
) -> None:
    moment = datetime.datetime(2026, 2, 28, 1, 2, 3)
    given = pa.array([moment], pa.timestamp(unit)).cast(pa.timestamp(unit, tz=zone))
    kind = "TIMESTAMP" if zone else "TIMESTAMP_NTZ"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT CAST(? AS {kind}) AS t", pa.record_batch([given], names=["p"]))
        (value,) = cursor.fetch_arrow_table()["t"].to_pylist()
    assert value.replace(tzinfo=None) == moment
