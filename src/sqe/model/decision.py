"""Answers of the policy: small, frozen, each with the rule that caused it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqe.model.masks import Mask
from sqe.model.names import RelationName


@dataclass(frozen=True, slots=True)
class Allow:
    reason: str


@dataclass(frozen=True, slots=True)
class Restrict:
    """Only these rows, these values. The filter is Spark SQL over the table's stored columns."""

    reason: str
    row_filter: str | None = None
    masks: Mapping[str, Mask] = field(default_factory=dict)  # by column
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Deny:
    reason: str


Decision = Allow | Restrict | Deny


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What a policy may know of a table: its name, its columns, what is to be done with it."""

    name: RelationName
    columns: tuple[str, ...]
    access: str  # one of sqe.sql.statement.Access's values
