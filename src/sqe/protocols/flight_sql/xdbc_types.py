"""GetXdbcTypeInfo: SQE's types as ODBC and JDBC know them."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.protocols.flight_sql.wire import not_null_field, text
from sqe.results.arrow_types import batch_of_rows

SCHEMA = pa.schema(
    [
        not_null_field("type_name"),
        not_null_field("data_type", pa.int32()),
        pa.field("column_size", pa.int32()),
        text("literal_prefix"),
        text("literal_suffix"),
        pa.field("create_params", pa.list_(pa.field("item", pa.string(), nullable=False))),
        not_null_field("nullable", pa.int32()),
        not_null_field("case_sensitive", pa.bool_()),
        not_null_field("searchable", pa.int32()),
        pa.field("unsigned_attribute", pa.bool_()),
        not_null_field("fixed_prec_scale", pa.bool_()),
        pa.field("auto_increment", pa.bool_()),
        text("local_type_name"),
        pa.field("minimum_scale", pa.int32()),
        pa.field("maximum_scale", pa.int32()),
        not_null_field("sql_data_type", pa.int32()),
        pa.field("datetime_subcode", pa.int32()),
        pa.field("num_prec_radix", pa.int32()),
        pa.field("interval_precision", pa.int32()),
    ]
)


@dataclass(frozen=True, slots=True)
class _Type:
    name: str
    number: int
    size: int | None = None
    prefix: str | None = None
    parameters: tuple[str, ...] = ()
    scale: int | None = None
    numeric: bool = False
    subcode: int | None = None
    searchable: int = sql.SEARCHABLE_BASIC
    interval: bool = False


def _number(name: str, number: int, size: int, **more: int) -> _Type:
    return _Type(name, number, size, scale=more.get("scale", 0), numeric=True)


# By number, as the standard orders them.
_TYPES = sorted(
    (
        _number("tinyint", sql.XDBC_TINYINT, 3),
        _number("bigint", sql.XDBC_BIGINT, 19),
        _number("int", sql.XDBC_INTEGER, 10),
        _number("smallint", sql.XDBC_SMALLINT, 5),
        _Type("float", sql.XDBC_REAL, 7, numeric=True),
        _Type("double", sql.XDBC_DOUBLE, 15, numeric=True),
        _Type(
            "decimal",
            sql.XDBC_DECIMAL,
            38,
            parameters=("precision", "scale"),
            scale=38,
            numeric=True,
        ),
        _Type("boolean", sql.XDBC_BIT, 1),
        _Type("string", sql.XDBC_VARCHAR, 2**31 - 1, "'", searchable=sql.SEARCHABLE_FULL),
        _Type("binary", sql.XDBC_VARBINARY, 2**31 - 1, "X'"),
        _Type("date", sql.XDBC_DATE, 10, "DATE '", subcode=sql.XDBC_SUBCODE_DATE),
        _Type(
            "timestamp",
            sql.XDBC_TIMESTAMP,
            26,
            "TIMESTAMP '",
            scale=6,
            subcode=sql.XDBC_SUBCODE_TIMESTAMP_WITH_TIMEZONE,
        ),
        _Type(
            "timestamp_ntz",
            sql.XDBC_TIMESTAMP,
            26,
            "TIMESTAMP_NTZ '",
            scale=6,
            subcode=sql.XDBC_SUBCODE_TIMESTAMP,
        ),
        _Type(
            "interval day to second",
            sql.XDBC_INTERVAL,
            29,
            "INTERVAL '",
            scale=6,
            subcode=sql.XDBC_SUBCODE_INTERVAL_DAY_TO_SECOND,
            interval=True,
        ),
        _Type(
            "interval year to month",
            sql.XDBC_INTERVAL,
            15,
            "INTERVAL '",
            subcode=sql.XDBC_SUBCODE_INTERVAL_YEAR_TO_MONTH,
            interval=True,
        ),
    ),
    key=lambda kind: (kind.number, kind.name),
)
_DATETIME = (sql.XDBC_DATE, sql.XDBC_TIMESTAMP)
_SUFFIX = {"interval day to second": "' DAY TO SECOND", "interval year to month": "' YEAR TO MONTH"}


def answer(number: int | None) -> pa.RecordBatch:
    """All types, or those of one number."""
    chosen = [kind for kind in _TYPES if number is None or kind.number == number]
    return batch_of_rows(SCHEMA, map(_row, chosen))


def _row(kind: _Type) -> tuple[object, ...]:
    plain = sql.XDBC_DATETIME if kind.number in _DATETIME else kind.number
    return (
        kind.name,
        kind.number,
        kind.size,
        kind.prefix,
        _SUFFIX.get(kind.name, "'" if kind.prefix else None),
        list(kind.parameters) or None,
        sql.NULLABILITY_NULLABLE,
        kind.name == "string",
        kind.searchable,
        False if kind.numeric else None,
        kind.scale == 0 and kind.numeric,
        False if kind.numeric else None,
        kind.name,
        None if kind.scale is None else (0 if kind.numeric else kind.scale),
        kind.scale,
        plain,
        kind.subcode,
        10 if kind.numeric else None,
        2 if kind.interval else None,
    )
