"""The kinds of rules that a bound statement passes, and what they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqe.binding.bound import BoundStatement
from sqe.model.decision import Decision
from sqe.rewrite.authority import Authority
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.needs import Key

Decisions = Mapping[Key, Decision]


@dataclass(frozen=True)
class Guarding:
    """``authority`` is needed where something is seen in part."""

    decisions: Decisions
    authority: Authority | None = None


# Raises where the statement may not run. Mandatory.
Refusal = Callable[[BoundStatement, Decisions], None]
# Changes what the statement means: it reads and writes only what its user may. Mandatory.
StatementRewrite = Callable[[BoundStatement, Guarding], BoundStatement]
# Makes a statement cheaper that is safe already, and changes nothing else. Optional.
Tidy = Callable[[GuardedStatement], GuardedStatement]
