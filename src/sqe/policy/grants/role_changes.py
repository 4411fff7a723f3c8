"""CREATE and DROP ROLE, and who has which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqe.errors import ErrorCode, UserError
from sqe.model.grants import Role, RoleGrant
from sqe.model.names import quote
from sqe.model.rules import Subject, SubjectKind
from sqe.policy.grants.privilege_changes import take_back_unfounded
from sqe.policy.grants.step import Step, argument_error
from sqe.policy.grants.words import subject_words

_RESERVED = ("public", "all", "none")


def create_role(step: Step, name: str, *, if_not_exists: bool = False) -> None:
    step.authority.must_be_administrator("make roles")
    if not name.strip() or name.lower() in _RESERVED:
        raise argument_error(f"{name or 'Nothing'} cannot be the name of a role.")
    same = [role.name for role in step.rules.kept.roles if role.name.lower() == name.lower()]
    if same == [name] and if_not_exists:
        return
    if same:
        raise UserError(ErrorCode.ROLE_ALREADY_EXISTS, f"There is a role {same[0]} already.")
    step.put(Role(name))
    step.say(f"CREATE ROLE {quote(name)}")


def drop_role(step: Step, name: str, *, if_exists: bool = False) -> None:
    """With everything that was granted to it, and through it. By administrators: what is denied to
    a role is lifted with it."""
    step.authority.must_be_administrator("drop roles")
    if not step.has_role(name):
        if if_exists:
            return
        step.must_have_role(name)
    kept, role = step.rules.kept, Subject(SubjectKind.ROLE, name)
    step.change.remove(Role(name))
    for held in kept.role_grants:
        if held.role == name or held.to == role:
            step.change.remove(held)
    left = [item for item in kept.grants if item.to != role]
    for grant in kept.grants:
        if grant.to == role:
            step.change.remove(grant)
    for place in kept.attachments:
        if role in place.exempt:
            step.change.remove(place)
            others = tuple(item for item in place.exempt if item != role)
            step.change.put(replace(place, exempt=others))
    step.say(f"DROP ROLE {quote(name)}")
    take_back_unfounded(step, left)


def grant_roles(
    step: Step, roles: Sequence[str], to: Sequence[Subject], *, admin_option: bool = False
) -> None:
    for role in roles:
        step.authority.must_administer(role)
        step.must_have_role(role)
    step.must_know(to)
    targets = {new_role.name for new_role in to if new_role.kind is SubjectKind.ROLE}
    for role in roles:
        back = sorted(targets & step.rules.roles_with(role))
        if back:
            raise argument_error(
                f"The role {role} has the role {back[0]}: a role cannot have itself.",
                hint="SHOW ROLE GRANTS lists who has which.",
            )
    held = {(grant.role, grant.to): grant for grant in step.rules.kept.role_grants}
    for role in roles:
        for subject in to:
            before = held.get((role, subject))
            option = admin_option or (before is not None and before.admin_option)
            step.put(RoleGrant(role, subject, option))
            words = " WITH ADMIN OPTION" * admin_option
            step.say(f"GRANT ROLE {quote(role)} TO {subject_words(subject)}{words}")


def revoke_roles(
    step: Step, roles: Sequence[str], frm: Sequence[Subject], *, only_admin_option: bool = False
) -> None:
    """Taking away what is not there is no error."""
    for role in roles:
        step.authority.must_administer(role)
        step.must_have_role(role)
    step.must_know(frm)
    for held in step.rules.kept.role_grants:
        if held.role not in roles or held.to not in frm:
            continue
        if only_admin_option:
            step.change.put(replace(held, admin_option=False))
        else:
            step.change.remove(held)
        words = "ADMIN OPTION FOR " * only_admin_option
        step.say(f"REVOKE {words}ROLE {quote(held.role)} FROM {subject_words(held.to)}")
