"""SHOW of roles, grants, policies and tags."""

from __future__ import annotations

from sqe.model.rules import Subject, SubjectKind
from sqe.sql.access.clauses import read_list, subject, word
from sqe.sql.access.commands import (
    AccessLook,
    ShowColumnMasks,
    ShowCurrentRoles,
    ShowEffectivePolicy,
    ShowGrants,
    ShowRoleGrants,
    ShowRoles,
    ShowRowFilters,
    ShowTags,
)
from sqe.sql.access.targets import read_target
from sqe.sql.commands import Name
from sqe.sql.cursor import TokenCursor

Shown = tuple[AccessLook, Name | None]  # and the table it is about


def read_show(cursor: TokenCursor) -> Shown | None:
    """None for SHOW of anything else."""
    if cursor.accept("ROLES"):
        return ShowRoles(), None
    if cursor.accept("CURRENT", "ROLES"):
        return ShowCurrentRoles(), None
    if cursor.accept("ROLE", "GRANTS"):
        return ShowRoleGrants(_whose(cursor)), None
    if cursor.accept("GRANTS"):
        return _grants(cursor)
    if cursor.accept("ROW", "FILTERS"):
        return ShowRowFilters(), None
    if cursor.accept("COLUMN", "MASKS"):
        return ShowColumnMasks(), None
    if cursor.accept("TAGS"):
        return ShowTags(), None if cursor.at_end() else _on(cursor)
    if cursor.accept("EFFECTIVE", "POLICY"):
        return _effective(cursor)
    return None


def _whose(cursor: TokenCursor) -> Subject | None:
    return subject(cursor) if cursor.accept_one_of("FOR", "TO") else None


def _on(cursor: TokenCursor) -> Name:
    cursor.expect("ON")
    cursor.accept_before_name("TABLE", "VIEW")
    return Name(*cursor.take_dotted_name("a table"))


def _grants(cursor: TokenCursor) -> Shown:
    on = read_target(cursor) if cursor.accept("ON") else None
    command = ShowGrants(on, _whose(cursor))
    return command, on.name if on is not None and on.is_reference else None


def _effective(cursor: TokenCursor) -> Shown:
    who = _whose(cursor)
    groups: tuple[str, ...] = ()
    if who is not None and who.kind is SubjectKind.USER and cursor.accept("GROUPS"):
        cursor.expect("(")
        groups = tuple(group.text for group in read_list(cursor, lambda: word(cursor, "a group")))
        cursor.expect(")")
    return ShowEffectivePolicy(who, groups), _on(cursor)
