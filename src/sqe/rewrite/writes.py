"""Writes by users who see only some of the rows, where the filters let them write those.

UPDATE and DELETE are about rows that the filters show, and their own conditions are evaluated on
no other. What INSERT and UPDATE write must be rows that the filters show: if one is not, nothing is
written at all. MERGE is held to the same, see ``merges.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sqe.errors import ErrorCode, InternalError
from sqe.model.names import quote
from sqe.rewrite.checked_table import (
    CLOSE,
    OPEN,
    RAISE,
    CheckedTable,
    Test,
    TextOf,
    barrier,
    subqueries,
)
from sqe.rewrite.merges import MergeCheck
from sqe.rewrite.merges_text import MergeParts, merge_parts
from sqe.rewrite.writes_text import (
    ChangeParts,
    InsertParts,
    change_parts,
    insert_parts,
    piece,
)
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, Statement

_SOURCE = "__sqe"


def check_of(statement: Statement, table: CheckedTable) -> _InsertCheck | _ChangeCheck | MergeCheck:
    parts = parts_of(statement)
    if isinstance(parts, InsertParts):
        return _InsertCheck(table, parts)
    if isinstance(parts, ChangeParts):
        return _ChangeCheck(table, parts)
    if isinstance(parts, MergeParts):
        return MergeCheck(table, parts)
    raise InternalError(ErrorCode.INTERNAL_ERROR, "A check of an unknown statement.")


@dataclass(frozen=True)
class _InsertCheck:
    table: CheckedTable
    parts: InsertParts

    def refuse(self) -> None:
        if self.parts.defaults:
            raise self.table.refusal("write the values instead of DEFAULT")
        if self.parts.columns:
            self.table.refuse_defaults(self.parts.columns)

    def edits(self, text_of: TextOf, others: Sequence[Edit], harmless: Test) -> list[Edit]:
        """The rows are read once more before they are written. The check stands beside a value and
        not in a condition, which an engine may evaluate on rows that are not written."""
        parts, condition = self.parts, self.table.filters_on_stored(text_of)
        if parts.by_name:
            head, alias = self._by_name(condition), f"AS {_SOURCE}"
        else:
            written = parts.columns or tuple(
                column.name.lower() for column in self.table.target.columns
            )
            names = [f"{_SOURCE}_{number}" for number in range(1, len(written) + 1)]
            new_values = {
                name: f"{_SOURCE}.{new}" for name, new in zip(written, names, strict=True)
            }
            row = _new_row(self.table, condition, new_values)
            head = ", ".join([f"CASE WHEN {row} THEN {names[0]} ELSE {RAISE} END", *names[1:]])
            alias = f"AS {_SOURCE}({', '.join(names)})"
        start, end = parts.source.start, parts.source.end
        return [
            Edit(Span(start, start), f"SELECT {head} FROM ("),  # noqa: S608  the policy's own SQL
            Edit(Span(end, end), f"\n) {alias}"),
        ]

    def _by_name(self, condition: str) -> str:
        """One of the columns that the filters need carries the check: the source must give it."""
        table = self.table
        used = {
            column.name.lower(): f"{_SOURCE}.{quote(column.name)}"
            for column in table.columns_in_filters
        }
        first = quote((table.columns_in_filters or table.target.columns)[0].name)
        row = _new_row(table, condition, used)
        value = f"CASE WHEN {row} THEN {_SOURCE}.{first} ELSE {RAISE} END AS {first}"
        return f"{_SOURCE}.* EXCEPT ({first}), {value}"


@dataclass(frozen=True)
class _ChangeCheck:
    table: CheckedTable
    parts: ChangeParts

    def refuse(self) -> None:
        table = self.table
        inside = subqueries(self._own)
        if subqueries(table.statement.tree) != inside:
            raise table.refusal("its values can have no subqueries")
        table.refuse_storage(table.reference.reference.span.end)
        used = {column.name.lower() for column in table.columns_in_filters}
        for assignment in self.parts.assignments:
            if not used.intersection(assignment.target):
                continue
            if inside:  # the new row would be checked before it is known that it is to be written
                raise table.refusal(
                    f"to write {assignment.target[-1]}, its condition has no subquery"
                )
            table.refuse_assignment(assignment)
            if table.places is None and not assignment.constant:
                raise table.refusal(f"write a plain value to {assignment.target[-1]}")

    def edits(self, text_of: TextOf, others: Sequence[Edit], harmless: Test) -> list[Edit]:
        place, condition, own = (
            self.parts.condition,
            self.table.filters_on_stored(text_of),
            self._own,
        )
        new = self._row_after_change(text_of, others)
        if place is not None and own and not new and not self._by_files and harmless(own):
            before = f"({condition}\n) AND ("
            start, end = place.start, place.end
            return [Edit(Span(start, start), before), Edit(Span(end, end), "\n)")]
        # Engines make joins of subqueries, and so evaluate what stands beside them on all rows.
        if subqueries(own):
            raise self.table.refusal(
                "beside a subquery, its condition holds nothing that could fail for some row",
                hint="Compare columns with values of their own types, or MERGE.",
            )
        return self._change(place, condition, new)

    @property
    def _own(self) -> exp.Expr | None:
        """The user's condition."""
        where = self.table.statement.tree.args.get("where")
        return where.this if where is not None else None

    @property
    def _by_files(self) -> bool:
        """Whether Iceberg could take it for whole files, and with them rows that hold NULL:
        decision 0014."""
        by_rows = self.table.joins or subqueries(self._own)
        return isinstance(self.table.statement.tree, exp.Delete) and not by_rows

    def _change(self, place: Span | None, condition: str, new: str) -> list[Edit]:
        """The filters first, then the user's own condition, then what is to be written. The
        filters stand before it once more where an engine can find rows by them."""
        plain = "" if self.table.joins else f"({condition}\n) AND "
        if place is None:
            where = f"({condition}\n)"
            if self._by_files:
                where = f"{plain}{OPEN}({condition}\n){CLOSE}"
            if new:
                where = f"{plain}{OPEN}CASE WHEN ({condition}\n) THEN {new} END{CLOSE}"
            end = len(self.table.statement.text)
            return [Edit(Span(end, end), f"\nWHERE {where}")]
        before, behind = barrier(condition, new or "TRUE")
        return [
            Edit(Span(place.start, place.start), plain + before),
            Edit(Span(place.end, place.end), behind),
        ]

    def _row_after_change(self, text_of: TextOf, others: Sequence[Edit]) -> str:
        """Empty where no column is written that the filters depend on, or none at all any more:
        what counts the rows has taken the assignments out."""
        table = self.table
        values = {column.name: quote(column.name) for column in table.columns_in_filters}
        changed = False
        for assignment in self.parts.assignments:
            column = table.column(assignment)
            if column is None or column.name not in values:
                continue
            if any(
                e.span.start <= assignment.value.start < e.span.end for e in others if not e.text
            ):
                return ""
            written = piece(table.statement.text, assignment.value, others)
            values[column.name] = f"({written}\n)"
            changed = True
        if not changed:
            return ""
        if table.places is None:
            row = _new_row(table, text_of(()), {name.lower(): new for name, new in values.items()})
        else:
            row = table.shows(text_of, values)
        return f"CASE WHEN {row} THEN TRUE ELSE {RAISE} END"


def _new_row(table: CheckedTable, condition: str, values: Mapping[str, str]) -> str:
    """The filters over the values as they will be stored, by column; one that is not among them
    will be NULL."""
    items = ", ".join(
        f"CAST({values.get(column.name.lower(), 'NULL')} AS {column.type}) AS {quote(column.name)}"
        for column in table.columns_in_filters
    )
    if not items:
        return f"({condition}\n)"
    name = quote(table.target.name.name)
    return f"(SELECT ({condition}\n) FROM (SELECT {items}) AS {name})"  # noqa: S608  as above


def parts_of(statement: Statement) -> InsertParts | ChangeParts | MergeParts | None:
    tree = statement.tree
    if isinstance(tree, exp.Insert):
        return insert_parts(statement)
    if isinstance(tree, exp.Update | exp.Delete):
        return change_parts(statement)
    return merge_parts(statement) if isinstance(tree, exp.Merge) else None
