"""How a CSV file is written, from its first lines: what the user does not say is looked for.

Where the lines leave it open (``01/02/2024``, ``1,234``), nothing is guessed: such values are text,
or do not fit, and the error says which option decides it.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from sqe.errors import ErrorCode, UserError
from sqe.files.forms import Forms
from sqe.files.guesses import type_of_text, type_of_values
from sqe.files.options import CsvOptions
from sqe.files.patterns import pattern_of
from sqe.files.records import Dialect, Record, records, with_width

SAMPLE = 256 * 1024  # bytes
_ROWS = 1000
_SEPARATORS = (",", ";", "\t", "|")
_SAID = re.compile(r"sep=(.)(?:\r\n|\r|\n)")  # a first line that Excel understands
_DATES = ("d.M.yyyy", "yyyy/M/d", "d-M-yyyy")
_SLASHED = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/[0-9]{4}(?: .*)?")
_SIGN, _POINTS, _COMMAS = (
    "[+-]?",
    r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+",
    "[1-9][0-9]{0,2}(?:,[0-9]{3})+",
)
_TAIL = "(?:[0-9]{1,2}|[0-9]{4,})"  # three digits may be a group of thousands
_COMMA = re.compile(f"{_SIGN}(?:{_POINTS},[0-9]+|[0-9]+,{_TAIL}|0,[0-9]+)")
_POINT = re.compile(rf"{_SIGN}(?:{_COMMAS}\.[0-9]+|[0-9]+\.{_TAIL}|0\.[0-9]+)")
_GROUPED_POINT = re.compile(rf"{_SIGN}(?:{_COMMAS}\.[0-9]+|[1-9][0-9]{{0,2}}(?:,[0-9]{{3}}){{2,}})")


@dataclass(frozen=True)
class Written:
    """How a file is written: its signs, its columns, its values."""

    dialect: Dialect
    names: tuple[str, ...]  # of the header; _c0, _c1, … without one
    header: bool
    forms: Forms
    blank_first: bool = False  # lines before the first record have nothing in them


@dataclass(frozen=True)
class Sample:
    """``written``, and the first rows. ``faults`` are lines that are no rows."""

    written: Written
    rows: tuple[list[str | None], ...]
    faults: tuple[Record, ...] = ()

    @property
    def types(self) -> tuple[str, ...]:
        forms = self.written.forms
        return tuple(
            type_of_values((row[at] for row in self.rows), forms)
            for at in range(len(self.written.names))
        )


def sniff(
    path: str, head: str, whole: bool, options: CsvOptions, columns: Collection[str] = ()
) -> Sample:
    """``head`` is the file's beginning, or ``whole`` of it; ``columns`` are those of the table."""
    separator_line = _SAID.match(head)
    if separator_line is not None and options.sep is None and not options.skip:
        options = replace(options, sep=separator_line[1], skip=1)
    sep = options.sep or _separator(head, whole, options)
    dialect = _dialect(options, sep)
    records = _records(head, whole, dialect)
    if not records:
        raise UserError(
            ErrorCode.INVALID_FILE, f"{path} is empty.", hint="Nothing was loaded: leave it out."
        )
    first = records[0]
    if first.fault:
        raise UserError(
            ErrorCode.INVALID_FILE,
            f"{path}, line {first.line}: {first.fault}: {shorten(first.text)}",
            hint="Nothing was loaded.",
        )
    rows = [record.fields for record in records if not record.fault]
    forms = _forms(rows, options)
    header = options.header
    if header is None:
        header = _has_header(rows, forms, {name.lower() for name in columns})
    names = _names(path, rows[0], header)
    body = [with_width(record, len(names)) for record in records[int(header) :]]
    blank_first = first.line > 1 + options.skip
    written = Written(dialect, names, header, forms, blank_first)
    fitting = tuple(record.fields for record in body if not record.fault)
    return Sample(written, fitting, tuple(record for record in body if record.fault))


def shorten(text: str, most: int = 200) -> str:
    """For a message: the first line of it."""
    line = text.splitlines()[0] if text else ""
    return line if len(line) <= most and line == text else line[:most] + " …"


def _dialect(options: CsvOptions, sep: str) -> Dialect:
    return Dialect(
        sep,
        options.quote,
        options.escape,
        options.comment,
        options.null_values,
        options.quoted_nulls,
        options.skip,
    )


def _records(head: str, whole: bool, dialect: Dialect) -> list[Record]:
    sample = []
    for record in records(io.StringIO(head, newline=""), dialect):
        if not record.blank:
            sample.append(record)
        if len(sample) > _ROWS:
            return sample
    if not whole and len(sample) > 1:
        sample.pop()  # it may go on
    return sample


def _separator(head: str, whole: bool, options: CsvOptions) -> str:
    """The one that cuts the records into the same number of fields, and these into values."""
    scores = {sep: _score(_records(head, whole, _dialect(options, sep))) for sep in _SEPARATORS}
    return max(_SEPARATORS, key=scores.__getitem__)


def _score(found: list[Record]) -> tuple[bool, bool, float, float, int]:
    widths = Counter(len(record.fields) for record in found if not record.fault)
    if not widths:
        return (False, False, 0.0, 0.0, 0)
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    forms = Forms(",", ".", ("d.M.yyyy",))
    cells = [cell for record in found[:100] for cell in record.fields if cell is not None]
    typed = sum(
        type_of_text(cell, forms) != "string" or type_of_text(cell, Forms()) != "string"
        for cell in cells
    )
    share = round(count / len(found), 1)
    return (width > 1, len(found[0].fields) == width, share, typed / max(1, len(cells)), width)


def _forms(rows: Sequence[Sequence[str | None]], options: CsvOptions) -> Forms:
    cells = [cell for row in rows for cell in row if cell is not None]
    decimal, thousands = _number_signs(cells)
    if options.decimal is not None:
        decimal = options.decimal
        thousands = "." if decimal == "," else ""
    if options.thousands is not None:
        thousands = options.thousands
    if options.date_format:
        return Forms(decimal, thousands, (options.date_format,), True, options.timestamp_format)
    return Forms(decimal, thousands, _date_patterns(cells), False, options.timestamp_format)


def _number_signs(cells: Sequence[str]) -> tuple[str, str]:
    comma = any(_COMMA.fullmatch(cell) for cell in cells)
    point = any(_POINT.fullmatch(cell) for cell in cells)
    if comma and not point:
        return ",", "."
    grouped = any(_GROUPED_POINT.fullmatch(c) for c in cells)
    return ".", "," if grouped and not comma else ""


def _date_patterns(cells: Sequence[str]) -> tuple[str, ...]:
    patterns = []
    for pattern in _DATES:
        regex = re.compile(f"{pattern_of(pattern).regex}(?:[ T].*)?")
        if any(regex.fullmatch(cell) for cell in cells):
            patterns.append(pattern)
    slashed = [match for cell in cells if (match := _SLASHED.fullmatch(cell))]
    day_first = any(int(match[1]) > 12 for match in slashed)
    month_first = any(int(match[2]) > 12 for match in slashed)
    if day_first != month_first:
        patterns.append("d/M/yyyy" if day_first else "M/d/yyyy")
    return tuple(patterns)


def _has_header(
    rows: Sequence[Sequence[str | None]], forms: Forms, columns: Collection[str]
) -> bool:
    first = [cell.strip() for cell in rows[0] if cell is not None and cell.strip()]
    if not first:
        return False
    if columns and all(cell.lower() in columns for cell in first):
        return True
    if all(type_of_text(cell, forms) == "string" for cell in first):
        return True
    for at, cell in enumerate(rows[0]):
        below = [row[at] for row in rows[1:] if at < len(row) and row[at] is not None]
        text = bool(cell and type_of_text(cell, forms) == "string")
        if text and below and type_of_values(below, forms) != "string":
            return True
    return False


def _names(path: str, first: Sequence[str | None], header: bool) -> tuple[str, ...]:
    cells = list(first)
    if not header:
        return tuple(f"_c{at}" for at in range(len(cells)))
    if len(cells) > 1 and cells[-1] is None:
        cells.pop()  # a separator at the end of every line
    names = [(cell or "").strip() or f"_c{at}" for at, cell in enumerate(cells)]
    counts = Counter(name.lower() for name in names)
    twice = [name for name in dict.fromkeys(names) if counts[name.lower()] > 1]
    if twice:
        raise UserError(
            ErrorCode.INVALID_FILE,
            f"{path}: the header has {', '.join(twice)} more than once.",
            hint="Rename one of them in the file; header=false says that there is no header.",
        )
    return tuple(names)
