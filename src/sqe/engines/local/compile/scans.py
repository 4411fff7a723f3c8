"""Scans being collected while a query is compiled: columns are added as expressions name them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace

from sqe.binding.bound import BoundMetadata, BoundTable
from sqe.engines.local.compile.scope import SourceColumn
from sqe.engines.local.compile.value import Value
from sqe.engines.local.plan import Comparison, MetadataScan, NotLocal, Scan, ScanColumn
from sqe.engines.local.types import VOID, parse_type
from sqe.model.query import Column


@dataclass(kw_only=True)
class Draft:
    """A relation of FROM, and what the query wants of it."""

    relation: str
    columns: tuple[Column, ...]
    used: dict[str, ScanColumn] = field(default_factory=dict)
    pruning: list[Comparison] = field(default_factory=list)
    without_nan: set[str] = field(default_factory=set)  # as a Scan's
    without_zero: set[str] = field(default_factory=set)
    # By column: another relation's that it equals in every row that counts.
    follows: list[tuple[str, TableColumn]] = field(default_factory=list)

    @property
    def read(self) -> tuple[ScanColumn, ...]:
        return tuple(self.used.values()) or _any_column(self.columns)

    @property
    def conditions(self) -> tuple[Comparison, ...]:
        return tuple(dict.fromkeys(self.pruning))

    def holds(self, column: str, seen: set[tuple[int, str]]) -> Iterator[Comparison]:
        """Of the column, here and wherever its values come from. ``seen``: asked already."""
        if (id(self), column) in seen:
            return
        seen.add((id(self), column))
        yield from (one for one in self.pruning if one.column == column)
        for own, other in self.follows:
            if own == column:
                for one in other.draft.holds(other.stored, seen):
                    yield replace(one, column=column)


@dataclass(kw_only=True)
class MetadataDraft(Draft):
    """A list of what is in the catalogs."""

    metadata: BoundMetadata

    def finish(self) -> MetadataScan:
        met = {column for column, _ in self.follows}
        followed = (one for column in sorted(met) for one in self.holds(column, set()))
        conditions = tuple(dict.fromkeys((*self.pruning, *followed)))
        return MetadataScan(self.relation, self.metadata, self.read, conditions)


@dataclass(kw_only=True)
class ScanDraft(Draft):
    """A table. ``columns`` are those of the snapshot that is read."""

    table: BoundTable
    snapshot_id: int | None

    def finish(self) -> Scan:
        return Scan(
            relation=self.relation,
            table=self.table,
            columns=self.read,
            snapshot_id=self.snapshot_id,
            pruning=self.conditions,
            without_nan=tuple(sorted(self.without_nan)),
            without_zero=tuple(sorted(self.without_zero)),
        )


class TableColumn(SourceColumn):
    """A stored column; naming it makes the scan read it, and only then its type matters."""

    def __init__(self, column: Column, relation: str, draft: Draft) -> None:
        super().__init__(column.name, f"{relation}.{_quote(column.name)}", VOID, column.nullable)
        self.stored = column.name
        self.type_text = column.type
        self.draft = draft
        self.origins = self.prunes = (self,)

    def rename(self, name: str) -> TableColumn:
        """The same column under a name that only this query knows it by."""
        column = copy(self)
        column.name = name
        column.origins = column.prunes = (column,)
        return column

    def value(self) -> Value:
        kind = parse_type(self.type_text)
        self.draft.used[self.stored] = ScanColumn(self.stored, self.stored, self.type_text)
        return Value(self.sql, kind, self.name, self.nullable, column=True, origins=self.origins)


def _any_column(columns: tuple[Column, ...]) -> tuple[ScanColumn, ...]:
    """count(*) names no column, and a relation needs one."""
    for column in columns:
        try:
            parse_type(column.type)
        except NotLocal:
            continue
        return (ScanColumn(column.name, column.name, column.type),)
    raise NotLocal("a table without a column the local engine can read")


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
