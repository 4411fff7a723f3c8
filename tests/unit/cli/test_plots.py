from __future__ import annotations

import datetime
import io
import re

import pyarrow as pa
import pytest

from sqe.cli.formats.output import Output
from sqe.cli.screen import width
from sqe.cli.shell.plots import PlotWriter
from sqe.errors import UserError
from tests.unit.cli.fakes import stream_of


def drawn(table: pa.Table, kind: str = "", columns: int = 60) -> list[str]:
    file = io.BytesIO()
    writer = PlotWriter(Output(file, columns), kind)
    result = stream_of(table)
    writer.begin(result)
    for batch in result:
        writer.write(batch)
    writer.end()
    return file.getvalue().decode().splitlines()


def test_bars_are_as_long_as_their_numbers() -> None:
    bars = drawn(pa.table({"who": ["ann", "東京"], "n": [10, 5]}))[1:]
    assert [bar.count("█") for bar in bars] == [50, 25]
    assert [bar.rsplit(" ", 1)[1] for bar in bars] == ["10", "5"]
    assert {width(bar.split("│")[0]) for bar in bars} == {5}
    assert max(map(width, bars)) <= 60


def test_negative_numbers_go_the_other_way_and_null_has_no_bar() -> None:
    bars = drawn(pa.table({"k": ["a", "b", "c"], "n": [-5.5, 5.5, None]}))[1:]
    assert bars[0].index("█") < bars[1].index("█")
    assert bars[2].split() == ["c", "│", "NULL"]


def test_several_numbers_have_a_bar_each_with_its_name() -> None:
    bars = drawn(pa.table({"k": ["a"], "n": [1], "text": ["x"], "m": [2]}))
    assert [bar.split()[:2] for bar in bars] == [["a", "n"], ["m", "│"]]


@pytest.mark.parametrize(
    "across",
    [
        list(range(50)),
        [datetime.date(2024, 1, 1) + datetime.timedelta(days) for days in range(50)],
        [datetime.datetime(2024, 1, 1, 9) + datetime.timedelta(hours=n) for n in range(50)],
    ],
)
def test_what_has_an_order_is_a_line_from_the_first_to_the_last(across: list[object]) -> None:
    shown = drawn(pa.table({"x": across, "up": [n * n for n in range(50)]}))
    assert "up" in shown[1]
    assert "2401" in shown[1]
    assert str(across[0])[:10] in shown[-1]
    assert str(across[-1])[:10] in shown[-1]
    assert all(width(line) <= 60 for line in shown)


def test_several_lines_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"x": range(9), "up": range(9), "down": range(9, 0, -1)})
    monkeypatch.delenv("NO_COLOR", raising=False)
    colored = "".join(drawn(table))
    assert len(set(re.findall(r"\x1b\[[0-9;]*m(?=⢕)", colored))) == 2
    monkeypatch.setenv("NO_COLOR", "1")
    plain = drawn(table)
    assert "\x1b" not in "".join(plain)
    assert ["●● up" in plain[1], "xx down" in plain[2]] == [True, True]


def test_one_column_alone_is_drawn_by_its_rows() -> None:
    assert drawn(pa.table({"n": [3, 1, 2]}), "bar")[1].startswith("1 │")
    assert "┤" in "".join(drawn(pa.table({"n": [3, 1, None, 2]})))


def test_no_rows_are_no_picture_and_no_numbers_an_error() -> None:
    assert drawn(pa.table({"n": pa.array([], pa.int64())})) == []
    with pytest.raises(UserError, match="no number"):
        drawn(pa.table({"a": ["x"], "b": ["y"]}))
