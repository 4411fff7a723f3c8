"""How values are spelled in a CSV file: one grammar for the preview and for the load.

The regular expressions are written for Python's ``re`` and for RE2 alike, and stand for the whole
of a field. What they accept may still be out of range.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from sqe.files.patterns import Pattern, pattern_of

ISO_DATE = "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
LONG_YEAR_DATE = "[+-][0-9]{4,7}-[0-9]{2}-[0-9]{2}"  # as Java spells years beyond four digits
TIME = r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6}0*)?)?"
ZONE = " ?(?:Z|z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)"
TRUE = ("true", "t", "yes", "y", "1")
FALSE = ("false", "f", "no", "n", "0")


@dataclass(frozen=True)
class Forms:
    """``dates``: patterns that hold besides ISO 8601, unless they are ``only`` what is allowed."""

    decimal: str = "."
    thousands: str = ""
    dates: tuple[str, ...] = ()
    only_dates: bool = False
    timestamp: str = ""

    @cached_property
    def date_patterns(self) -> tuple[Pattern, ...]:
        return tuple(map(pattern_of, self.dates))

    @cached_property
    def timestamp_pattern(self) -> Pattern | None:
        return pattern_of(self.timestamp) if self.timestamp else None

    @property
    def integer(self) -> str:
        return f"[+-]?{self._integer_pattern}"

    @property
    def number(self) -> str:
        """Without an exponent."""
        point = re.escape(self.decimal)
        return f"[+-]?(?:{self._integer_pattern}(?:{point}[0-9]*)?|{point}[0-9]+)"

    def decimal_number(self, scale: int) -> str:
        """One that has no more than so many digits behind the point, but for zeros."""
        point = re.escape(self.decimal)
        tail = f"[0-9]{{0,{scale}}}0*" if scale else "0*"
        some = f"[0-9]{{1,{scale}}}0*" if scale else "0+"
        return f"[+-]?(?:{self._integer_pattern}(?:{point}{tail})?|{point}{some})"

    @property
    def float_number(self) -> str:
        return f"{self.number}(?:[eE][+-]?[0-9]+)?"

    @property
    def _integer_pattern(self) -> str:
        if not self.thousands:
            return "[0-9]+"
        return f"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:{re.escape(self.thousands)}[0-9]{{3}})+)"

    @property
    def date(self) -> str:
        """Any of its spellings."""
        patterns = [pattern.regex for pattern in self.date_patterns]
        return "|".join(patterns if self.only_dates else [ISO_DATE, LONG_YEAR_DATE, *patterns])

    @property
    def timestamp_text(self) -> str:
        if self.timestamp_pattern is not None:
            return self.timestamp_pattern.regex
        return f"(?:{self.date})(?:[ T]{TIME}(?:{ZONE})?)?"

    def plain_number(self, text: str) -> str:
        """The same number with a point and nothing else."""
        return text.replace(self.thousands, "").replace(self.decimal, ".")
