"""Results as pictures of characters: bars, and lines."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.types as kinds

from sqe.cli.formats.output import Output
from sqe.cli.screen import escape_controls, pad, width
from sqe.errors import ErrorCode, UserError
from sqe.results.months import columns_of
from sqe.results.stream import ResultStream
from sqe.results.texts.cells import Spelling, texts

KINDS = ("bar", "line")
MOST_POINTS = 5_000
_MOST_BARS = 40  # more are hard to read; then it is a line, unless someone says otherwise
_EIGHTHS = " ▏▎▍▌▋▊▉"
_MIDNIGHT = " 00:00:00"
_COLORS = ("blue", "orange", "green", "magenta", "cyan", "red")
_MARKS = "●x+o#*"  # tell lines apart where there are no colors

Series = list[float | None]


class PlotWriter:
    """The first column is drawn across, all number columns after it up; one alone is drawn by its
    row numbers. Implements ``ResultWriter``."""

    def __init__(self, out: Output, kind: str = "") -> None:
        self.out = out
        self._kind = kind

    def begin(self, result: ResultStream) -> None:
        fields = list(result.schema)
        first = 1 if len(fields) > 1 else 0
        self._numbers = [i for i in range(first, len(fields)) if _is_number(fields[i].type)]
        if not self._numbers:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                "There is no number to plot.",
                hint="Select what goes across, then one or more numbers.",
            )
        self._names = [escape_controls(result.columns[i].name) for i in self._numbers]
        self._types = [column.type for column in result.columns]
        self._ordered = first == 0 or _is_ordered(fields[0].type)
        self._labelled = first == 1
        self._labels: list[str] = []
        self._places: Series = []
        self._series: list[Series] = [[] for _ in self._numbers]

    def write(self, batch: pa.RecordBatch) -> None:
        columns = list(columns_of(batch))
        if self._labelled:
            cells = texts(columns[0], self._types[0], Spelling.SHOWN)
            self._labels += ["NULL" if cell is None else escape_controls(cell) for cell in cells]
            self._places += _places(columns[0]) if self._ordered else [None] * batch.num_rows
        else:
            count = len(self._labels)
            self._labels += [str(count + row) for row in range(1, batch.num_rows + 1)]
            self._places += [float(count + row) for row in range(1, batch.num_rows + 1)]
        for series, index in zip(self._series, self._numbers, strict=True):
            series += _numbers(columns[index])

    def end(self) -> None:
        if not self._labels:
            return
        line = self._ordered and len(self._labels) > 2
        kind = self._kind or ("line" if line or len(self._labels) > _MOST_BARS else "bar")
        columns = self.out.width or 80
        if kind == "bar":
            drawn = draw_bars(self._labels, self._names, self._series, columns)
        else:
            places: Series = list(self._places) if self._ordered else []
            drawn = draw_lines(self._labels, places, self._names, self._series, self.out.width)
        self.out.write(drawn.encode())
        self.out.flush()


def draw_bars(
    labels: Sequence[str], names: Sequence[str], series: Sequence[Series], columns: int
) -> str:
    """A line per bar: label, the number's name where there are several, bar, number."""
    several = len(series) > 1
    widest = min(max(map(width, labels)), columns // 3)
    longest = max(map(width, names)) if several else 0
    values = [value for numbers in series for value in numbers if value is not None]
    figures = [_figure(value) for value in values] or [""]
    room = columns - widest - (longest + 1 if several else 0) - max(map(len, figures)) - 4
    low, high = min([0.0, *values]), max([0.0, *values])
    scale = max(room, 1) / ((high - low) or 1.0)
    zero = round(-low * scale)
    lines = [] if several else [f"{pad('', widest, right=False)}   {names[0]}"]
    for row, label in enumerate(labels):
        for index, numbers in enumerate(series):
            head = pad(_short(label, widest) if index == 0 else "", widest, right=False)
            if several:
                head += " " + pad(names[index], longest, right=False)
            value = numbers[row]
            bar = "" if value is None else _bar(value * scale, zero)
            figure = "NULL" if value is None else _figure(value)
            lines.append(f"{head} │ {bar} {figure}")
    return "".join(line.rstrip() + "\n" for line in lines)


def _bar(length: float, zero: int) -> str:
    """``zero`` is where bars begin: those of negative numbers reach to the left of it."""
    if length < 0:
        size = min(zero, math.ceil(-length))
        return " " * (zero - size) + "█" * size
    whole, eighths = divmod(round(length * 8), 8)
    return " " * zero + "█" * whole + _EIGHTHS[eighths].strip()


def draw_lines(
    labels: Sequence[str],
    places: Series,
    names: Sequence[str],
    series: Sequence[Series],
    screen_width: int | None,
) -> str:
    """``places`` are where the points are, across; without any they follow each other."""
    import plotext

    colored = screen_width is not None and len(names) > 1 and not os.environ.get("NO_COLOR")

    across = places or [float(row) for row in range(len(labels))]
    plotext.clear_figure()
    plotext.theme("clear")
    lines = shutil.get_terminal_size().lines
    plotext.plot_size(screen_width or 80, max(8, min(22, lines - 6)))
    for index, (name, numbers) in enumerate(zip(names, series, strict=True)):
        points = [
            (x, y) for x, y in zip(across, numbers, strict=True) if x is not None and y is not None
        ]
        if points:
            xs, ys = zip(*points, strict=True)
            fine = colored or len(names) == 1
            plotext.plot(
                list(xs),
                list(ys),
                label=name,
                marker="braille" if fine else _MARKS[index % len(_MARKS)],
                color=_COLORS[index % len(_COLORS)] if colored else None,
            )
    if all(label.endswith(_MIDNIGHT) for label in labels):
        labels = [label.removesuffix(_MIDNIGHT) for label in labels]
    shown = [row for row, place in enumerate(across) if place is not None]
    if shown:
        rows = _spread(shown, (screen_width or 80) // (max(map(width, labels)) + 12))
        plotext.xticks([across[row] for row in rows], [_short(labels[row], 20) for row in rows])
    drawn: str = plotext.build()
    if not colored:
        drawn = plotext.uncolorize(drawn)
    return "".join(line.rstrip() + "\n" for line in drawn.splitlines())


def _spread(rows: list[int], count: int) -> list[int]:
    """From the first to the last, 2 to 5 of them."""
    count = min(max(count, 2), 5)
    return [rows[round(i * (len(rows) - 1) / (count - 1))] for i in range(count)]


def _short(label: str, limit: int) -> str:
    if width(label) <= limit:
        return label
    while label and width(label) > limit - 1:
        label = label[:-1]
    return label + "…"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:,.4g}"


def _numbers(array: pa.Array) -> Series:
    values = (None if value is None else float(value) for value in array.to_pylist())
    return [value if value is not None and math.isfinite(value) else None for value in values]


def _places(array: pa.Array) -> Series:
    if _is_number(array.type):
        return _numbers(array)
    if kinds.is_date(array.type):
        return _numbers(array.cast(pa.date32()).view(pa.int32()))
    return _numbers(array.view(pa.int64()))


def _is_ordered(kind: pa.DataType) -> bool:
    return _is_number(kind) or bool(kinds.is_date(kind) or kinds.is_timestamp(kind))


def _is_number(kind: pa.DataType) -> bool:
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind))
