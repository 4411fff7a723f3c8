"""A guard has a barrier where it has filters; where nothing can fail, there is nothing to keep out.

Engines read much less then: they move the user's own conditions below the guard (decision 0013).
"""

from __future__ import annotations

from dataclasses import replace

from sqe.binding.bound import BoundReference, BoundStatement, BoundView
from sqe.model.decision import Decision, Restrict
from sqe.model.masks import RegexMask, TruncateMask
from sqe.rewrite.barrier import can_fail
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.needs import key_of


def leave_out_barriers(guarded: GuardedStatement) -> GuardedStatement:
    views = (
        reference.target
        for reference in guarded.bound.walk()
        if isinstance(reference.target, BoundView)
    )
    if not any(view.guard is not None and view.guard.barrier for view in views):
        return guarded
    if can_fail(replace(guarded, bound=_leave_out_guards(guarded.bound))):
        return guarded
    return replace(guarded, bound=_Tidied(guarded).statement(guarded.bound))


def _leave_out_guards(bound: BoundStatement) -> BoundStatement:
    """The statement as its user wrote it."""
    references = []
    for reference in bound.references:
        target = reference.stored_target
        if isinstance(target, BoundView):
            target = replace(target, inner=_leave_out_guards(target.inner))
        references.append(replace(reference, target=target))
    inner = _leave_out_guards(bound.inner) if bound.inner is not None else None
    return replace(bound, references=tuple(references), inner=inner)


class _Tidied:
    def __init__(self, guarded: GuardedStatement) -> None:
        self._decisions = guarded.decisions

    def statement(self, bound: BoundStatement) -> BoundStatement:
        references = tuple(map(self._reference, bound.references))
        inner = self.statement(bound.inner) if bound.inner is not None else None
        return replace(bound, references=references, inner=inner)

    def _reference(self, reference: BoundReference) -> BoundReference:
        target = reference.target
        if not isinstance(target, BoundView):
            return reference
        guard = target.guard
        if guard is not None:
            key = key_of(reference)
            decision = self._decisions[key] if key is not None else None
            barrier = guard.barrier and (guard.risky or _has_an_edge(decision))
            guard = replace(guard, barrier=barrier)
        inner = self.statement(target.inner)
        return replace(reference, target=replace(target, inner=inner, guard=guard))


def _has_an_edge(decision: Decision | None) -> bool:
    """Whether a mask may fail for a value that hardly anybody has: a text that is too long for a
    regular expression, a time whose year begins before all times. All others have a result."""
    masks = decision.masks.values() if isinstance(decision, Restrict) else ()
    return any(isinstance(mask, RegexMask | TruncateMask) for mask in masks)
