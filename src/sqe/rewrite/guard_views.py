"""A restricted relation becomes a view: rows filtered by stored values, then masks, no hidden
columns. Whatever the user wrote sees only that, on every engine, the way it sees any view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqe.binding.bound import (
    BoundReference,
    BoundStatement,
    BoundTable,
    BoundView,
    Guard,
)
from sqe.errors import AccessError, ErrorCode, InternalError, UserError
from sqe.model.decision import Decision, Restrict, RowFilter
from sqe.model.masks import ExpressionMask
from sqe.model.names import RelationName, quote
from sqe.model.query import Column
from sqe.rewrite.authority import Authority
from sqe.rewrite.barrier import Harmless
from sqe.rewrite.expression_types import Types
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.guarding import Guarding
from sqe.rewrite.history import State, Wanted, find_state
from sqe.rewrite.needs import Key, key_of
from sqe.rewrite.policy_text import Guardable, PolicyText, parse_guard
from sqe.rewrite.unfit import Unfit, refusal
from sqe.sql.compose import without_beginning
from sqe.sql.statement import Access, Reference, Span, Statement

# Iceberg looks for the columns of a filter that it is handed in today's schema, and fails where
# they had another name, with an error that lists them. Nothing is handed through a sample.
_UNPUSHED = " TABLESAMPLE (100 PERCENT)"
_LENT = Restrict("a view with its owner's rights", filters=(RowFilter("TRUE"),))


def guard_relations(bound: BoundStatement, guarding: Guarding) -> BoundStatement:
    """The statement with a guard in place of everything that it sees only part of."""
    limited = [
        reference
        for reference in bound.walk()
        if _limits(reference, guarding.decisions) is not None
    ]
    if not limited:
        return bound
    if guarding.authority is None:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "A guard without anybody who reads.")
    return _Guards(guarding.authority, guarding.decisions).place_guards(bound)


def _limits(reference: BoundReference, decisions: Mapping[Key, Decision]) -> Restrict | None:
    key = key_of(reference)
    decision = decisions[key] if key is not None else None
    if reference.reference.access is not Access.READ or decision is None:
        return None
    if isinstance(decision, Restrict):
        return decision
    return _LENT if _is_lent(reference) else None


def _is_lent(reference: BoundReference) -> bool:
    """A view with its owner's rights: what it leaves out is hidden from who reads it, so that it
    is a guard of its own. All its rows and columns are shown; what is needed is the barrier."""
    target = reference.stored_target
    inside = target.inner.references if isinstance(target, BoundView) else ()
    return any(statement.as_user != reference.as_user and statement.as_user for statement in inside)


@dataclass(frozen=True)
class _Guards:
    """Those of one statement."""

    authority: Authority
    decisions: Mapping[Key, Decision]

    def place_guards(self, bound: BoundStatement) -> BoundStatement:
        references = tuple(
            self._place_guard(bound.statement, reference) for reference in bound.references
        )
        inner = self.place_guards(bound.inner) if bound.inner is not None else None
        return replace(bound, references=references, inner=inner)

    def _place_guard(self, statement: Statement, reference: BoundReference) -> BoundReference:
        target = reference.target
        if isinstance(target, BoundView):
            opened = replace(target, inner=self.place_guards(target.inner))
            reference = replace(reference, target=opened)
        limits = _limits(reference, self.decisions)
        if limits is None:
            return reference
        return replace(reference, target=self.view(statement, reference, limits))

    def view(self, statement: Statement, bound: BoundReference, limits: Restrict) -> BoundView:
        """The view that stands for a restricted relation at its place in the user's text."""
        target = bound.target
        if not isinstance(target, BoundTable | BoundView):
            raise InternalError(ErrorCode.INTERNAL_ERROR, "A guard of what is no relation.")
        name = _name(bound)
        state = self._state(statement, bound.reference, target, limits)
        shown = _visible_columns(target, state.columns, limits, name)
        there, derived = (target.columns, True) if state.items else (state.columns, False)
        expressions = PolicyText(
            self.authority, target, there, name, bound.as_user, derived=derived
        )
        try:
            items, keys = expressions.items(shown, limits)
            suffix = target.suffix if isinstance(target, BoundTable) else ()
            spelled = ".".join(quote(part) for part in (*name.parts, *suffix))
            head = f"SELECT {items} FROM "  # noqa: S608  checked by parts
            behind = state.travel
            if state.items:
                head += f"(SELECT {state.items} FROM "  # noqa: S608  names are quoted
                behind += f"{_UNPUSHED}) AS {quote(name.name)}"
            # Two parentheses, for WHERE is no reserved word of Spark's: of ``t WHERE (a)`` it
            # makes a table with an alias, and no filter.
            where = f" WHERE ({expressions.condition(limits)})" if limits.filters else ""
            place = Span(len(head), len(head) + len(spelled))
            parsed = parse_guard(f"{head}{spelled}{behind}{where}")
            inner = expressions.bind(parsed, place, target, state.travel)
        except Unfit as error:
            raise refusal(name, str(error)) from error
        if len(parsed.markers) != len(keys):
            raise refusal(name, "a marker is in it")
        risky = _risky(GuardedStatement(inner, self.decisions), shown, limits)
        guard = Guard(target, bool(limits.filters), risky, keys)
        return BoundView(name.name, inner, shown, guard=guard)

    def _state(
        self, statement: Statement, reference: Reference, target: Guardable, limits: Restrict
    ) -> State:
        if not isinstance(target, BoundTable):
            return State("", "", target.columns)
        travel = _travel(statement, reference, target.name)
        if reference.options:
            _check_options(target, limits)
            return State(reference.options, "", target.columns)  # rows of then, columns of today
        expressions = [row_filter.sql.lower() for row_filter in limits.filters]
        expressions += [
            mask.sql.lower() for mask in limits.masks.values() if isinstance(mask, ExpressionMask)
        ]
        hidden = {name.lower() for name in limits.hidden}
        names = [column.name.lower() for column in target.columns]
        wanted = Wanted(
            shown=[name for name in names if name not in hidden],
            asked=[name for name in names if any(name in sql for sql in expressions)],
        )
        return find_state(target, travel, wanted, self.authority.time_zone)


def bind_condition(
    limits: Restrict, target: Guardable, authority: Authority, as_user: str = ""
) -> BoundStatement:
    """What the filters say, as a text of its own; its references are those of the policy."""
    name = target.name if isinstance(target, BoundTable) else target.relation
    if name is None or not limits.filters:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "A condition on nothing.")
    expressions = PolicyText(authority, target, target.columns, name, as_user)
    try:
        head = "SELECT 1 FROM "
        before = f"{head}{name} WHERE "
        parsed = parse_guard(before + expressions.condition(limits))
        place = Span(len(head), len(head) + len(str(name)))
        whole = expressions.bind(parsed, place, target, "")
    except Unfit as error:
        raise refusal(name, str(error)) from error
    references = [reference for reference in whole.references if reference.reference.span != place]
    alone = without_beginning(parsed, len(before))
    moved = [
        replace(old, reference=new) for new, old in zip(alone.references, references, strict=True)
    ]
    return BoundStatement(alone, tuple(moved))


def _risky(statement: GuardedStatement, shown: tuple[Column, ...], limits: Restrict) -> bool:
    """Whether an expression of the policy may fail for some row."""
    harmless, types = Harmless(statement), Types(statement, certain=True)
    select = statement.bound.statement.tree
    where = select.args.get("where")
    if where is not None and not harmless(where):
        return True
    masks = {name.lower(): mask for name, mask in limits.masks.items()}
    for column, item in zip(shown, select.expressions, strict=True):
        if isinstance(masks.get(column.name.lower()), ExpressionMask):
            written = item.this.this  # inside AS and CAST
            if types.of(written) != column.type or not harmless(written):
                return True
    return False


def _visible_columns(
    target: Guardable, columns: tuple[Column, ...], limits: Restrict, name: RelationName
) -> tuple[Column, ...]:
    """Without the hidden ones. What names a column that is not there may mean one that has got
    another name since: refused."""
    known = {column.name.lower() for column in target.columns}
    hidden = {hidden_name.lower() for hidden_name in limits.hidden}
    if (hidden | {mask.lower() for mask in limits.masks}) - known:
        raise refusal(name, "it names a column that is not there")
    shown = tuple(column for column in columns if column.name.lower() not in hidden)
    if not shown:
        raise AccessError(ErrorCode.ACCESS_DENIED, f"You may see no column of {name}.")
    return shown


def _travel(statement: Statement, reference: Reference, name: RelationName) -> str:
    """Time travel as the user wrote it behind the name."""
    if reference.temporal is None:
        return ""
    span = reference.temporal
    inside = (
        candidate
        for candidate in statement.references
        if span.start <= candidate.span.start < span.end
    )
    if any(inside):
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"You see only part of {name}: a query cannot choose its version.",
            hint="Write the version or the time itself.",
        )
    return f" {span.of(statement.text)}"


def _check_options(table: BoundTable, limits: Restrict) -> None:
    """What is told of two snapshots may be about rows that are hidden."""
    if limits.filters or table.suffix:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"You see only part of {table.name}: options cannot choose its snapshots.",
            hint="VERSION AS OF and TIMESTAMP AS OF can.",
        )


def _name(bound: BoundReference) -> RelationName:
    name = bound.relation
    if name is None:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "A guard of what has no name.")
    return name
