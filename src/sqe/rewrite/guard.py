"""Turns decisions into a statement that may run, or refuses it: ``rules`` says how, in order."""

from __future__ import annotations

from sqe.binding.bound import BoundStatement
from sqe.rewrite.authority import Authority
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.guarding import Decisions, Guarding
from sqe.rewrite.rules import REFUSALS, STATEMENT_REWRITES, TIDY_RULES


def guard(
    bound: BoundStatement, decisions: Decisions, authority: Authority | None = None
) -> GuardedStatement:
    """``authority`` is needed where something is seen in part."""
    for refuse in REFUSALS:
        refuse(bound, decisions)
    for rewrite in STATEMENT_REWRITES:
        bound = rewrite(bound, Guarding(decisions, authority))
    guarded = GuardedStatement(bound, decisions)
    for tidy in TIDY_RULES:
        guarded = tidy(guarded)
    return guarded
