"""CSV files as COPY reads them: dialects, values, and lines that do not fit."""

from __future__ import annotations

import gzip
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from sqe.errors import ErrorCode, SqeError
from tests.unit.engines.local.csv.loads import Loads


def rows(loads: Loads, content: bytes | str, columns: str = "", **options: Any) -> list[Any]:
    found = loads.load(content, columns, **options).rows.to_pylist()
    return [tuple(row.values()) for row in found]


def fails(loads: Loads, content: bytes | str, columns: str = "", **options: Any) -> SqeError:
    with pytest.raises(SqeError) as raised:
        loads.load(content, columns, **options)
    return raised.value


def test_a_german_export_needs_no_option_but_its_encoding(loads: Loads) -> None:
    text = "Datum;Betrag;Name\r\n31.12.2024;1.234,56;Jürgen\r\n1.1.2025;-5,0;\r\n"
    expected = [(date(2024, 12, 31), 1234.56, "Jürgen"), (date(2025, 1, 1), -5.0, None)]
    for codec in ("utf-8", "utf-8-sig", "utf-16"):
        assert rows(loads, text.encode(codec)) == expected
    error = fails(loads, text.encode("cp1252"))
    assert error.code is ErrorCode.INVALID_FILE
    assert "line 2: the byte 0xFC is not UTF-8" in error.message
    assert "encoding=windows-1252" in error.hint
    assert rows(loads, text.encode("cp1252"), encoding="windows-1252") == expected
    assert rows(loads, text.encode("latin1"), encoding="latin1") == expected


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
def test_the_separator_is_found(loads: Loads, sep: str) -> None:
    text = f'a{sep}b\n1{sep}"x{sep}y"\n2{sep}z\n'
    assert rows(loads, text) == [(1, f"x{sep}y"), (2, "z")]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("int", {"7": 7, " +7 ": 7, "007": 7}, ["1.5", "x", "3000000000", "1_0", "1e3", '""']),
        ("boolean", {"true": True, "F": False, "1": True}, ["maybe", "2"]),
        ("double", {"1e3": 1000.0, ".5": 0.5, "-Infinity": float("-inf")}, ["1e400", "1,234"]),
        ("decimal(5,2)", {"1.5": Decimal("1.50"), "1.500": Decimal("1.50")}, ["1.239", "1000"]),
        ("date", {"2024-1-5": date(2024, 1, 5)}, ["2024-02-30", "infinity", "01/02/2024"]),
        (
            "timestamp_ntz",
            {"2024-01-05T10:11": datetime(2024, 1, 5, 10, 11), "2024-01-05": datetime(2024, 1, 5)},
            ["2024-01-05 24:00:00", "2024-01-05 10:00:00Z", "2024-01-05 10:00:00.1234567"],
        ),
        ("binary", {"aGk=": b"hi"}, ["aGk", "h!"]),
        ("array<int>", {"[1]": "[1]"}, ["[1", "x"]),
    ],
)
def test_a_text_is_exactly_a_value_or_none(
    loads: Loads, kind: str, good: dict[str, Any], bad: list[str]
) -> None:
    for text, value in good.items():
        assert rows(loads, f"a,b\n{text},1\n", f"a {kind}, b int") == [(value, 1)]
    lines = "".join(f'"{text}",1\n' if '"' not in text else f"{text},1\n" for text in bad)
    found = loads.load(f"a,b\n{lines}", f"a {kind}, b int", rejects=True)
    assert found.rows.num_rows == 0
    assert [reject["line"] for reject in found.rejects] == list(range(2, len(bad) + 2))
    assert all(f"is no {kind}" in reject["reason"] for reject in found.rejects)


def test_a_bad_line_is_told_with_its_number_and_text(loads: Loads) -> None:
    error = fails(loads, 'a,b\n1,"x\r\ny"\nz,2\n', "a int, b string")
    assert error.message.endswith('a.csv, line 4: a: "z" is no int: z,2')


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1", "it has 1 field instead of 2"),
        ("1,2,3", "it has 3 fields instead of 2"),
        ('"1"2,3', "text follows a closing quote"),
        ('1,"2', "a quote is opened and not closed"),
    ],
)
def test_a_line_that_is_no_record_is_kept_aside(loads: Loads, line: str, reason: str) -> None:
    found = loads.load(f"a,b\n1,2\n{line}\n", "a int, b string", rejects=True)
    assert found.rows.to_pylist() == [{"c0": 1, "c1": "2"}]
    (reject,) = found.rejects
    assert (reject["line"], reject["reason"]) == (3, reason)
    assert reject["text"].rstrip() == line


def test_empty_and_null_are_two_things(loads: Loads) -> None:
    assert rows(loads, 'a,b\n1,\n2,""\n', "a int, b string") == [(1, None), (2, "")]
    text = 'a,b\n1,NA\n2,"NA"\n,""\n'
    assert rows(loads, text, "a int, b string", nullvalue="NA") == [
        (1, None),
        (2, "NA"),
        (None, ""),
    ]
    assert rows(loads, 'a,b\n"",""\n', "a int, b string", quotednulls="true") == [(None, None)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\r\n\n", "is empty"),
        (b"id,ID\n1,2\n", "has id, ID more than once"),
        (gzip.compress(b"a,b\n1,2\n"), "seems to be a gzip file"),
        (b"PAR1\x15\x04", "seems to be a Parquet file"),
        (b"PK\x03\x04...", "Excel workbook"),
        (b"<!DOCTYPE html><html>", "seems to be an HTML page"),
        (b'{"a": 1}\n{"a": 2}\n', "seems to be JSON"),
        ("a,b\n1,2\n".encode("utf-16-le"), "every other byte of it is zero"),
    ],
)
def test_a_file_that_is_no_csv(loads: Loads, content: bytes, message: str) -> None:
    error = fails(loads, content)
    assert error.code is ErrorCode.INVALID_FILE
    assert message in error.message
    assert error.hint


def test_a_header_alone_is_a_file_without_rows(loads: Loads) -> None:
    assert rows(loads, "a,b\n", "a int, b string") == []


def test_separators_at_the_end_and_mixed_line_ends_do_no_harm(loads: Loads) -> None:
    assert rows(loads, "a,b,\r\n1,2,\n3,4\r5,6,,\n\n") == [(1, 2), (3, 4), (5, 6)]


def test_packed_files_are_unpacked(loads: Loads) -> None:
    path = loads.write(gzip.compress(b"a;b\n1;2\n"), "a.csv.gz")
    with loads.open(path) as load:
        assert load.types() == ("int", "int")


def test_files_written_in_other_ways_are_one_load(loads: Loads) -> None:
    first = loads.write("a,b\n1,2\n", "1.csv")
    second = loads.write("b;a\n1,5;x\n".encode("utf-16"), "2.csv")
    with loads.open(first, second) as load:
        assert dict(zip(load.names, load.types(), strict=True)) == {"a": "string", "b": "double"}
    third = loads.write("a,c\n1,2\n", "3.csv")
    with (
        pytest.raises(SqeError, match=r"3.csv has other columns \(a, c\)"),
        loads.open(first, third),
    ):
        pass


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2"], "int"),
        (["1", "3000000000"], "bigint"),
        (["1", "1.5"], "double"),
        (["1", "x"], "string"),
        (["1", "2024-01-01"], "string"),
        (["007", "8"], "string"),
        (["true", "false"], "boolean"),
        (["2024-01-01", ""], "date"),
        (["2024-01-01", "2024-01-01 10:00:00"], "timestamp"),
        (["99999999999999999999"], "decimal(38,0)"),
        (["13/02/2024", "01/02/2024"], "date"),
        (["01/02/2024"], "string"),
        (["1,234.50", "12.5"], "double"),
        (["", ""], "string"),
    ],
)
def test_types_are_guessed_from_all_values(loads: Loads, values: list[str], kind: str) -> None:
    def file(*parts: str) -> str:
        return "k;v\n" + "".join(f"a;{value}\n" for value in parts)

    assert loads.types(file(*values))["v"] == kind
    late = [*[values[0]] * 1_200, *values]  # beyond what is looked at first
    assert loads.types(file(*late))["v"] == kind


def test_the_options_win_over_what_is_found(loads: Loads) -> None:
    text = "# made by hand\n'a;b';01/02/2024;1,5\n"
    columns = "s string, d date, n decimal(5,2)"
    options = {"skip": "1", "quote": "'", "dateformat": "MM/dd/yyyy", "decimal": ",", "sep": ";"}
    expected = [("a;b", date(2024, 1, 2), Decimal("1.50"))]
    assert rows(loads, text, columns, header="false", **options) == expected
    assert rows(loads, 'a,b\n1,"x\\"y"\n', "a int, b string", escape="\\") == [(1, 'x"y')]


@pytest.mark.parametrize(
    "options",
    [
        {"sep": ";;"},
        {"header": "perhaps"},
        {"encoding": "klingon"},
        {"dateformat": "EEE"},
        {"dateformat": "MM.yyyy"},
        {"decimal": ";"},
        {"binaryformat": "octal"},
        {"skip": "-1"},
    ],
)
def test_a_bad_option_is_refused(loads: Loads, options: dict[str, str]) -> None:
    assert fails(loads, "a\n1\n", **options).code is ErrorCode.INVALID_ARGUMENT
