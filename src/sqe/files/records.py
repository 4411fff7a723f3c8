"""The records of a CSV file one by one, by RFC 4180, each with its line number and its text.

What DuckDB reads at once is read here where something is wrong with it: a broken record is told as
such, and the next one begins on the next line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class Dialect:
    """The signs a file is written with."""

    sep: str = ","
    quote: str = '"'
    escape: str = ""  # empty: a quote is doubled
    comment: str = ""
    null_values: tuple[str, ...] = ("",)
    quoted_nulls: bool = False
    skip: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    line: int  # where it begins, from 1
    text: str  # without the end of its last line
    fields: list[str | None]
    fault: str = ""  # why it is none

    @property
    def blank(self) -> bool:
        return not self.fault and self.fields == [None] and not self.text.strip(" \t")


def records(lines: Iterator[str], dialect: Dialect) -> Iterator[Record]:
    """Blank lines too, as one field that is NULL. ``lines`` have their ends."""
    return iter(_Records(lines, dialect))


def with_width(record: Record, width: int) -> Record:
    """With so many fields; a faulty one where it has others. Separators at the end do no harm."""
    count = len(record.fields)
    if record.fault or count == width:
        return record
    if count > width and not any(field is not None for field in record.fields[width:]):
        return Record(record.line, record.text, record.fields[:width])
    fields = "1 field" if count == 1 else f"{count} fields"
    return Record(record.line, record.text, [], f"it has {fields} instead of {width}")


class _Records:
    def __init__(self, lines: Iterator[str], dialect: Dialect) -> None:
        self._lines = lines
        self._dialect = dialect
        self._count = 0
        sep = re.escape(dialect.sep)
        self._plain = re.compile(f"[^{sep}\r\n]*")
        self._opening = re.compile(f" *{re.escape(dialect.quote)}") if dialect.quote else None
        self._nulls = frozenset(dialect.null_values)

    def __iter__(self) -> Iterator[Record]:
        dialect, nulls = self._dialect, self._nulls
        for _ in range(dialect.skip):
            self._next()
        while (line := self._next()) is not None:
            if dialect.comment and line.startswith(dialect.comment):
                continue
            if dialect.quote and dialect.quote in line:
                yield self._parse_quoted(line)
                continue
            text = line.rstrip("\r\n")
            parts = text.split(dialect.sep)
            fields = [None if part in nulls else part for part in parts]
            yield Record(self._count, text, fields)

    def _next(self) -> str | None:
        line = next(self._lines, None)
        if line is not None:
            self._count += 1
        return line

    def _parse_quoted(self, text: str) -> Record:
        """A record with a quote somewhere in it, which may go on over the next lines."""
        line, at, fields = self._count, 0, list[str | None]()
        while True:
            opening = self._opening.match(text, at) if self._opening else None
            if opening is None:
                plain = self._plain.match(text, at)
                assert plain is not None  # noqa: S101  it matches nothing at all, too
                fields.append(None if plain[0] in self._nulls else plain[0])
                at = plain.end()
            else:
                text, value, at = self._value(text, opening.end())
                if value is None:
                    return Record(line, _without_end(text), [], "a quote is opened and not closed")
                fields.append(None if not value and self._dialect.quoted_nulls else value)
            if text.startswith(self._dialect.sep, at):
                at += len(self._dialect.sep)
            elif at == len(text) or _END.match(text, at):
                return Record(line, _without_end(text), fields)
            else:
                return Record(line, _without_end(text), [], "text follows a closing quote")

    def _value(self, text: str, start: int) -> tuple[str, str | None, int]:
        """From behind the opening quote: the text read so far, the value (None: it has no end),
        and the place behind it and the spaces that follow."""
        quote, escape = self._dialect.quote, self._dialect.escape or self._dialect.quote
        parts: list[str] = []
        read, at = [text], start  # the last of ``read`` is where ``at`` counts
        begin = start
        while True:
            line = read[-1]
            quote_at = _find_first(line, at, quote, escape)
            if quote_at < 0:
                parts.append(line[begin:])
                following = self._next()
                if following is None:
                    return "".join(read), None, 0
                read.append(following)
                at = begin = 0
                continue
            after = line[quote_at + 1 : quote_at + 2]
            if line[quote_at] == escape and after and after in (quote, escape):
                parts.append(line[begin:quote_at])
                at = quote_at + 2
                begin = quote_at + 1
            elif line[quote_at] == quote:
                parts.append(line[begin:quote_at])
                end = quote_at + 1
                while line.startswith(" ", end):
                    end += 1
                before = sum(map(len, read[:-1]))
                return "".join(read), "".join(parts), before + end
            else:
                at = quote_at + 1  # an escape that escapes nothing stands for itself


def _find_first(line: str, at: int, quote: str, escape: str) -> int:
    quote_at = line.find(quote, at)
    if escape == quote:
        return quote_at
    other = line.find(escape, at)
    return min(quote_at, other) if quote_at >= 0 and other >= 0 else max(quote_at, other)


def _without_end(text: str) -> str:
    if text.endswith("\r\n"):
        return text[:-2]
    return text[:-1] if text.endswith(("\n", "\r")) else text
