"""How a CSV file is written, as far as the user says it. What is not said is looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqe.errors import ErrorCode, UserError
from sqe.files.encodings import codec_name
from sqe.files.patterns import check_pattern

# Their names in COPY's FORMAT_OPTIONS and behind --option.
CSV_OPTIONS = frozenset(
    """
    sep delimiter header quote escape comment nullvalue quotednulls encoding charset decimal
    thousands dateformat timestampformat binaryformat skip multiline
    """.split()  # noqa: SIM905
)
BINARY_FORMATS = ("base64", "hex", "text")


@dataclass(frozen=True)
class CsvOptions:
    """None, or an empty text: look for it."""

    sep: str | None = None
    header: bool | None = None
    quote: str = '"'
    escape: str = ""  # the quote itself, doubled
    comment: str = ""
    null_values: tuple[str, ...] = ("",)  # of fields without quotes
    quoted_nulls: bool = False  # "" is NULL as well
    encoding: str = ""
    decimal: str | None = None
    thousands: str | None = None
    date_format: str = ""
    timestamp_format: str = ""
    binary: str = "base64"
    skip: int = 0  # lines before the header

    @classmethod
    def of(cls, given: Mapping[str, str]) -> CsvOptions:
        """``given`` by name in lower case, all of them in CSV_OPTIONS."""
        null = given.get("nullvalue", "")
        options = cls(
            sep=_sign(given, "sep", "delimiter"),
            header=_flag(given, "header"),
            quote=_read_character(given, "quote", '"', none=True),
            escape=_read_character(given, "escape", "", none=True),
            comment=_read_character(given, "comment", "", none=True),
            null_values=("", null) if null else ("",),
            quoted_nulls=bool(_flag(given, "quotednulls")),
            encoding=given.get("encoding") or given.get("charset") or "",
            decimal=_sign(given, "decimal"),
            thousands=_read_character(given, "thousands", "", none=True)
            if "thousands" in given
            else None,
            date_format=given.get("dateformat", ""),
            timestamp_format=given.get("timestampformat", ""),
            binary=given.get("binaryformat", "base64").lower(),
            skip=_number(given, "skip"),
        )
        options._check(given)
        return options

    def _check(self, given: Mapping[str, str]) -> None:
        if self.encoding:
            codec_name(self.encoding)
        for name, pattern in (
            ("dateformat", self.date_format),
            ("timestampformat", self.timestamp_format),
        ):
            if pattern:
                check_pattern(name, pattern, with_time=name == "timestampformat")
        if self.binary not in BINARY_FORMATS:
            raise _bad("binaryformat", given["binaryformat"], " or ".join(BINARY_FORMATS))
        if self.decimal not in (None, ".", ","):
            raise _bad("decimal", str(self.decimal), "a point or a comma")
        if self.decimal is not None and self.decimal == self.thousands:
            raise _bad("thousands", self.decimal, "another sign than the decimal one")
        if self.sep is not None and self.sep in (self.quote, "\n", "\r"):
            raise _bad("sep", self.sep, "another sign than the quote and the end of a line")
        if _flag(given, "multiline") is False:
            raise _bad("multiline", "false", "true: quotes may hold line breaks, always")


def _sign(given: Mapping[str, str], *names: str) -> str | None:
    for name in names:
        if name in given:
            return _read_character(given, name, "")
    return None


def _read_character(given: Mapping[str, str], name: str, usual: str, *, none: bool = False) -> str:
    """One character; ``none``: or nothing."""
    value = given.get(name, usual)
    value = {"\\t": "\t", "tab": "\t"}.get(value.lower(), value)
    if len(value) > 1 or (name in given and not value and not none):
        raise _bad(name, given[name], "one character")
    return value


def _flag(given: Mapping[str, str], name: str) -> bool | None:
    if name not in given:
        return None
    if given[name].lower() not in ("true", "false"):
        raise _bad(name, given[name], "true or false")
    return given[name].lower() == "true"


def _number(given: Mapping[str, str], name: str) -> int:
    value = given.get(name, "0")
    if not (value.isascii() and value.isdigit()):
        raise _bad(name, value, "a number of lines")
    return int(value)


def _bad(name: str, value: str, wanted: str) -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, f"{name} must be {wanted}, not {value!r}.")
