"""Writes by users who see only some of the rows, where the filters let them write those.

UPDATE and DELETE are about rows that the filters show, and their own conditions are evaluated on
no other. What INSERT and UPDATE write must be rows that the filters show: if one is not, nothing is
written at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from sqe.catalog.bound import BoundReference, BoundStatement, BoundTable
from sqe.catalog.schemas import current_schema
from sqe.errors import AccessError, ErrorCode, InternalError
from sqe.model.decision import Decision, Restrict
from sqe.model.names import quote
from sqe.model.query import Column
from sqe.rewrite.authority import Authority
from sqe.rewrite.barrier import Harmless
from sqe.rewrite.guard_views import bound_condition
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.needs import Key, key_of
from sqe.rewrite.writes_text import (
    Assignment,
    ChangeParts,
    InsertParts,
    change_parts,
    insert_parts,
)
from sqe.sql.dialect import DIALECT
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import Access, Span, Statement, StatementKind

_CHECKED = (StatementKind.INSERT, StatementKind.UPDATE, StatementKind.DELETE)
_SOURCE = "__sqe"
NOT_SEEN = "A row that the statement writes is not one that you may see. Nothing was written."
# Read again where an engine's errors are understood; see ``sql.trino.errors.raised_error``.
_RAISE = f"raise_error('SQE:TRINO:PERMISSION_DENIED:{NOT_SEEN}')"
_OPEN, _CLOSE = "array_contains(array(", "), TRUE)"
_Parts = InsertParts | ChangeParts


def may_be_checked(statement: Statement, reference: BoundReference, limits: Restrict) -> bool:
    """Whether filters alone limit the user, all of them such that rows they show may be written,
    and it is a statement that can be held to them."""
    target = reference.target
    return (
        statement.kind in _CHECKED
        and reference.reference.access is Access.WRITE
        and isinstance(target, BoundTable)
        and not target.suffix
        and bool(limits.filters)
        and all(one.check for one in limits.filters)
        and not limits.masks
        and not limits.hidden
        and _parts(statement) is not None
    )


def with_checks(
    bound: BoundStatement, decisions: Mapping[Key, Decision], authority: Authority | None
) -> BoundStatement:
    """The statement with what the rows of the table it writes are held to."""

    def held(reference: BoundReference) -> BoundReference:
        key = key_of(reference)
        limits = decisions[key] if key is not None else None
        if not isinstance(limits, Restrict) or reference.reference.access is not Access.WRITE:
            return reference
        return _checked(bound, reference, limits, authority)

    return replace(bound, references=tuple(map(held, bound.references)))


def _checked(
    bound: BoundStatement, reference: BoundReference, limits: Restrict, authority: Authority | None
) -> BoundReference:
    target = reference.target
    if not isinstance(target, BoundTable) or authority is None:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "A write that cannot be checked.")
    condition = bound_condition(limits, target, authority, reference.as_user)
    found = replace(reference, check=condition)
    check = _Check(bound.statement, found, target, condition)
    check.refuse()
    return found


def write_edits(
    bound: BoundStatement, edits: Sequence[Edit], text_of: Callable[[BoundReference], str]
) -> list[Edit]:
    """What holds the statement to the checks of the table it writes. ``edits`` are all others;
    ``text_of`` writes a table's condition for the engine."""
    for reference in bound.references:
        if reference.check is not None and isinstance(reference.target, BoundTable):
            check = _Check(bound.statement, reference, reference.target, reference.check)
            return check.edits(
                text_of(reference), edits, lambda node: Harmless(GuardedStatement(bound, {}))(node)
            )
    return []


@dataclass(frozen=True)
class _Check:
    statement: Statement
    reference: BoundReference
    target: BoundTable
    condition: BoundStatement

    @property
    def parts(self) -> _Parts:
        parts = _parts(self.statement)
        if parts is None:
            raise InternalError(ErrorCode.INTERNAL_ERROR, "A check of an unknown statement.")
        return parts

    def refuse(self) -> None:
        """What could not be held to the filters, or would tell of rows that they hide."""
        parts = self.parts
        if isinstance(parts, InsertParts):
            self._refuse_insert(parts)
        else:
            self._refuse_change(parts)

    def edits(
        self, condition: str, others: Sequence[Edit], harmless: Callable[[exp.Expr], bool]
    ) -> list[Edit]:
        """``harmless``: whether an expression has a value for every row."""
        parts = self.parts
        if isinstance(parts, InsertParts):
            return self._insert(parts, condition)
        new = self._changed_row(parts.assignments, condition, others)
        where = self.statement.tree.args.get("where")
        if parts.condition is not None and not new and where is not None and harmless(where.this):
            start, end = parts.condition.start, parts.condition.end
            before = f"({condition}\n) AND ("
            return [Edit(Span(start, start), before), Edit(Span(end, end), "\n)")]
        return self._change(parts.condition, condition, new)

    def _refuse_insert(self, parts: InsertParts) -> None:
        if parts.defaults:
            raise self._refused("write the values instead of DEFAULT")
        if not parts.columns:
            return
        left_out = {one.name.lower() for one in self._used} - set(parts.columns)
        for field in current_schema(self.target.metadata)["fields"]:
            if field["name"].lower() in left_out and field.get("write-default") is not None:
                raise self._refused(f"write a value for {field['name']}")

    def _refuse_change(self, parts: ChangeParts) -> None:
        # Engines make joins of subqueries, and so evaluate what stands beside them on all rows.
        if _has_subquery(self.statement.tree):
            raise self._refused("its conditions and values can have no subqueries")
        used = {column.name.lower() for column in self._used}
        for one in parts.assignments:
            if not used.intersection(one.target):
                continue
            if self._column(one) is None:
                raise self._refused(f"write {'.'.join(one.target)} as a whole")
            if one.default:
                raise self._refused("write the values instead of DEFAULT")
            if self._joins and not one.constant:
                raise self._refused(f"write a plain value to {one.target[-1]}")

    def _insert(self, parts: InsertParts, condition: str) -> list[Edit]:
        """The rows are read once more before they are written. The check stands beside a value and
        not in a condition, which an engine may evaluate on rows that are not written."""
        if parts.by_name:
            head, alias = self._by_name(condition), f"AS {_SOURCE}"
        else:
            written = parts.columns or tuple(one.name.lower() for one in self.target.columns)
            names = [f"{_SOURCE}_{number}" for number in range(1, len(written) + 1)]
            given = {name: f"{_SOURCE}.{new}" for name, new in zip(written, names, strict=True)}
            row = self._new_row(condition, given)
            head = ", ".join([f"CASE WHEN {row} THEN {names[0]} ELSE {_RAISE} END", *names[1:]])
            alias = f"AS {_SOURCE}({', '.join(names)})"
        start, end = parts.source.start, parts.source.end
        return [
            Edit(Span(start, start), f"SELECT {head} FROM ("),  # noqa: S608  the policy's own SQL
            Edit(Span(end, end), f"\n) {alias}"),
        ]

    def _by_name(self, condition: str) -> str:
        """One of the columns that the filters need carries the check: the source must give it."""
        used = {one.name.lower(): f"{_SOURCE}.{quote(one.name)}" for one in self._used}
        first = quote((self._used or self.target.columns)[0].name)
        row = self._new_row(condition, used)
        value = f"CASE WHEN {row} THEN {_SOURCE}.{first} ELSE {_RAISE} END AS {first}"
        return f"{_SOURCE}.* EXCEPT ({first}), {value}"

    def _change(self, place: Span | None, condition: str, new: str) -> list[Edit]:
        """The filters first, then the user's own condition, then what is to be written: CASE goes
        from one to the next only where the one before is true. Inside of an array Spark does not
        take it apart, nor try to hand it to the storage, which takes it minutes of nested ones.
        The filters stand before it once more where an engine can find rows by them."""
        plain = "" if self._joins else f"({condition}\n) AND "
        if place is None:
            where = f"({condition}\n)"
            if new:
                where = f"{plain}{_OPEN}CASE WHEN ({condition}\n) THEN {new} END{_CLOSE}"
            end = len(self.statement.text)
            return [Edit(Span(end, end), f"\nWHERE {where}")]
        start, end = place.start, place.end
        behind = f" THEN {new or 'TRUE'} END END{_CLOSE}"
        return [
            Edit(
                Span(start, start),
                f"{plain}{_OPEN}CASE WHEN ({condition}\n) THEN CASE WHEN (",
            ),
            Edit(Span(end, end), f"\n){behind}"),
        ]

    def _changed_row(
        self, assignments: Sequence[Assignment], condition: str, others: Sequence[Edit]
    ) -> str:
        """Empty where no column is written that the filters depend on, or none at all any more:
        what counts the rows has taken the assignments out."""
        values = {column.name.lower(): quote(column.name) for column in self._used}
        changed = False
        for one in assignments:
            column = self._column(one)
            if column is None or column.name.lower() not in values:
                continue
            if any(e.span.start <= one.value.start < e.span.end for e in others if not e.text):
                return ""
            values[column.name.lower()] = f"({_piece(self.statement.text, one.value, others)}\n)"
            changed = True
        if not changed:
            return ""
        return f"CASE WHEN {self._new_row(condition, values)} THEN TRUE ELSE {_RAISE} END"

    def _new_row(self, condition: str, values: dict[str, str]) -> str:
        """The filters over the values as they will be stored, by column; one that is not among
        them will be NULL."""
        items = ", ".join(
            f"CAST({values.get(one.name.lower(), 'NULL')} AS {one.type}) AS {quote(one.name)}"
            for one in self._used
        )
        if not items:
            return f"({condition}\n)"
        table = quote(self.target.name.name)
        return f"(SELECT ({condition}\n) FROM (SELECT {items}) AS {table})"  # noqa: S608  as above

    @property
    def _used(self) -> list[Column]:
        """The columns that the filters may depend on: all whose names are words of their text."""
        words = self._words
        return [column for column in self.target.columns if column.name.lower() in words]

    @property
    def _joins(self) -> bool:
        """Whether the filters have subqueries."""
        return bool(self.condition.references) or "select" in self._words

    @property
    def _words(self) -> set[str]:
        text = self.condition.statement.text
        return {token.text.lower() for token in DIALECT.tokenize(text)}

    def _column(self, assignment: Assignment) -> Column | None:
        """The column that is assigned as a whole; None: a part of one, or not to be told."""
        *before, last = assignment.target
        reference = self.reference.reference
        full = (reference.alias,) if reference.alias is not None else self.target.name.parts
        known = [part.lower() for part in full]
        if before and before != known[-len(before) :]:
            return None
        return next((one for one in self.target.columns if one.name.lower() == last), None)

    def _refused(self, why: str) -> AccessError:
        return AccessError(
            ErrorCode.ACCESS_DENIED,
            f"You see only part of {self.target.name}, and writes to it are checked: {why}.",
        )


def _parts(statement: Statement) -> _Parts | None:
    if isinstance(statement.tree, exp.Insert):
        return insert_parts(statement)
    if isinstance(statement.tree, exp.Update | exp.Delete):
        return change_parts(statement)
    return None


def _has_subquery(tree: exp.Expr | None) -> bool:
    return tree is not None and any(True for _ in tree.find_all(exp.Query))


def _piece(text: str, span: Span, edits: Sequence[Edit]) -> str:
    """A part of the text as the engine gets it."""
    inside = [
        Edit(Span(one.span.start - span.start, one.span.end - span.start), one.text)
        for one in dict.fromkeys(edits)
        if span.start <= one.span.start and one.span.end <= span.end
    ]
    return splice(span.of(text), inside).text
