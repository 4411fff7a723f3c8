"""Which tables and views a statement touches, for its record: columns, snapshot, rules."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.binding.bound import BoundReference, BoundTable, BoundView
from sqe.model.decision import Decision, Restrict
from sqe.model.query import RelationUse
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.needs import key_of
from sqe.sql.statement import Access, Statement


def relation_uses(guarded: GuardedStatement) -> tuple[RelationUse, ...]:
    """Each table and stored view once for each access and reader, those inside views too."""
    return tuple(dict.fromkeys(_uses(guarded)))


def _uses(guarded: GuardedStatement) -> Iterator[RelationUse]:
    for statement, reference in guarded.bound.places():
        key = key_of(reference)
        if key is None:
            continue
        name, access, as_user = key
        decision = guarded.decisions[key]
        yield RelationUse(
            str(name),
            access.value,
            _columns(statement, reference, decision),
            _snapshot(reference) if access is Access.READ else None,
            decision.reason,
            as_user,
            isinstance(decision, Restrict),
        )


def _columns(
    statement: Statement, reference: BoundReference, decision: Decision
) -> tuple[str, ...]:
    """Those of the relation that the text names, by whatever alias: never fewer than it reads."""
    stored = reference.stored_target
    if reference.reference.access is not Access.READ:
        return ()
    if not isinstance(stored, BoundTable | BoundView):
        return ()
    hidden = decision.hidden if isinstance(decision, Restrict) else frozenset()
    names = statement.column_names
    return tuple(
        column.name
        for column in stored.columns
        if column.name not in hidden and (names is None or column.name.lower() in names)
    )


def _snapshot(reference: BoundReference) -> int | None:
    """That was current when the statement was planned. None: it says itself which, or has none."""
    stored = reference.stored_target
    if not isinstance(stored, BoundTable) or reference.reference.temporal is not None:
        return None
    snapshot = stored.metadata.get("current-snapshot-id")
    return snapshot if isinstance(snapshot, int) and snapshot >= 0 else None
