"""Turns decisions into a statement that may run, or refuses it. The order of GUARDS is the rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqe.catalog.bound import BoundStatement, BoundTable
from sqe.catalog.resolve import METADATA_TABLES
from sqe.errors import AccessError, ErrorCode, InternalError
from sqe.model.decision import Decision, Deny, Restrict
from sqe.rewrite.changes import check_changes
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.needs import Key, needs_of
from sqe.rewrite.suffixes import refuse_odd_options, refuse_odd_writes
from sqe.sql.statement import Access

Decisions = Mapping[Key, Decision]
_LOOKING = (Access.READ, Access.DESCRIBE)
Guard = Callable[[BoundStatement, Decisions], None]


def guard(bound: BoundStatement, decisions: Decisions) -> GuardedStatement:
    for check in GUARDS:
        check(bound, decisions)
    check_changes(bound)  # last: what it says about columns is for those who may see them
    return GuardedStatement(bound, decisions)


def refuse_undecided(bound: BoundStatement, decisions: Decisions) -> None:
    for need in needs_of(bound):
        if need.key not in decisions:
            name = need.key[0]
            raise InternalError(ErrorCode.INTERNAL_ERROR, f"No decision was made on {name}.")


def refuse_denied(bound: BoundStatement, decisions: Decisions) -> None:
    for name, access in (need.key for need in needs_of(bound)):
        if isinstance(decisions[(name, access)], Deny):
            raise AccessError(
                ErrorCode.ACCESS_DENIED, f"You may not {access.value} {name}, or it does not exist."
            )


def refuse_partial_writes(bound: BoundStatement, decisions: Decisions) -> None:
    """Who sees only part of a table may not write it: old values would leak through the write."""
    for name, access in (need.key for need in needs_of(bound)):
        if access in _LOOKING:
            continue
        if isinstance(decisions[(name, access)], Restrict):
            raise AccessError(
                ErrorCode.ACCESS_DENIED, f"You see only part of {name}; you may not change it."
            )


def refuse_metadata_of_partial(bound: BoundStatement, decisions: Decisions) -> None:
    """A table's files and partitions show bounds and counts of rows that a guard would hide."""
    for reference in bound.walk():
        target = reference.target
        if not isinstance(target, BoundTable):
            continue
        decision = decisions[(target.name, reference.reference.access)]
        if not isinstance(decision, Restrict):
            continue
        what = ""
        if reference.reference.literal:
            what = "run procedures on it"
        elif target.suffix and target.suffix[-1].lower() in METADATA_TABLES:
            what = "read its metadata"
        if what:
            raise AccessError(
                ErrorCode.ACCESS_DENIED, f"You see only part of {target.name}; you may not {what}."
            )


def refuse_odd_names(bound: BoundStatement, decisions: Decisions) -> None:
    """Behind the denials: what is said here tells that a table exists."""
    refuse_odd_writes(bound)
    refuse_odd_options(bound)


GUARDS: tuple[Guard, ...] = (
    refuse_undecided,
    refuse_denied,
    refuse_partial_writes,
    refuse_metadata_of_partial,
    refuse_odd_names,
)
