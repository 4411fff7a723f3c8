"""An expression after analysis: its Trino type, and the Spark SQL that computes its carrier."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqe.model.trino_types import TrinoType, carrier, field_of_row
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.trying import CAUGHT, in_try


class _NoConstant:
    def __repr__(self) -> str:
        return "no constant"


NO_CONSTANT = _NoConstant()


@dataclass(slots=True)
class OpenParameter:
    """The constant of a ``?`` without a value: remembers what it had to become."""

    types: list[TrinoType] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Typed:
    """``sql`` can stand anywhere: it is a word, a call, or in brackets. ``constant`` is the value
    of a literal (also None), so that functions can look at arguments that must be constant."""

    type: TrinoType
    sql: str
    constant: object = field(default=NO_CONSTANT, compare=False)

    @property
    def is_constant(self) -> bool:
        return self.constant is not NO_CONSTANT

    def as_type(self, kind: TrinoType) -> Typed:
        """The same value under another type with the same carrier."""
        return replace(self, type=kind)


def quote_name(name: str) -> str:
    """An identifier in Spark's text."""
    return "`" + name.replace("`", "``") + "`"


def string(value: str) -> str:
    """A string literal in Spark's text."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    for character, written in (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        escaped = escaped.replace(character, written)
    return f"'{escaped}'"


def spark_type(kind: TrinoType, at: int) -> str:
    """Its carrier; refused where there is none."""
    if kind.base.startswith(("timestamp", "time")) and kind.numbers and kind.precision > 6:
        raise not_supported(f"{kind}: more than 6 digits of a second", at)
    try:
        return carrier(kind)
    except KeyError:
        raise not_supported(f"Type {kind}", at) from None


def null_of(kind: TrinoType, at: int) -> Typed:
    sql = "NULL" if kind.base == "unknown" else f"CAST(NULL AS {spark_type(kind, at)})"
    return Typed(kind, sql, None)


def fail(name: str, message: str, kind: TrinoType | None = None, at: int = 0) -> str:
    """SQL that fails with one of Trino's errors; NULL in a TRY. ``message`` is SQL of a string."""
    if name in CAUGHT and in_try():
        return "NULL" if kind is None else f"CAST(NULL AS {spark_type(kind, at)})"
    text = f"raise_error(concat({string(f'SQE:TRINO:{name}:')}, {message}))"
    return text if kind is None else f"CAST({text} AS {spark_type(kind, at)})"


def field_of(row: Typed, index: int) -> str:
    """The SQL of a row's field. ``CASE … END.x`` needs brackets."""
    base = f"({row.sql})" if row.sql.startswith("CASE ") else row.sql
    return f"{base}.{field_of_row(row.type, index)}"
