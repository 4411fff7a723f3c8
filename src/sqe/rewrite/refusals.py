"""Statements that may not run. ``rules.REFUSALS`` has their order."""

from __future__ import annotations

from sqe.binding.bound import BoundAbsent, BoundReference, BoundStatement, BoundTable
from sqe.binding.columns import check_columns
from sqe.binding.resolve import METADATA_TABLES
from sqe.errors import AccessError, ErrorCode, InternalError
from sqe.model.decision import Deny, Restrict
from sqe.rewrite.changes import check_changes
from sqe.rewrite.check_writes import may_be_checked
from sqe.rewrite.guarded import LOOKING
from sqe.rewrite.guarding import Decisions
from sqe.rewrite.needs import key_of, needs_of
from sqe.rewrite.suffixes import refuse_odd_options, refuse_odd_writes


def refuse_undecided(bound: BoundStatement, decisions: Decisions) -> None:
    for need in needs_of(bound):
        if need.key not in decisions:
            name = need.key[0]
            raise InternalError(ErrorCode.INTERNAL_ERROR, f"No decision was made on {name}.")


def refuse_denied(bound: BoundStatement, decisions: Decisions) -> None:
    for name, access, as_user in (need.key for need in needs_of(bound)):
        decision = decisions[(name, access, as_user)]
        if not isinstance(decision, Deny):
            continue
        if as_user:  # what a view is made of is not the reader's to know
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                "The owner of a view that is read here may not read what it is made of, or not"
                " let others read it.",
                hint="In a view with SECURITY DEFINER the owner's rights count: the owner needs"
                " SELECT with the grant option on all that it reads, or must own it.",
            )
        raise AccessError(
            ErrorCode.ACCESS_DENIED,
            f"You may not {access.value} {name}, or it does not exist.",
            hint=decision.reason if decision.unanswered else decision.hint,
        )


def refuse_absent(bound: BoundStatement, decisions: Decisions) -> None:
    """Behind the denials: what is wrong with a name is for those who may know of it."""
    for reference in bound.walk():
        target = reference.target
        if isinstance(target, BoundAbsent) and target.problem is not None:
            raise target.problem


def refuse_partial_writes(bound: BoundStatement, decisions: Decisions) -> None:
    """Who sees only part of a table may not write it: old values would leak through the write.
    Nor explain a write that is checked: its plan would show the filters."""
    explains = bound.statement.traits.explains
    for statement, reference in bound.places():
        key = key_of(reference)
        if key is None or reference.reference.access in LOOKING:
            continue
        limits = decisions[key]
        if not isinstance(limits, Restrict):
            continue
        if explains or not may_be_checked(statement, reference, limits):
            raise AccessError(
                ErrorCode.ACCESS_DENIED, f"You see only part of {key[0]}; you may not change it."
            )


def refuse_metadata_of_partial(bound: BoundStatement, decisions: Decisions) -> None:
    """A table's files and partitions show bounds and counts of rows that a guard would hide."""
    for reference in bound.walk():
        target = reference.target
        if not isinstance(target, BoundTable):
            continue
        decision = decisions[(target.name, reference.reference.access, reference.as_user)]
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


def refuse_bad_changes(bound: BoundStatement, decisions: Decisions) -> None:
    check_changes(bound)


def refuse_unknown_columns(bound: BoundStatement, decisions: Decisions) -> None:
    """A hidden column is not there."""
    check_columns(bound, lambda reference: list_hidden_columns(reference, decisions))


def list_hidden_columns(reference: BoundReference, decisions: Decisions) -> frozenset[str]:
    """In small letters: those that do not exist for this user."""
    key = key_of(reference)
    decision = decisions.get(key) if key is not None else None
    hidden = decision.hidden if isinstance(decision, Restrict) else ()
    return frozenset(name.lower() for name in hidden)
