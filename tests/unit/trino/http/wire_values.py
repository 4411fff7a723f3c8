"""Trino types and values of their carriers, for hypothesis; and results made of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from decimal import Context, Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from sqe.model import trino_types as t
from sqe.model.query import Column
from sqe.model.trino_types import TrinoType, carrier
from sqe.results.arrow_types import arrow_schema
from sqe.trino.http.encode import ZONE, RowEncoder
from tests.unit.trino.http.wire_reference import java

PARAMETRIC = ("PARAMETRIC_DATETIME",)
ZONES = ("UTC", "America/New_York", "Asia/Kathmandu", "Europe/Dublin")
_YEAR = 31_556_952_000_000  # milliseconds

_LEAVES = st.one_of(
    st.sampled_from(
        [
            *(t.BOOLEAN, t.TINYINT, t.SMALLINT, t.INTEGER, t.BIGINT, t.REAL, t.DOUBLE),
            *(t.VARCHAR, t.VARBINARY, t.DATE, t.JSON, t.UUID, t.IPADDRESS),
            *(t.DAY_SECOND, t.YEAR_MONTH, t.UNKNOWN),
        ]
    ),
    st.builds(t.char, st.integers(1, 5)),
    st.integers(0, 12).map(t.timestamp),
    st.integers(0, 12).map(t.time),
    st.integers(0, 12).map(t.timestamp_tz),
    st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: t.decimal(p, s))),
)
KINDS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        inner.map(t.array),
        st.tuples(inner.filter(lambda kind: "unknown" not in str(kind)), inner).map(
            lambda two: t.map_of(*two)
        ),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda kinds: t.row(*[(f"c{i}", one) for i, one in enumerate(kinds)])
        ),
    ),
    max_leaves=4,
)


def values_of(kind: TrinoType) -> st.SearchStrategy[Any]:
    return st.none() | _present(kind)


def _present(kind: TrinoType) -> st.SearchStrategy[Any]:
    match kind.base:
        case "unknown":
            return st.none()
        case "array":
            return st.lists(values_of(kind.element), max_size=4)
        case "row":
            return st.tuples(*[values_of(one.type) for one in kind.fields])
        case "map":
            pairs = st.tuples(_present(kind.types[0]), values_of(kind.types[1]))
            return st.lists(pairs, max_size=3, unique_by=lambda one: java(kind.types[0], one[0]))
        case "decimal":
            limit = 10**kind.precision - 1
            return st.integers(-limit, limit).map(
                lambda number: Decimal(number).scaleb(-kind.scale, _WIDE)
            )
        case "char":
            return st.text(max_size=kind.numbers[0]).map(lambda text: text.rstrip(" "))
        case "timestamp" | "timestamp with time zone" | "time":
            step = 10 ** max(6 - kind.precision, 0)
            return _MICROS[kind.base].map(lambda micros: micros // step * step)
    return _PLAIN[kind.base]


_WIDE = Context(prec=80)
_TEXT = st.text() | st.text('"\\\x00\n\té日😀\u2028\x7f', max_size=8)
_PLAIN: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    "tinyint": st.integers(-(2**7), 2**7 - 1),
    "smallint": st.integers(-(2**15), 2**15 - 1),
    "integer": st.integers(-(2**31), 2**31 - 1),
    "bigint": st.integers(-(2**63), 2**63 - 1),
    "real": st.floats(width=32) | st.integers(-(2**24), 2**24).map(float),
    "double": st.floats() | st.integers(-(2**53), 2**53).map(float),
    "varchar": _TEXT,
    "json": _TEXT,
    "uuid": st.uuids().map(str),
    "ipaddress": st.ip_addresses().map(str),
    "varbinary": st.binary(max_size=20),
    "date": st.integers(-(2**31), 2**31 - 1) | st.integers(-800_000, 3_000_000),
    "interval day to second": st.integers(-(2**63), 2**63 - 1) | st.integers(-_YEAR, _YEAR),
    "interval year to month": st.integers(-(2**31), 2**31 - 1),
}
_MICROS: dict[str, st.SearchStrategy[int]] = {
    "timestamp": st.integers(-(2**62), 2**62) | st.integers(-(10**15), 4 * 10**15),
    # Python's own clock, which the reference reads, ends with the year 9999.
    "timestamp with time zone": st.integers(-62_135_000_000_000_000, 253_402_000_000_000_000),
    "time": st.integers(0, 86_399_999_999),
}


def result_of(
    kinds: Sequence[TrinoType], rows: Sequence[Sequence[Any]], zone: str = "UTC"
) -> tuple[list[Column], pa.RecordBatch]:
    """Columns, and a batch of the types that the engines give for the carriers."""
    schema = arrow_schema([Column(f"c{i}", carrier(kind)) for i, kind in enumerate(kinds)])
    schema = pa.schema([field.with_metadata({ZONE: zone.encode()}) for field in schema])
    arrays = [pa.array([row[i] for row in rows], field.type) for i, field in enumerate(schema)]
    columns = [Column(f"c{i}", str(kind)) for i, kind in enumerate(kinds)]
    return columns, pa.RecordBatch.from_arrays(arrays, schema=schema)


def encoded(
    columns: Sequence[Column], batch: pa.RecordBatch, capabilities: Collection[str] = PARAMETRIC
) -> Any:
    """The rows as a client reads them."""
    encoder = RowEncoder(columns, batch.schema, capabilities)
    return json.loads(b"[" + b",".join(rows.text for rows in encoder.encode(batch)) + b"]")
