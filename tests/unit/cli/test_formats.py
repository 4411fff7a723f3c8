from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqe.cli.formats import OutputFormat
from sqe.cli.formats.writer import writer_for
from sqe.cli.screen import escape_controls, width
from sqe.results.texts.names import unique_names
from tests.unit.cli.fakes import stream_of


def written(
    table: pa.Table,
    output: str,
    *,
    types: Iterable[str] | None = None,
    screen_width: int | None = None,
) -> bytes:
    out = io.BytesIO()
    writer = writer_for(OutputFormat(output), out, screen_width=screen_width)
    result = stream_of(table, types)
    writer.begin(result)
    for batch in result:
        writer.write(batch)
    writer.end()
    return out.getvalue()


def lines(table: pa.Table, output: str = "table", **how: object) -> list[str]:
    return written(table, output, **how).decode().splitlines()  # type: ignore[arg-type]


PEOPLE = pa.table({"id": [1, 22], "name": ["Ann", None]})


def test_a_table_aligns_numbers_right_and_shows_null() -> None:
    assert lines(PEOPLE) == [" id | name", "----+------", "  1 | Ann", " 22 | NULL"]


def test_a_table_without_rows_is_its_head() -> None:
    assert lines(PEOPLE.slice(0, 0)) == [" id | name", "----+------"]


def test_wide_characters_keep_the_table_aligned() -> None:
    table = pa.table({"city": ["東京", "Rome"], "n": [1, 2]})
    assert lines(table) == [" city | n", "------+---", " 東京 | 1", " Rome | 2"]


def test_control_characters_never_reach_the_screen() -> None:
    table = pa.table({"x": ["a\nb\x1b[31m\u202e"], "n": [1]})
    assert lines(table)[2] == r" a\nb\x1b[31m\u202e | 1"


def test_a_plan_keeps_its_lines_and_is_not_cut() -> None:
    table = pa.table({"plan": ["Scan\n  " + "x" * 200 + "\x1b"]})
    assert lines(table, screen_width=40)[2:] == [" Scan", "   " + "x" * 200 + r"\x1b"]


def test_rows_too_wide_for_a_terminal_are_shown_vertically_and_never_elsewhere() -> None:
    table = pa.table({"id": [1], "text": ["x" * 200]})
    assert lines(table, screen_width=40) == ["-[ row 1 ]-", "id   | 1", "text | " + "x" * 200]
    assert lines(table)[2] == "  1 | " + "x" * 200


@pytest.mark.parametrize(("size", "first"), [(12, " id | text"), (13, "-[ row 1 ]-")])
def test_a_table_may_fill_the_terminal_but_not_one_column_more(size: int, first: str) -> None:
    table = pa.table({"id": [1], "text": ["x" * size]})
    shown = lines(table, screen_width=19)
    assert shown[0] == first
    assert first != " id | text" or max(map(len, shown)) == 19


def test_columns_widen_for_later_rows_and_stay_aligned() -> None:
    table = pa.table({"id": range(12_000), "next": range(1, 12_001)})
    for screen_width in (None, 80):
        shown = lines(table, screen_width=screen_width)
        assert shown[2] == "   0 |    1"
        assert (shown[2 + 2500], shown[-1]) == (" 2500 | 2501", " 11999 | 12000")
        assert len({line.index("|") for line in shown[-1000:]}) == 1


def test_small_first_batches_do_not_decide_the_widths() -> None:
    table = pa.concat_tables(pa.table({"id": [10**n], "t": ["x"]}) for n in range(6))
    assert {line.index("x") for line in lines(table, screen_width=80)[2:]} == {10}


def test_lines_of_a_cell_are_below_each_other_on_a_terminal() -> None:
    table = pa.table({"id": [1, 2], "text": ["one\ntwo", "x"], "n": [3, 4]})
    assert lines(table, screen_width=80)[2:] == [
        "  1 | one +| 3",
        "    | two  |",
        "  2 | x    | 4",
    ]
    assert lines(table)[2] == r"  1 | one\ntwo | 3"
    assert lines(table, screen_width=10)[2:4] == ["text | one", "     | two"]


CELLS = st.text(st.characters(codec="utf-8"), max_size=15)


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.none() | CELLS, st.integers(0, 2**63 - 1), CELLS), max_size=8),
    st.none() | st.integers(10, 200),
    st.sampled_from(["table", "vertical"]),
)
def test_every_value_is_shown_whole(
    rows: list[tuple[str | None, int, str]], screen_width: int | None, output: str
) -> None:
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    kinds = (pa.string(), pa.int64(), pa.string())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    table = pa.Table.from_arrays(arrays, ["first", "second", "third"])
    text = written(table, output, screen_width=screen_width).decode()
    assert all(name in text for name in (table.column_names if rows else ()))
    for row in rows:
        for cell in row:
            spelled = escape_controls("NULL" if cell is None else str(cell), keep="\n")
            keep = (
                spelled.split("\n") if screen_width is not None else [spelled.replace("\n", r"\n")]
            )
            assert all(line.rstrip(" ") in text for line in keep)


@settings(max_examples=50)
@given(st.lists(CELLS, min_size=1, max_size=8))
def test_what_follows_a_text_begins_in_one_place(cells: list[str]) -> None:
    table = pa.table({"text": cells, "number": [7] * len(cells)})
    shown = written(table, "table").decode().split("\n")[:-1]
    assert len({width(line) for line in [shown[0], *shown[2:]]}) == 1


def test_vertical_shows_a_column_per_line() -> None:
    assert lines(PEOPLE, "vertical")[:3] == ["-[ row 1 ]-", "id   | 1", "name | Ann"]


def test_values_look_as_spark_shows_them() -> None:
    moment = pa.array([1714564800123400], pa.int64())
    table = pa.table(
        {
            "ts": moment.cast(pa.timestamp("us", "UTC")),
            "berlin": moment.cast(pa.timestamp("us", "Europe/Berlin")),
            "ntz": moment.cast(pa.timestamp("us")),
            "date": pa.array([19844], pa.int32()).cast(pa.date32()),
            "early": pa.array([-800000], pa.int32()).cast(pa.date32()),
            "double": [1e16],
            "float": pa.array([0.1], pa.float32()),
            "nan": [float("nan")],
            "decimal": [Decimal("0.0000000010")],
            "binary": [b"Sp"],
            "list": [[1, None]],
            "struct": [{"a": 1, "b": "x"}],
            "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())),
            "interval": pa.array([93784500000], pa.duration("us")),
        }
    )
    types = [""] * 13 + ["interval day to second"]
    shown = [line.split(" | ", 1) for line in lines(table, "vertical", types=types)[1:]]
    assert {name.strip(): value for name, value in shown} == {
        "ts": "2024-05-01 12:00:00.1234",
        "berlin": "2024-05-01 14:00:00.1234",
        "ntz": "2024-05-01 12:00:00.1234",
        "date": "2024-05-01",
        "early": "-0221-09-04",
        "double": "1.0E16",
        "float": "0.1",
        "nan": "NaN",
        "decimal": "0.0000000010",
        "binary": "[53 70]",
        "list": "[1, NULL]",
        "struct": "{1, x}",
        "map": "{k -> 1}",
        "interval": "INTERVAL '1 02:03:04.5' DAY TO SECOND",
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (123456.789, "123456.789"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (0.001, "0.001"),
        (0.00012, "1.2E-4"),
        (-1.5e300, "-1.5E300"),
        (5e-324, "4.9E-324"),
    ],
)
def test_doubles_are_spelled_as_java_spells_them(value: float, expected: str) -> None:
    shown = lines(pa.table({"x": [value]}))[2].strip()
    # Java's shortest form of the least double has two digits.
    assert shown == expected or (value == 5e-324 and shown == "5.0E-324")


def test_nested_values_of_a_slice_belong_to_their_rows() -> None:
    rows = [[i, i + 1] for i in range(25_000)]
    got = [json.loads(line)["x"] for line in lines(pa.table({"x": rows}), "jsonl")]
    assert got == rows


def test_json_is_one_array_and_keeps_equal_names_apart() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], ["a", "a", "a_2"])
    assert json.loads(written(table, "json")) == [{"a": 1, "a_3": 2, "a_2": 3}]
    assert json.loads(written(table.slice(0, 0), "json")) == []


def test_json_keeps_exact_numbers_and_says_instants_in_utc() -> None:
    instant = pa.array([1714564800000000]).cast(pa.timestamp("us", "Europe/Berlin"))
    table = pa.table(
        {
            "d": [Decimal("12345678901234567890.10")],
            "n": [float("nan")],
            "i": [float("-inf")],
            "t": instant,
            "b": [b"\xff"],
            "m": pa.array([[(1, "x")]], pa.map_(pa.int32(), pa.string())),
            "s": pa.array([[("k", None)]], pa.map_(pa.string(), pa.string())),
        }
    )
    text = written(table, "jsonl").decode()
    assert '"d": 12345678901234567890.10' in text
    assert json.loads(text, parse_float=Decimal) == {
        "d": Decimal("12345678901234567890.10"),
        "n": "NaN",
        "i": "-Infinity",
        "t": "2024-05-01T12:00:00Z",
        "b": "/w==",
        "m": [{"key": 1, "value": "x"}],
        "s": {"k": None},
    }


@given(st.lists(st.text(max_size=3), max_size=8))
def test_unique_names_are_unique_and_keep_the_first_of_each(names: list[str]) -> None:
    unique = unique_names(names)
    assert len(set(unique)) == len(names)
    assert all(unique[names.index(name)] == name for name in names)


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)
ROWS = st.lists(
    st.tuples(
        st.none() | WORDS,
        st.none() | st.integers(-(2**63), 2**63 - 1),
        st.none() | st.floats(allow_nan=False, allow_infinity=False),
        st.none() | st.decimals(-(10**9), 10**9, places=3),
    ),
    max_size=20,
)
SCHEMA = pa.schema(
    [("s", pa.string()), ("i", pa.int64()), ("f", pa.float64()), ("d", pa.decimal128(18, 3))]
)


def table_of(rows: list[tuple[object, ...]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(SCHEMA)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


@settings(max_examples=50)
@given(ROWS)
def test_csv_comes_back_as_it_was_but_for_null(rows: list[tuple[object, ...]]) -> None:
    text = written(table_of(rows), "csv").decode()
    head, *body = csv.reader(io.StringIO(text, newline=""))
    assert head == SCHEMA.names
    for (s, i, f, d), fields in zip(rows, body, strict=True):
        assert fields[0] == ("" if s is None else s)
        assert fields[1] == ("" if i is None else str(i))
        assert (float(fields[2]) if fields[2] else None) == f
        assert (Decimal(fields[3]) if fields[3] else None) == d


def test_csv_tells_null_from_an_empty_string() -> None:
    table = pa.table({"a": [None, "", "x"], "b": [1, 2, 3]})
    assert written(table, "csv") == b'a,b\r\n,1\r\n"",2\r\nx,3\r\n'


@settings(max_examples=50)
@given(ROWS)
def test_jsonl_comes_back_as_it_was(rows: list[tuple[object, ...]]) -> None:
    text = written(table_of(rows), "jsonl").decode()
    got = [json.loads(line, parse_float=Decimal) for line in text.split("\n")[:-1]]
    for row, found in zip(rows, got, strict=True):
        assert (found["s"], found["i"], found["d"]) == (row[0], row[1], row[3])
        assert (None if found["f"] is None else float(found["f"])) == row[2]


@settings(max_examples=20)
@given(ROWS)
def test_parquet_and_arrow_come_back_as_they_were(rows: list[tuple[object, ...]]) -> None:
    table = table_of(rows)
    assert pq.read_table(io.BytesIO(written(table, "parquet"))).equals(table)
    with pa.ipc.open_stream(written(table, "arrow")) as reader:
        assert reader.read_all().equals(table)


def test_parquet_keeps_equal_names_apart() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
    assert pq.read_table(io.BytesIO(written(table, "parquet"))).column_names == ["a", "a_2"]
