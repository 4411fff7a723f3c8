"""Generated CSV: both readers read the same, and what ``-o csv`` writes is read back the same."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sqe.cli.formats import OutputFormat
from sqe.cli.formats.writer import writer_for
from sqe.cli.preview import preview
from sqe.errors import SqeError
from sqe.files.records import Dialect, records
from tests.unit.cli.fakes import stream_of
from tests.unit.engines.local.csv.loads import Loads

PIECES = ['"', '""', ",", "\n", "\r\n", "\r", "a", "b", " ", "é", "1", "", '"x"', '"x,y"', '""""']
TEXTS = st.text(
    st.one_of(
        st.sampled_from("\",;\r\n\t |\\'a \u2028\x85\x0b\x1cü😀"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=12,
)


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
@example('1,"x\r\ny"\r\n2,\r\n')
@example('"a"b,1\n')
@example("1,2\r\n3,4\n")
@settings(max_examples=40, deadline=None)
def test_what_the_quick_reader_takes_is_read_the_same_record_by_record(
    module_loads: Loads, body: str
) -> None:
    content = f"p,q\n{body}"
    columns = "p string, q string"
    try:
        quick = module_loads.load(content, columns, header="true", sep=",")
    except SqeError:
        return  # no RFC 4180, and the record by record reader has said so
    slow = module_loads.load(content, columns, slow=True, header="true", sep=",")
    assert slow.rows.to_pylist() == quick.rows.to_pylist()


@given(st.lists(st.lists(st.one_of(st.none(), TEXTS), min_size=2, max_size=2), max_size=6))
@settings(max_examples=60, deadline=None)
def test_records_are_what_was_written(rows: list[list[str | None]]) -> None:
    def field(value: str | None) -> str:
        return "" if value is None else '"' + value.replace('"', '""') + '"'

    text = "".join(",".join(map(field, row)) + "\r\n" for row in rows)
    found = list(records(io.StringIO(text, newline=""), Dialect()))
    assert [record.fields for record in found] == rows
    assert "".join(record.text + "\r\n" for record in found) == text


def nullable(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), values)


MICROS = st.integers(-(2**62), 2**62)
COLUMNS: dict[str, tuple[str, pa.DataType, st.SearchStrategy[Any]]] = {
    "flag": ("boolean", pa.bool_(), st.booleans()),
    "i": ("int", pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    "l": ("bigint", pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "f": ("float", pa.float32(), st.floats(width=32, allow_nan=False)),
    "d": ("double", pa.float64(), st.floats(allow_nan=False)),
    "n": ("decimal(38,10)", pa.decimal128(38, 10), st.decimals("-1e27", "1e27", places=10)),
    "day": ("date", pa.date32(), st.integers(-1_000_000, 3_000_000)),
    "local": ("timestamp_ntz", pa.timestamp("us"), MICROS),
    "s": ("string", pa.string(), TEXTS),
    "b": ("binary", pa.binary(), st.binary(max_size=9)),
}
ROWS = st.lists(
    st.tuples(*(nullable(values) for _, _, values in COLUMNS.values())), min_size=1, max_size=8
)


@given(ROWS)
@settings(max_examples=20, deadline=None)
@pytest.mark.parametrize("slow", [False, True])
def test_what_is_written_as_csv_loads_as_the_same(
    module_loads: Loads, slow: bool, rows: list[tuple[Any, ...]]
) -> None:
    cells = list(zip(*rows, strict=True))
    arrays = [
        pa.array(values, kind if not pa.types.is_temporal(kind) else _integers(kind)).view(kind)
        for values, (_, kind, _) in zip(cells, COLUMNS.values(), strict=True)
    ]
    table = pa.table(arrays, names=list(COLUMNS))
    out = io.BytesIO()
    writer = writer_for(OutputFormat.CSV, out)
    stream = stream_of(table, [kind for kind, _, _ in COLUMNS.values()])
    writer.begin(stream)
    for batch in stream:
        writer.write(batch)
    writer.end()
    columns = ", ".join(f"{name} {kind}" for name, (kind, _, _) in COLUMNS.items())
    loaded = module_loads.load(out.getvalue(), columns, slow=slow)
    assert loaded.rows.rename_columns(list(COLUMNS)).equals(table)
    assert loaded.quick is not slow


def _integers(kind: pa.DataType) -> pa.DataType:
    """Python's dates end at the year 9999, those of tables do not."""
    return pa.int32() if pa.types.is_date(kind) else pa.int64()


VALUES = st.sampled_from(
    [
        "", "1", "-7", "007", "2147483648", "1.5", "1e3", "NaN", "true", "x", "9" * 20,
        "2024-02-29", "2023-02-29", "2024-13-01", "2024-1-5", "31.12.2023", "31.11.2023",
        "1.2.2024", "99.99.2024", "2024-02-29 10:11:12", "2023-02-29 10:11:12",
        "2024-02-29T25:00:00",
    ]
)  # fmt: skip


@given(st.lists(VALUES, min_size=1, max_size=5))
@example(["01.02.2024", "99.99.2024"])
@settings(max_examples=60, deadline=None)
def test_a_preview_says_the_types_that_the_load_gives(
    module_loads: Loads, values: list[str]
) -> None:
    content = "k;v\n" + "".join(f"{number};{value}\n" for number, value in enumerate(values))
    path = module_loads.write(content)
    found = preview(str(path), {"header": "true", "sep": ";"})
    shown = dict(zip(found.sample.written.names, found.sample.types, strict=True))
    assert shown == module_loads.types(content, header="true", sep=";")
