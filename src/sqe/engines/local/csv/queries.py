"""The SQL that DuckDB runs over the fields of CSV files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqe.engines.local.csv.casts import Cast, cast_of
from sqe.engines.staging import StagedColumn
from sqe.files.forms import Forms
from sqe.files.guesses import regex_of_type
from sqe.files.sniff import Written
from sqe.model.names import quote_text
from sqe.model.query import Column

BAD_ROW = "SQE: a row does not fit"


def read_csv(paths: Sequence[str], written: Written) -> str | None:
    """DuckDB's own reader over the files, with fields f0, f1, …; None where it would not read them
    as RFC 4180 and the options say."""
    dialect = written.dialect
    by_the_book = not (dialect.escape or dialect.comment or dialect.skip or written.blank_first)
    if not by_the_book or (dialect.quoted_nulls and len(dialect.null_values) > 1):
        return None
    fields = ", ".join(f"'f{at}': 'VARCHAR'" for at in range(len(written.names)))
    files = ", ".join(map(quote_text, paths))
    nulls = ", ".join(map(quote_text, dialect.null_values))
    return (
        f"read_csv([{files}], auto_detect = false, columns = {{{fields}}},"
        f" header = {str(written.header).lower()}, delim = {quote_text(dialect.sep)},"
        f" quote = {quote_text(dialect.quote)}, escape = {quote_text(dialect.quote)},"
        f" nullstr = [{nulls}],"
        f" allow_quoted_nulls = {str(dialect.quoted_nulls).lower()}, strict_mode = true)"
    )


@dataclass(frozen=True)
class _Part:
    """A column of the table with its place in the file and how it gets its type."""

    at: int
    column: Column
    cast: Cast

    @property
    def x(self) -> str:
        return f"f{self.at}"


@dataclass(frozen=True)
class Typing:
    """From fields of text to the columns of the table."""

    parts: tuple[_Part, ...]

    @classmethod
    def of(
        cls, columns: Sequence[Column], names: Sequence[str], forms: Forms, binary: str
    ) -> Typing:
        places = {name.lower(): at for at, name in enumerate(names)}
        parts = []
        for column in columns:
            at = places[column.name.lower()]
            cast = cast_of(column.type, forms, binary, f"f{at}", f"v{at}")
            parts.append(_Part(at, column, cast))
        return cls(tuple(parts))

    @property
    def staged_columns(self) -> tuple[StagedColumn, ...]:
        return tuple(
            StagedColumn(part.column, f"c{at}", f"i{at}" if part.cast.instant else "")
            for at, part in enumerate(self.parts)
        )

    def select_checked(self, source: str) -> str:
        """The typed rows. One that does not fit is an error."""
        chosen = []
        for at, part in enumerate(self.parts):
            bad = self._bad(at, part)
            value = f"c{at}"
            if bad:
                value = f"CASE WHEN {bad} THEN error({quote_text(BAD_ROW)}) ELSE c{at} END AS c{at}"
            chosen.append(value)
            if part.cast.instant:
                chosen.append(f"i{at}")
        return f"SELECT {', '.join(chosen)} FROM ({self._select_typed(source)})"  # noqa: S608

    def judge_rows(self, source: str) -> str:
        """The typed rows with their lines and texts, and what is wrong with each, if anything."""
        chosen = ["line", "text", self._reason()]
        for at, part in enumerate(self.parts):
            chosen += [f"c{at}", *([f"i{at}"] if part.cast.instant else [])]
        typed = self._select_typed(source, "line, text, fault, ")
        return f"SELECT {', '.join(chosen)} FROM ({typed})"  # noqa: S608

    def _select_typed(self, source: str, also: str = "") -> str:
        """The texts as x, and next to each what it is as a value."""
        fields = ", ".join(dict.fromkeys(part.x for part in self.parts))
        attempts = ", ".join(f"{part.cast.attempt} AS v{part.at}" for part in self.parts)
        values = []
        for at, part in enumerate(self.parts):
            values.append(f"{part.cast.value} AS c{at}")
            if part.cast.instant:
                values.append(f"{part.cast.instant} AS i{at}")
        inner = f"SELECT {also}{fields}, {attempts} FROM {source}"  # noqa: S608
        return f"SELECT {also}{fields}, {', '.join(values)} FROM ({inner})"  # noqa: S608

    def _bad(self, at: int, part: _Part) -> str:
        bad = [] if part.column.type == "string" else [part.cast.bad(part.x, f"c{at}", f"i{at}")]
        if not part.column.nullable:
            bad.append(f"{part.x} IS NULL")
        return " OR ".join(bad)

    def _reason(self) -> str:
        cases = ["CASE WHEN fault IS NOT NULL THEN fault"]
        for at, part in enumerate(self.parts):
            name = part.column.name
            if not part.column.nullable:
                null = quote_text(f"{name} may not be NULL")
                cases.append(f"WHEN {part.x} IS NULL THEN {null}")
            if part.column.type != "string":
                bad = part.cast.bad(part.x, f"c{at}", f"i{at}")
                empty = quote_text(
                    f'{name}: "" is no {part.column.type}; quotednulls=true makes it NULL'
                )
                no = quote_text(f" is no {part.column.type}")
                wrong = f"{quote_text(f'{name}: ')} || {_quote_value(part.x)} || {no}"
                cases.append(f"WHEN {bad} AND {part.x} = '' THEN {empty} WHEN {bad} THEN {wrong}")
        return " ".join([*cases, "END AS reason"])


def _quote_value(x: str) -> str:
    return f"""'"' || CASE WHEN length({x}) > 80 THEN left({x}, 80) || '…' ELSE {x} END || '"'"""


def fit_query(kinds: Sequence[str], forms: Forms, source: str) -> str:
    """For each field whether all its values have the type at its place in ``kinds``, and whether it
    has any value."""
    attempts, fits = [], []
    for at, kind in enumerate(kinds):
        x, v = f"f{at}", f"v{at}"
        if kind == "string":
            fits += ["true", f"count({x}) > 0"]
            attempts.append(x)
            continue
        cast = cast_of(kind, forms, "base64", x, v)
        attempts.append(f"{x}, {cast.attempt} AS {v}")
        regex = quote_text(f"(?:{regex_of_type(forms, kind)})")
        value = (
            cast.value if not cast.instant else f"coalesce(epoch_us({cast.value}), {cast.instant})"
        )
        quick = "" if kind in ("double", "boolean") else f"{v}::VARCHAR = {x} OR "
        if kind in ("date", "timestamp"):
            length = 10 if kind == "date" else 19
            quick = f"(length({x}) = {length} AND {v}::VARCHAR = {x}) OR "
        if forms.only_dates and kind in ("date", "timestamp"):
            quick = ""
        whole = f"{quick}(regexp_full_match({x}, {regex}) AND ({value}) IS NOT NULL)"
        every = f"bool_and({x} IS NULL OR coalesce({whole}, false))"
        fits += [f"coalesce({every}, true)", f"count({x}) > 0"]
    inner = f"SELECT {', '.join(attempts)} FROM {source}"  # noqa: S608
    return f"SELECT {', '.join(fits)} FROM ({inner})"  # noqa: S608
