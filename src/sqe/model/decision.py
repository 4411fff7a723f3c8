"""Answers of the policy: small, frozen, each with the rule that caused it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqe.model.masks import Mask
from sqe.model.names import RelationName
from sqe.model.rules import Privilege


@dataclass(frozen=True, slots=True)
class Allow:
    reason: str


@dataclass(frozen=True, slots=True)
class RowFilter:
    """A condition over the table's stored columns: only rows for which it is true are there.

    ``check``: who is limited by it may still write rows for which it is true.
    """

    sql: str
    dialect: str = "spark"  # or "trino"
    check: bool = False


@dataclass(frozen=True, slots=True)
class Restrict:
    """Only these rows (all of the filters hold), these values, these columns."""

    reason: str
    filters: tuple[RowFilter, ...] = ()
    masks: Mapping[str, Mask] = field(default_factory=dict)  # by column
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Deny:
    """``unanswered``: because a source could not be asked, whoever asks about whatever. The
    reason may be told then, as it says nothing of the table. ``hint``: may be told as well."""

    reason: str
    unanswered: bool = False
    hint: str = ""


Decision = Allow | Restrict | Deny


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """``field_id`` is Iceberg's and stays when a column is renamed; None: a view's column."""

    name: str
    type: str = ""  # Spark's spelling
    field_id: int | None = None


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What a policy may know of a table or view, and what is to be done with it.

    ``columns`` are empty where it is not there, or not yet. ``restrictions`` is what the catalog
    itself demands of readers: the JSON of the ``read-restrictions`` it sent, or nothing.
    """

    name: RelationName
    privilege: Privilege
    columns: tuple[ColumnFacts, ...] = ()
    uuid: str = ""  # of the table: another one may come to have its name
    view: bool = False
    restrictions: str = field(default="", repr=False)
