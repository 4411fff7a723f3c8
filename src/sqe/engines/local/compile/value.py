"""A compiled expression."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import STRING, VOID, SparkType


@dataclass(frozen=True, slots=True)
class Value:
    """DuckDB SQL of exactly ``type``, and the name Spark gives a column made of it.

    An empty name is one that is not certain; ``format_name`` makes names of names.
    """

    sql: str
    type: SparkType
    name: str
    nullable: bool = True
    literal: object = None  # the Python value of a literal, for pruning and folding
    aggregate: bool = False  # holds an aggregate function
    column: bool = False  # is a column and nothing more
    origins: tuple[Any, ...] = ()  # stored columns that it is a plain copy of
    # A quicker way to write it inside a sum, where nothing has been sent yet: DuckDB multiplies
    # decimals in 18 digits and raises where they do not suffice, which leaves the query to Spark.
    quick: str = ""
    # A number as written: beside a decimal it has just the digits it shows, but for a tinyint.
    bare: bool = field(default=False, compare=False)
    # The Python value of a parameter: a literal that must not be written.
    bound: object = field(default=None, compare=False)

    @property
    def known_value(self) -> object:
        """The value that Spark knows when it plans the query, of a literal or a parameter."""
        return self.literal if self.literal is not None else self.bound

    def cast(self, wanted: SparkType) -> str:
        """The SQL as ``wanted``, a type that holds all values of this one."""
        if self.type == wanted:
            return self.sql
        if self.type.is_decimal and wanted.is_float:
            return exact_float(self, wanted)
        if self.type.parts and self.type.holds(lambda kind: kind == VOID):
            # Nothing or NULLs, which DuckDB casts to anything by way of a text.
            return f"CAST(CAST({self.sql} AS {texts_of(self.type).duckdb}) AS {wanted.duckdb})"
        return f"CAST({self.sql} AS {wanted.duckdb})"


def texts_of(kind: SparkType) -> SparkType:
    """The type with texts where it has NULLs of no type."""
    return STRING if kind == VOID else replace(kind, parts=tuple(map(texts_of, kind.parts)))


def exact_float(value: Value, wanted: SparkType) -> str:
    """A decimal as the nearest float, as Java gives it.

    Up to 15 digits the quotient of two exact doubles is the nearest one. With more digits DuckDB
    rounds twice, but not when it reads a number from its text.
    """
    if value.type.precision <= 15 and wanted.name == "double":
        return f"CAST({value.sql} AS DOUBLE)"
    return f"CAST(CAST({value.sql} AS VARCHAR) AS {wanted.duckdb})"


def make_value(
    sql: str, kind: SparkType, name: str, *parts: Value, nullable: bool | None = None
) -> Value:
    """A value made of others: it may be NULL if one of them may, unless ``nullable`` says."""
    if nullable is None:
        nullable = any_nullable(*parts)
    return Value(sql, kind, name, nullable, aggregate=any_aggregate(*parts))


def format_name(pattern: str, *parts: Value | str) -> str:
    """A name made of names, each in its place ``{}``; empty if one of them is not certain."""
    names = [part if isinstance(part, str) else part.name for part in parts]
    return pattern.format(*names) if all(names) else ""


def format_list_name(pattern: str, parts: list[Value] | tuple[Value, ...]) -> str:
    """A name with a list of names in it; empty if one of them is not certain."""
    if not all(part.name for part in parts):
        return ""
    return pattern.format(", ".join(part.name for part in parts))


def opaque(sql: str) -> str:
    """A cast that may fail. DuckDB leaves it out where the value is compared with a constant, and
    what does not fit would not be noticed any more."""
    return f"ifnull({sql}, NULL)"


def without_sign_of_zero(sql: str, kind: SparkType) -> str:
    """Spark makes -0.0 of a grouping key 0.0. Both compare as equal in both engines."""
    return f"CASE WHEN {sql} = 0 THEN CAST(0 AS {kind.duckdb}) ELSE {sql} END"


def key_of(value: Value) -> str:
    """A value as GROUP BY and PARTITION BY compare it. DuckDB knows a key by its text."""
    need_equatable(value.type, "a key of type")
    return without_sign_of_zero(value.sql, value.type) if value.type.is_float else value.sql


def sort_key_of(value: Value) -> str:
    """A value as ORDER BY compares it."""
    if not value.type.is_plain:
        raise NotLocal(f"ORDER BY {value.type} is Spark's")
    return key_of(value)


def need_equatable(kind: SparkType, what: str) -> None:
    if not kind.is_equatable:
        raise NotLocal(f"{what} {kind} is Spark's")


def any_aggregate(*values: Value) -> bool:
    return any(value.aggregate for value in values)


def any_nullable(*values: Value) -> bool:
    return any(value.nullable for value in values)
