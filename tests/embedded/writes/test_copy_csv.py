"""CSV through the whole of COPY: what `-o csv` writes comes back, bad lines are kept aside."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sqe.cli.formats import OutputFormat
from sqe.cli.formats.writer import writer_for
from sqe.errors import ErrorCode
from sqe.model.query import RowsAffected
from tests.embedded.pipe.lake import Lake
from tests.embedded.writes.conftest import NewTable

TEXTS = st.text(
    st.one_of(st.sampled_from('",;\r\n\t \\a\u2028ü😀'), st.characters(exclude_categories=["Cs"])),
    max_size=8,
)
MICROS = st.integers(-(2**56), 2**56)
INSIDE = pa.struct([("n", pa.int32()), ("t", pa.string())])
NUMBERS = st.integers(-(2**31), 2**31 - 1)
# The type of each column in SQL and in Arrow, and its values; dates and times as what they count.
COLUMNS: dict[str, tuple[str, pa.DataType, st.SearchStrategy[Any]]] = {
    "flag": ("BOOLEAN", pa.bool_(), st.booleans()),
    "i": ("INT", pa.int32(), NUMBERS),
    "l": ("BIGINT", pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "f": ("FLOAT", pa.float32(), st.floats(width=32, allow_nan=False)),
    "d": ("DOUBLE", pa.float64(), st.floats(allow_nan=False)),
    "n": ("DECIMAL(38,10)", pa.decimal128(38, 10), st.decimals("-1e27", "1e27", places=10)),
    "day": ("DATE", pa.date32(), st.integers(-800_000, 3_000_000)),
    "at": ("TIMESTAMP", pa.timestamp("us", "UTC"), MICROS),
    "local": ("TIMESTAMP_NTZ", pa.timestamp("us"), MICROS),
    "s": ("STRING", pa.string(), TEXTS),
    "b": ("BINARY", pa.binary(), st.binary(max_size=9)),
    "many": ("ARRAY<DOUBLE>", pa.list_(pa.float64()), st.lists(st.floats(-9, 9), max_size=3)),
    "inside": (
        "STRUCT<n: INT, t: STRING>",
        INSIDE,
        st.fixed_dictionaries({"n": st.one_of(st.none(), NUMBERS), "t": TEXTS}),
    ),
    "named": (
        "MAP<STRING, INT>",
        pa.map_(pa.string(), pa.int32()),
        st.dictionaries(TEXTS, NUMBERS, max_size=2).map(lambda found: list(found.items())),
    ),
    "odd": (
        "ARRAY<MAP<INT, STRING>>",
        pa.list_(pa.map_(pa.int32(), pa.string())),
        st.lists(st.dictionaries(NUMBERS, TEXTS, max_size=2).map(lambda d: list(d.items()))),
    ),
}
ROWS = st.lists(
    st.tuples(*(st.one_of(st.none(), values) for _, _, values in COLUMNS.values())),
    min_size=10,
    max_size=30,
)


# SQE raises Python's limit of recursion for its parser.
@pytest.mark.filterwarnings("ignore:The recursion limit will not be reset")
@given(ROWS)
@settings(
    max_examples=2,
    deadline=None,
    phases=[Phase.generate],  # to look for a smaller case takes minutes of Spark
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
def test_every_value_that_is_written_as_csv_loads_as_the_same(
    writes: Lake, new_table: NewTable, loadable: Path, rows: list[tuple[Any, ...]]
) -> None:
    columns = ", ".join(f"{name} {kind}" for name, (kind, _, _) in COLUMNS.items())
    source, target = new_table(f"k INT, {columns}"), new_table(f"k INT, {columns}")
    pq.write_table(_table(rows), loadable / "a.parquet")
    force = "COPY_OPTIONS ('force' = 'true')"
    writes.run(f"COPY INTO {source} FROM '{loadable}/a.parquet' FILEFORMAT = PARQUET {force}")
    (loadable / "a.csv").write_bytes(_as_csv(writes, f"SELECT * FROM {source}"))
    writes.run(f"COPY INTO {target} FROM '{loadable}/a.csv' FILEFORMAT = CSV")
    before = writes.run(f"SELECT * FROM {source} ORDER BY k")
    after = writes.run(f"SELECT * FROM {target} ORDER BY k")
    for name in before.column_names:
        assert after[name].equals(before[name]), name


def _table(rows: list[tuple[Any, ...]]) -> pa.Table:
    arrays = [pa.array(range(len(rows)), pa.int32())]
    for values, (_, kind, _) in zip(zip(*rows, strict=True), COLUMNS.values(), strict=True):
        if pa.types.is_temporal(kind):
            counts = pa.int32() if pa.types.is_date(kind) else pa.int64()
            arrays.append(pa.array(values, counts).view(kind))
        else:
            arrays.append(pa.array(values, kind))
    return pa.table(arrays, names=["k", *COLUMNS])


def _as_csv(lake: Lake, query: str) -> bytes:
    out = io.BytesIO()
    writer = writer_for(OutputFormat.CSV, out)
    with lake.server.gateway.fetch(lake.submit(query)) as result:
        writer.begin(result)
        for batch in result:
            writer.write(batch)
        writer.end()
    return out.getvalue()


def test_lines_that_do_not_fit_are_the_result_and_the_others_are_loaded(
    writes: Lake, new_table: NewTable, loadable: Path
) -> None:
    table = new_table("id INT NOT NULL, day DATE, v STRING")
    path = loadable / "a.csv"
    path.write_text(
        'id;day;v\n1;31.12.2024;"a\nb"\nx;1.1.2025;c\n;1.1.2025;d\n4;5\n5;32.1.2025;e\n'
    )
    copy = f"COPY INTO {table} FROM '{path}' FILEFORMAT = CSV"
    assert writes.fails(copy).code is ErrorCode.INVALID_FILE
    assert writes.value(f"SELECT count(*) FROM {table}") == 0
    text = f"{copy} COPY_OPTIONS ('rejects' = 'true')"
    with writes.server.gateway.fetch(writes.submit(text)) as result:
        rejects = result.read_all()
        assert result.rows_affected == RowsAffected(inserted=1)
    assert [tuple(row.values()) for row in rejects.to_pylist()] == [
        (str(path), 4, 'id: "x" is no int', "x;1.1.2025;c"),
        (str(path), 5, "id may not be NULL", ";1.1.2025;d"),
        (str(path), 6, "it has 2 fields instead of 3", "4;5"),
        (str(path), 7, 'day: "32.1.2025" is no date', "5;32.1.2025;e"),
    ]
    assert writes.rows(f"SELECT id, CAST(day AS STRING), v FROM {table}") == [
        (1, "2024-12-31", "a\nb")
    ]
    assert writes.run(text).num_rows == 0  # the file is known


def test_a_time_without_a_zone_is_one_of_the_session(
    mine: Lake, writes: Lake, new_table: NewTable, loadable: Path
) -> None:
    table = new_table("id INT, at TIMESTAMP")
    mine.run("SET TIME ZONE 'America/New_York'")
    path = loadable / "a.csv"
    path.write_text("id,at\n1,2024-07-01 12:00:00\n2,2024-07-01T12:00:00Z\n")
    mine.run(f"COPY INTO {table} FROM '{path}' FILEFORMAT = CSV")
    assert writes.rows(f"SELECT id, unix_seconds(at) FROM {table} ORDER BY id") == [
        (1, 1719849600),
        (2, 1719835200),
    ]


def test_a_nested_value_of_another_shape_is_told(
    writes: Lake, new_table: NewTable, loadable: Path
) -> None:
    table = new_table("id INT, many ARRAY<INT>")
    path = loadable / "a.csv"
    path.write_text('id,many\n1,"[1, ""x""]"\n')
    error = writes.fails(f"COPY INTO {table} FROM '{path}' FILEFORMAT = CSV")
    assert error.code is ErrorCode.INVALID_FILE
    assert error.message.startswith(f"{path}: a list, map or struct in it is not what")
