"""GetSqlInfo: what SQE is and can, under every id that Flight SQL has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

import pyarrow as pa

from sqe import __version__
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.protocols.flight_sql.sql_words import (
    DATETIME_FUNCTIONS,
    KEYWORDS,
    NUMERIC_FUNCTIONS,
    STRING_FUNCTIONS,
    SYSTEM_FUNCTIONS,
)

Value = str | bool | int | tuple[str, ...] | Mapping[int, tuple[int, ...]]


class Bits(int):
    """A number in the union's 32-bit member; plain numbers go into the 64-bit one."""


_CHILDREN = (
    pa.field("string_value", pa.string(), nullable=False),
    pa.field("bool_value", pa.bool_(), nullable=False),
    pa.field("bigint_value", pa.int64(), nullable=False),
    pa.field("int32_bitmask", pa.int32(), nullable=False),
    pa.field("string_list", pa.list_(pa.string()), nullable=False),
    pa.field("int32_to_int32_list_map", pa.map_(pa.int32(), pa.list_(pa.int32())), nullable=False),
)
SCHEMA = pa.schema(
    [
        pa.field("info_name", pa.uint32(), nullable=False),
        pa.field("value", pa.dense_union(list(_CHILDREN)), nullable=False),
    ]
)


def answer(ids: Iterable[int], values: Mapping[int, Value]) -> pa.RecordBatch:
    """One row for each id that is known, in the order asked for; without ids, all of them."""
    chosen = [number for number in ids if number in values] if ids else sorted(values)
    codes: list[int] = []
    offsets: list[int] = []
    members: list[list[object]] = [[] for _ in _CHILDREN]
    for number in chosen:
        code, value = _member(values[number])
        codes.append(code)
        offsets.append(len(members[code]))
        members[code].append(value)
    union = pa.UnionArray.from_dense(
        pa.array(codes, pa.int8()),
        pa.array(offsets, pa.int32()),
        [pa.array(rows, kind.type) for rows, kind in zip(members, _CHILDREN, strict=True)],
        [kind.name for kind in _CHILDREN],
    )
    names = pa.array(chosen, pa.uint32())
    # Made by hand, the union's members are nullable; the schema says they are not.
    made = pa.RecordBatch.from_arrays([names, union], names=["info_name", "value"])
    return pa.ipc.read_record_batch(made.serialize(), SCHEMA)


def _member(value: Value) -> tuple[int, object]:
    match value:
        case str():
            return 0, value
        case bool():
            return 1, value
        case Bits():
            return 3, int(value)
        case int():
            return 2, value
        case tuple():
            return 4, list(value)
        case _:
            return 5, [(key, list(member)) for key, member in value.items()]


def _bits(*numbers: int) -> Bits:
    return Bits(sum(1 << number for number in numbers))


_NUMBERS = (
    sql.SQL_CONVERT_BIGINT,
    sql.SQL_CONVERT_DECIMAL,
    sql.SQL_CONVERT_FLOAT,
    sql.SQL_CONVERT_INTEGER,
    sql.SQL_CONVERT_NUMERIC,
    sql.SQL_CONVERT_REAL,
    sql.SQL_CONVERT_SMALLINT,
    sql.SQL_CONVERT_TINYINT,
)
_TEXTS = (sql.SQL_CONVERT_CHAR, sql.SQL_CONVERT_LONGVARCHAR, sql.SQL_CONVERT_VARCHAR)
_BYTES = (sql.SQL_CONVERT_BINARY, sql.SQL_CONVERT_LONGVARBINARY, sql.SQL_CONVERT_VARBINARY)
_INTERVALS = (sql.SQL_CONVERT_INTERVAL_DAY_TIME, sql.SQL_CONVERT_INTERVAL_YEAR_MONTH)
_DATE, _TIMESTAMP, _BIT = (
    sql.SQL_CONVERT_DATE,
    sql.SQL_CONVERT_TIMESTAMP,
    sql.SQL_CONVERT_BIT,
)


@cache
def _conversions() -> dict[int, tuple[int, ...]]:
    """CAST, as ANSI Spark has it."""
    everything = (*_NUMBERS, *_TEXTS, *_BYTES, *_INTERVALS, _DATE, _TIMESTAMP, _BIT)
    casts: dict[int, tuple[int, ...]] = {}
    casts.update(dict.fromkeys(_NUMBERS, (*_NUMBERS, *_TEXTS, _TIMESTAMP, _BIT)))
    casts.update(dict.fromkeys(_TEXTS, everything))
    casts.update(dict.fromkeys(_BYTES, (*_TEXTS, *_BYTES)))
    casts.update({kind: (*_TEXTS, kind) for kind in _INTERVALS})
    casts[_DATE] = (*_TEXTS, _DATE, _TIMESTAMP)
    casts[_TIMESTAMP] = (*_NUMBERS, *_TEXTS, _DATE, _TIMESTAMP)
    casts[_BIT] = (*_NUMBERS, *_TEXTS, _BIT)
    return {kind: tuple(sorted(targets)) for kind, targets in sorted(casts.items())}


def values(statement_bytes: int = 0, statement_ms: int = 0) -> dict[int, Value]:
    """Every id. A limit of 0 means none, or none that is known."""
    return {
        **_server(statement_ms),
        **_names(),
        **_grammar(),
        **_limits(statement_bytes),
        **_transactions(),
        **_results(),
    }


def _server(statement_ms: int) -> dict[int, Value]:
    return {
        sql.FLIGHT_SQL_SERVER_NAME: "SQE",
        sql.FLIGHT_SQL_SERVER_VERSION: __version__,
        sql.FLIGHT_SQL_SERVER_ARROW_VERSION: pa.__version__,
        sql.FLIGHT_SQL_SERVER_READ_ONLY: False,
        sql.FLIGHT_SQL_SERVER_SQL: True,
        sql.FLIGHT_SQL_SERVER_SUBSTRAIT: False,
        sql.FLIGHT_SQL_SERVER_SUBSTRAIT_MIN_VERSION: "",
        sql.FLIGHT_SQL_SERVER_SUBSTRAIT_MAX_VERSION: "",
        sql.FLIGHT_SQL_SERVER_TRANSACTION: Bits(sql.SQL_SUPPORTED_TRANSACTION_TRANSACTION),
        sql.FLIGHT_SQL_SERVER_CANCEL: True,
        sql.FLIGHT_SQL_SERVER_BULK_INGESTION: True,
        sql.FLIGHT_SQL_SERVER_INGEST_TRANSACTIONS_SUPPORTED: True,
        sql.FLIGHT_SQL_SERVER_STATEMENT_TIMEOUT: Bits(statement_ms),
        sql.FLIGHT_SQL_SERVER_TRANSACTION_TIMEOUT: Bits(0),
    }


def _names() -> dict[int, Value]:
    return {
        sql.SQL_DDL_CATALOG: False,
        sql.SQL_DDL_SCHEMA: True,
        sql.SQL_DDL_TABLE: True,
        sql.SQL_IDENTIFIER_CASE: int(sql.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE),
        sql.SQL_IDENTIFIER_QUOTE_CHAR: "`",
        sql.SQL_QUOTED_IDENTIFIER_CASE: int(sql.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE),
        sql.SQL_ALL_TABLES_ARE_SELECTABLE: False,  # a policy may deny one that is listed
        sql.SQL_NULL_ORDERING: int(sql.SQL_NULLS_SORTED_LOW),
        sql.SQL_KEYWORDS: KEYWORDS,
        sql.SQL_NUMERIC_FUNCTIONS: NUMERIC_FUNCTIONS,
        sql.SQL_STRING_FUNCTIONS: STRING_FUNCTIONS,
        sql.SQL_SYSTEM_FUNCTIONS: SYSTEM_FUNCTIONS,
        sql.SQL_DATETIME_FUNCTIONS: DATETIME_FUNCTIONS,
        sql.SQL_SEARCH_STRING_ESCAPE: "\\",
        sql.SQL_EXTRA_NAME_CHARACTERS: "",
        sql.SQL_SCHEMA_TERM: "schema",
        sql.SQL_PROCEDURE_TERM: "procedure",
        sql.SQL_CATALOG_TERM: "catalog",
        sql.SQL_CATALOG_AT_START: True,
        sql.SQL_SCHEMAS_SUPPORTED_ACTIONS: _bits(sql.SQL_ELEMENT_IN_PROCEDURE_CALLS),
        sql.SQL_CATALOGS_SUPPORTED_ACTIONS: _bits(sql.SQL_ELEMENT_IN_PROCEDURE_CALLS),
    }


def _grammar() -> dict[int, Value]:
    return {
        sql.SQL_SUPPORTS_COLUMN_ALIASING: True,
        sql.SQL_NULL_PLUS_NULL_IS_NULL: True,
        sql.SQL_SUPPORTS_CONVERT: _conversions(),
        sql.SQL_SUPPORTS_TABLE_CORRELATION_NAMES: True,
        sql.SQL_SUPPORTS_DIFFERENT_TABLE_CORRELATION_NAMES: False,
        sql.SQL_SUPPORTS_EXPRESSIONS_IN_ORDER_BY: True,
        sql.SQL_SUPPORTS_ORDER_BY_UNRELATED: True,
        sql.SQL_SUPPORTED_GROUP_BY: _bits(
            sql.SQL_GROUP_BY_UNRELATED, sql.SQL_GROUP_BY_BEYOND_SELECT
        ),
        sql.SQL_SUPPORTS_LIKE_ESCAPE_CLAUSE: True,
        sql.SQL_SUPPORTS_NON_NULLABLE_COLUMNS: True,
        sql.SQL_SUPPORTED_GRAMMAR: _bits(sql.SQL_MINIMUM_GRAMMAR, sql.SQL_CORE_GRAMMAR),
        sql.SQL_ANSI92_SUPPORTED_LEVEL: _bits(sql.ANSI92_ENTRY_SQL),
        sql.SQL_SUPPORTS_INTEGRITY_ENHANCEMENT_FACILITY: False,
        sql.SQL_OUTER_JOINS_SUPPORT_LEVEL: _bits(
            sql.SQL_LIMITED_OUTER_JOINS, sql.SQL_FULL_OUTER_JOINS
        ),
        sql.SQL_SUPPORTED_POSITIONED_COMMANDS: _bits(),
        sql.SQL_SELECT_FOR_UPDATE_SUPPORTED: False,
        sql.SQL_STORED_PROCEDURES_SUPPORTED: False,  # CALL is, the escape {call …} is not
        sql.SQL_SUPPORTED_SUBQUERIES: _bits(
            sql.SQL_SUBQUERIES_IN_COMPARISONS,
            sql.SQL_SUBQUERIES_IN_EXISTS,
            sql.SQL_SUBQUERIES_IN_INS,
        ),
        sql.SQL_CORRELATED_SUBQUERIES_SUPPORTED: True,
        sql.SQL_SUPPORTED_UNIONS: _bits(sql.SQL_UNION, sql.SQL_UNION_ALL),
        sql.SQL_NAMED_PARAMETERS_SUPPORTED: False,
        sql.SQL_STORED_FUNCTIONS_USING_CALL_SYNTAX_SUPPORTED: False,
    }


def _limits(statement_bytes: int) -> dict[int, Value]:
    unlimited = (
        sql.SQL_MAX_BINARY_LITERAL_LENGTH,
        sql.SQL_MAX_CHAR_LITERAL_LENGTH,
        sql.SQL_MAX_COLUMN_NAME_LENGTH,
        sql.SQL_MAX_COLUMNS_IN_GROUP_BY,
        sql.SQL_MAX_COLUMNS_IN_INDEX,
        sql.SQL_MAX_COLUMNS_IN_ORDER_BY,
        sql.SQL_MAX_COLUMNS_IN_SELECT,
        sql.SQL_MAX_COLUMNS_IN_TABLE,
        sql.SQL_MAX_CONNECTIONS,
        sql.SQL_MAX_CURSOR_NAME_LENGTH,
        sql.SQL_MAX_INDEX_LENGTH,
        sql.SQL_DB_SCHEMA_NAME_LENGTH,
        sql.SQL_MAX_PROCEDURE_NAME_LENGTH,
        sql.SQL_MAX_CATALOG_NAME_LENGTH,
        sql.SQL_MAX_ROW_SIZE,
        sql.SQL_MAX_STATEMENTS,
        sql.SQL_MAX_TABLE_NAME_LENGTH,
        sql.SQL_MAX_TABLES_IN_SELECT,
        sql.SQL_MAX_USERNAME_LENGTH,
    )
    return {
        **dict.fromkeys(unlimited, 0),
        sql.SQL_MAX_STATEMENT_LENGTH: statement_bytes,
        sql.SQL_MAX_ROW_SIZE_INCLUDES_BLOBS: True,
    }


def _transactions() -> dict[int, Value]:
    level = sql.SQL_TRANSACTION_READ_COMMITTED
    return {
        sql.SQL_DEFAULT_TRANSACTION_ISOLATION: int(level),
        sql.SQL_TRANSACTIONS_SUPPORTED: True,
        sql.SQL_SUPPORTED_TRANSACTIONS_ISOLATION_LEVELS: _bits(level),
        sql.SQL_DATA_DEFINITION_CAUSES_TRANSACTION_COMMIT: True,
        sql.SQL_DATA_DEFINITIONS_IN_TRANSACTIONS_IGNORED: False,
        sql.SQL_SAVEPOINTS_SUPPORTED: False,
        sql.SQL_BATCH_UPDATES_SUPPORTED: True,
        sql.SQL_LOCATORS_UPDATE_COPY: False,
    }


def _results() -> dict[int, Value]:
    read_only = _bits(sql.SQL_RESULT_SET_CONCURRENCY_READ_ONLY)
    return {
        sql.SQL_SUPPORTED_RESULT_SET_TYPES: _bits(sql.SQL_RESULT_SET_TYPE_FORWARD_ONLY),
        sql.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_UNSPECIFIED: _bits(),
        sql.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_FORWARD_ONLY: read_only,
        sql.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_SCROLL_SENSITIVE: _bits(),
        sql.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_SCROLL_INSENSITIVE: _bits(),
    }
