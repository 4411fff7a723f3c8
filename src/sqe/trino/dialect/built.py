"""Queries and relations in Spark's text, with Trino's columns."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect.scope import UNKNOWN, Field, Origin
from sqe.trino.dialect.typed import quote_name


@dataclass(frozen=True, slots=True)
class BuiltColumn:
    """``name`` None: Trino gives it none (``_col0`` at the end); ``sql_name`` in the text."""

    name: str | None
    type: TrinoType
    sql_name: str
    origin: Origin = UNKNOWN


@dataclass(frozen=True, slots=True)
class Built:
    """A whole query in Spark's text."""

    text: str
    columns: tuple[BuiltColumn, ...]

    def fields(self, relation: str, qualifier: tuple[str, ...] = ()) -> tuple[Field, ...]:
        """Its columns, seen from outside as those of ``relation``."""
        return tuple(
            Field(
                column.name,
                column.type,
                f"{relation}.{quote_name(column.sql_name)}",
                qualifier,
                origin=column.origin,
            )
            for column in self.columns
        )


@dataclass(frozen=True, slots=True)
class Source:
    """Spark's text of a relation with a name of its own, and the columns it offers. ``joined``: the
    text is a join, which needs brackets on the right of another one."""

    text: str
    fields: tuple[Field, ...]
    joined: bool = False

    @property
    def operand(self) -> str:
        """The text on the right of a join: joins without brackets are read from the left."""
        return f"({self.text})" if self.joined else self.text
