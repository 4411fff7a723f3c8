"""Year-month intervals. pyarrow cannot make their type, so it comes through Arrow's C ABI."""

from __future__ import annotations

import ctypes
import io
import json

import pyarrow as pa
import pytest

from sqe.cli.formats import OutputFormat
from sqe.cli.formats.writer import writer_for
from sqe.errors import ErrorCode, UserError
from sqe.model.query import Column
from sqe.results.stream import ResultStream


class ArrowSchema(ctypes.Structure):
    pass


Release = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))
ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", Release),
    ("private_data", ctypes.c_void_p),
]


def _released(schema: ctypes._Pointer[ArrowSchema]) -> None:
    schema.contents.release = Release()


_RELEASE = Release(_released)


def month_interval() -> pa.DataType:
    schema = ArrowSchema(format=b"tiM", name=b"", flags=2, release=_RELEASE)
    return pa.DataType._import_from_c(ctypes.addressof(schema))


def intervals(*months: int | None) -> ResultStream:
    plain = pa.record_batch({"x": pa.array(months, pa.int32())})
    schema = pa.schema([("x", month_interval())])
    batch = pa.ipc.read_record_batch(plain.serialize(), schema)
    return ResultStream([Column("x", "interval year to month")], schema, [batch])


def written(result: ResultStream, output: OutputFormat) -> str:
    out = io.BytesIO()
    writer = writer_for(output, out)
    writer.begin(result)
    for batch in result:
        writer.write(batch)
    writer.end()
    return out.getvalue().decode()


@pytest.mark.parametrize("output", [OutputFormat.TABLE, OutputFormat.CSV, OutputFormat.VERTICAL])
def test_year_month_intervals_are_shown_as_spark_shows_them(output: OutputFormat) -> None:
    text = written(intervals(14, -3), output)
    assert "INTERVAL '1-2' YEAR TO MONTH" in text
    assert "INTERVAL '-0-3' YEAR TO MONTH" in text


def test_year_month_intervals_are_text_in_json() -> None:
    text = written(intervals(12, None), OutputFormat.JSON)
    assert json.loads(text) == [{"x": "INTERVAL '1-0' YEAR TO MONTH"}, {"x": None}]


def test_parquet_says_that_it_has_no_such_type() -> None:
    with pytest.raises(UserError) as caught:
        written(intervals(1), OutputFormat.PARQUET)
    assert caught.value.code is ErrorCode.NOT_SUPPORTED
