"""GRANT, DENY and REVOKE of privileges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqe.model.grants import PRIVILEGES_ON, Grant, GrantRequest, RevokeRequest
from sqe.model.rules import Object, ObjectKind, Privilege, Subject
from sqe.policy.grants.authority import Authority, refusal
from sqe.policy.grants.matching import Place, covers
from sqe.policy.grants.step import Step, argument_error
from sqe.policy.grants.words import (
    grant_words,
    object_words,
    privilege_words,
    subject_words,
)


def grant(step: Step, request: GrantRequest) -> None:
    _must_fit(request.privileges, request.on)
    _must_be_limits(request)
    through = {
        asked: step.authority.grant_option_of(request, asked) for asked in request.privileges
    }
    step.must_know(request.to)
    for privilege, subject in _pairs(request):
        selects = privilege is Privilege.SELECT
        columns = request.columns if selects else None
        wanted = Grant(
            to=subject,
            privilege=privilege,
            on=request.on,
            rows=request.rows if selects else None,
            columns=columns,
            table_uuid=request.table_uuid if columns is not None else "",
            grant_option=request.grant_option,
            through=through[privilege],
            until=request.until,
        )
        _put_once(step, wanted)
        step.say(grant_words(wanted, texts=True))


def deny(step: Step, request: GrantRequest) -> None:
    _must_fit(request.privileges, request.on)
    if request.rows is not None or request.columns is not None or request.grant_option:
        raise argument_error("DENY takes a whole privilege: no ROWS, no COLUMNS, no option.")
    step.authority.must_own(request.on, request.table_uuid)
    step.must_know(request.to)
    for privilege, subject in _pairs(request):
        wanted = Grant(subject, privilege, request.on, deny=True)
        step.put(wanted)
        step.say(grant_words(wanted))


def revoke(step: Step, asked: RevokeRequest) -> None:
    """Denials too; of several, those that the person may take back. What others were given
    through a grant option that is gone goes with it. Taking away what is not there is no error."""
    _must_fit(asked.privileges, asked.on)
    authority = step.authority
    owner = authority.owns(asked.on, asked.table_uuid)
    meant = [grant for grant in step.rules.whole.grants if _is_meant(grant, asked)]
    may = [grant for grant in meant if _may_take_back(authority, grant, owner=owner)]
    if not may and (meant or not owner):
        raise refusal(f"revoke this on {object_words(asked.on)}")
    step.must_know(asked.frm)
    left = [grant for grant in step.rules.whole.grants if grant not in may]
    for grant in may:
        step.change.remove(grant)
        if asked.only_grant_option:
            left.append(replace(grant, grant_option=False))
            step.change.put(left[-1])
    option = "GRANT OPTION FOR " * asked.only_grant_option
    frm = ", ".join(subject_words(grant) for grant in asked.frm)
    privileges = privilege_words(asked.privileges)
    step.say(f"REVOKE {option}{privileges} ON {object_words(asked.on)} FROM {frm}")
    take_back_unfounded(step, left)


def take_back_unfounded(step: Step, left: Sequence[Grant]) -> None:
    """Of the grants that are left, those whose giver has no grant option for them any more. Two
    that only rest on each other rest on nothing."""
    founded = [grant for grant in left if grant.through is None]
    waiting = [grant for grant in left if grant.through is not None]
    while True:
        backed = [grant for grant in waiting if any(_backs(other, grant) for other in founded)]
        if not backed:
            break
        founded += backed
        waiting = [grant for grant in waiting if grant not in backed]
    for grant in waiting:
        step.change.remove(grant)
        words = subject_words(grant.through) if grant.through is not None else ""
        step.say(f"taken back, for {words} may not grant it any more: {grant_words(grant)}")


def _backs(option: Grant, given: Grant) -> bool:
    same = option.to == given.through and option.privilege is given.privilege
    return same and option.grant_option and not option.deny and covers(option.on, given.on)


def _pairs(request: GrantRequest) -> Iterator[tuple[Privilege, Subject]]:
    for privilege in dict.fromkeys(request.privileges):
        for subject in dict.fromkeys(request.to):
            yield privilege, subject


def _put_once(step: Step, wanted: Grant) -> None:
    """With and without the option are one grant, not two."""
    other = replace(wanted, grant_option=not wanted.grant_option)
    before = [replace(grant, by="", at=0.0) for grant in step.rules.kept.grants]
    if other in before:
        if not wanted.grant_option:
            return
        step.change.remove(other)
    step.put(wanted)


def _is_meant(grant: Grant, asked: RevokeRequest) -> bool:
    same = Place.of(grant.on) == Place.of(asked.on)
    option = grant.grant_option or not asked.only_grant_option
    return same and option and grant.to in asked.frm and grant.privilege in asked.privileges


def _may_take_back(authority: Authority, grant: Grant, *, owner: bool) -> bool:
    if grant.deny:
        return authority.may_lift(grant.by) and owner
    by_subject = grant.through is not None and grant.by == authority.user
    return owner or by_subject


def _must_fit(privileges: Sequence[Privilege], on: Object) -> None:
    strange = [privilege for privilege in privileges if privilege not in PRIVILEGES_ON[on.kind]]
    if strange or not privileges:
        held = privilege_words(PRIVILEGES_ON[on.kind])
        words = privilege_words(strange) or "No privilege"
        raise argument_error(
            f"{words} cannot be held on a {on.kind.value}.", hint=f"It can have {held}."
        )
    if bool(on.parts) is (on.kind is ObjectKind.SYSTEM) or not all(on.parts):
        raise argument_error(f"{object_words(on)} is not the name of a {on.kind.value}.")


def _must_be_limits(request: GrantRequest) -> None:
    if request.rows is None and request.columns is None:
        return
    if Privilege.SELECT not in request.privileges or request.on.kind is not ObjectKind.TABLE:
        raise argument_error("ROWS and COLUMNS limit SELECT on tables, and nothing else.")
    names = [column.name.lower() for column in request.columns or ()]
    if request.columns == () or len(set(names)) < len(names):
        raise argument_error("COLUMNS names each column once, and one at least.")
