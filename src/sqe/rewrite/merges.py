"""MERGE by users who see only some of the rows of its table.

A row that the filters hide matches nothing, and no clause is about it; what UPDATE leaves and
INSERT writes must be rows that they show. No condition of the user's is evaluated on a hidden row,
unless it has a value for every row; the values of a clause are computed only where its condition
holds. Spark takes no subqueries in a MERGE: so the filters are said of the row that is meant by
naming its columns in their text, and where theirs have subqueries the statement is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqe.model.names import quote
from sqe.rewrite.checked_table import RAISE, ROW, CheckedTable, Test, TextOf, barrier, subqueries
from sqe.rewrite.merges_text import Clause, MergeParts
from sqe.rewrite.writes_text import Assignment, piece
from sqe.sql.splice import Edit
from sqe.sql.statement import Span


@dataclass(frozen=True)
class MergeCheck:
    table: CheckedTable
    parts: MergeParts

    def refuse(self) -> None:
        table, tree = self.table, self.table.statement.tree
        if table.places is None:
            raise table.refusal("its filters cannot be put into a MERGE")
        if subqueries(tree.args["on"]) or subqueries(tree.args["whens"]):
            raise table.refusal("its conditions and values can have no subqueries")
        table.refuse_storage(self.parts.on.start)
        # The filters name the table: nothing else may be meant by that.
        if not self.parts.source:
            raise table.refusal("give what is merged into it a name")
        if self._name.lower() == self.parts.source.lower():
            raise table.refusal("give what is merged into it another name")
        for clause in self.parts.clauses:
            self._refuse_clause(clause)

    def edits(self, text_of: TextOf, others: Sequence[Edit], harmless: Test) -> list[Edit]:
        table, name = self.table, quote(self._name)
        stored = {column.name: f"{name}.{quote(column.name)}" for column in table.columns_at_places}
        condition = table.filters(text_of, stored)
        if table.fixed:
            # Spark fails at an ON that it finds to be false without looking at any row.
            first = f"{name}.{quote(table.target.columns[0].name)}"
            condition = f"exists(array({first}), {ROW} -> ({condition}\n))"
        opened, closed = _around(self.parts.on, f"({condition}\n) AND (", "\n)")
        edits = [opened]
        for term in self.parts.terms:
            if not harmless(term.tree):
                edits += _around(term.span, *barrier(condition))
        edits.append(closed)
        for clause in self.parts.clauses:
            edits += self._limit_clause(clause, condition, harmless)
            edits += self._check_clause(clause, stored, text_of, others)
        return edits

    @property
    def _name(self) -> str:
        """What the text knows the table by."""
        return self.table.reference.reference.alias or self.table.target.name.name

    def _refuse_clause(self, clause: Clause) -> None:
        table = self.table
        used = {column.name.lower() for column in table.columns_at_places}
        for assignment in clause.assignments:
            if used.intersection(assignment.target):
                table.refuse_assignment(assignment)
            elif clause.inserts:
                table.refuse_vague(assignment)
        if clause.inserts and clause.star is None:
            table.refuse_defaults({assignment.target[-1] for assignment in clause.assignments})

    def _limit_clause(self, clause: Clause, condition: str, harmless: Test) -> list[Edit]:
        """A clause about rows of the table is about those that the filters show."""
        condition_there = clause.condition
        if clause.inserts:
            return []
        if condition_there is None:
            place = Span(clause.head, clause.head)
            return [Edit(place, f" AND ({condition}\n)")] if clause.by_source else []
        if not clause.by_source and harmless(condition_there.tree):
            return []
        return _around(condition_there.span, *barrier(condition))

    def _check_clause(
        self, clause: Clause, stored: Mapping[str, str], text_of: TextOf, others: Sequence[Edit]
    ) -> list[Edit]:
        """The row that a clause writes is checked beside one of its values: the first that the
        filters depend on, which is one that is surely computed."""
        clause_values = dict(self._values_of_clause(clause, others))
        used = {column.name for column in self.table.columns_at_places}
        if not (clause.inserts or used.intersection(clause_values)):
            return []
        values = {
            name: f"({clause_values[name]}\n)"
            if name in clause_values
            else "NULL"
            if clause.inserts
            else old
            for name, old in stored.items()
        }
        first = next((name for name in clause_values if name in used), next(iter(clause_values)))
        before = f"CASE WHEN {self.table.shows(text_of, values)} THEN ("
        behind = f"\n) ELSE {RAISE} END"
        if clause.star is not None:
            clause_values[first] = f"{before}{clause_values[first]}{behind}"
            return [Edit(clause.star, _list_values(clause_values, inserts=clause.inserts))]
        place = next(
            assignment.value
            for assignment in clause.assignments
            if self._column_name(assignment) == first
        )
        return _around(place, before, behind)

    def _values_of_clause(
        self, clause: Clause, others: Sequence[Edit]
    ) -> Iterator[tuple[str, str]]:
        """The columns that a clause writes as a whole, and their values for the engine."""
        if clause.star is not None:
            for column in self.table.target.columns:
                yield column.name, f"{quote(self.parts.source)}.{quote(column.name)}"
        for assignment in clause.assignments:
            name = self._column_name(assignment)
            if name:
                yield name, piece(self.table.statement.text, assignment.value, others)

    def _column_name(self, assignment: Assignment) -> str:
        column = self.table.column(assignment)
        return column.name if column is not None else ""


def _around(span: Span, before: str, behind: str) -> list[Edit]:
    return [Edit(Span(span.start, span.start), before), Edit(Span(span.end, span.end), behind)]


def _list_values(values: Mapping[str, str], *, inserts: bool) -> str:
    """What stands for * in a clause; words may stand at once before it and behind it."""
    names = [quote(name) for name in values]
    if inserts:
        return f"({', '.join(names)}) VALUES ({', '.join(values.values())})"
    pairs = zip(names, values.values(), strict=True)
    return f" {', '.join(f'{name} = {value}' for name, value in pairs)} "
