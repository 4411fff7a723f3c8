from __future__ import annotations

import pyarrow as pa

from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.protocols.flight_sql import sql_info, sql_words, xdbc_types
from sqe.sql.functions import ALLOWED, SESSION_FUNCTIONS


def test_every_id_has_a_value() -> None:
    assert set(sql_info.values()) == set(sql.SqlInfo.values())


def test_the_union_is_exactly_flight_sqls() -> None:
    """JDBC reads members by their number: a wrong one and it reads nothing."""
    schema = sql_info.SCHEMA
    assert schema.field("info_name") == pa.field("info_name", pa.uint32(), nullable=False)
    union = schema.field("value").type
    assert (union.mode, union.type_codes) == ("dense", [0, 1, 2, 3, 4, 5])
    assert [(union.field(i).name, union.field(i).type) for i in range(union.num_fields)] == [
        ("string_value", pa.string()),
        ("bool_value", pa.bool_()),
        ("bigint_value", pa.int64()),
        ("int32_bitmask", pa.int32()),
        ("string_list", pa.list_(pa.string())),
        ("int32_to_int32_list_map", pa.map_(pa.int32(), pa.list_(pa.int32()))),
    ]


def test_all_of_it_and_parts_of_it() -> None:
    values = sql_info.values(1000, 60_000)
    everything = sql_info.answer([], values)
    everything.validate(full=True)
    assert everything.schema.equals(sql_info.SCHEMA)
    assert everything.num_rows == len(values)
    asked = [sql.SQL_MAX_STATEMENT_LENGTH, 99_999, sql.FLIGHT_SQL_SERVER_NAME]
    part = sql_info.answer(asked, values)
    assert part.to_pylist() == [
        {"info_name": sql.SQL_MAX_STATEMENT_LENGTH, "value": 1000},
        {"info_name": sql.FLIGHT_SQL_SERVER_NAME, "value": "SQE"},
    ]


def members(*ids: int) -> set[int]:
    union = sql_info.answer(ids, sql_info.values()).column("value")
    return set(union.type_codes.to_pylist())


def test_numbers_are_in_the_member_drivers_look_in() -> None:
    assert members(sql.FLIGHT_SQL_SERVER_TRANSACTION, sql.SQL_SUPPORTED_UNIONS) == {3}
    assert members(sql.SQL_IDENTIFIER_CASE, sql.SQL_MAX_CONNECTIONS, sql.SQL_NULL_ORDERING) == {2}
    assert members(sql.SQL_DDL_TABLE, sql.SQL_BATCH_UPDATES_SUPPORTED) == {1}
    assert members(sql.SQL_KEYWORDS) == {4}
    assert members(sql.SQL_SUPPORTS_CONVERT) == {5}


def test_the_functions_are_ones_that_may_be_called() -> None:
    listed = (
        *sql_words.NUMERIC_FUNCTIONS,
        *sql_words.STRING_FUNCTIONS,
        *sql_words.SYSTEM_FUNCTIONS,
        *sql_words.DATETIME_FUNCTIONS,
    )
    assert [name for name in listed if name not in ALLOWED | SESSION_FUNCTIONS] == []


def test_types_by_number() -> None:
    everything = xdbc_types.answer(None)
    everything.validate(full=True)
    numbers = everything.column("data_type").to_pylist()
    assert numbers == sorted(numbers)
    timestamps = xdbc_types.answer(sql.XDBC_TIMESTAMP)
    assert timestamps.column("type_name").to_pylist() == ["timestamp", "timestamp_ntz"]
    assert xdbc_types.answer(12345).num_rows == 0
