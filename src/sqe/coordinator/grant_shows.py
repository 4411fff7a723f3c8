"""SHOW of roles, grants, row filters, column masks and tags, of what the user may know.

Which rules somebody may know of, and whether the text of their expressions too, is the book's to
say.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from sqe.coordinator.call import Answer, CommandCall, Row, answer, strings
from sqe.coordinator.granted import (
    find_hidden_columns,
    object_of,
    relation_name,
    table_uuid,
)
from sqe.model.grants import THE_COLUMN, MaskPolicy, NamedPolicy, RowFilterPolicy
from sqe.model.mask_words import mask_words
from sqe.model.query import Column
from sqe.model.rules import Subject
from sqe.policy.grants.known import list_visible_grants
from sqe.policy.grants.words import column_words, object_words, place_words
from sqe.sql.access import commands
from sqe.sql.statement import Command

if TYPE_CHECKING:
    from sqe.policy.grants.book import GrantBook

_C = TypeVar("_C", bound=Command)
_Look = Callable[[_C, CommandCall, "GrantBook"], Iterable[Row]]
_WHEN = Column("granted_at", "timestamp")


def _roles(command: commands.ShowRoles, call: CommandCall, book: GrantBook) -> Iterator[Row]:
    for role in book.roles(call.session.identity):
        yield (role.name,)


def _list_held_roles(
    command: commands.ShowCurrentRoles, call: CommandCall, book: GrantBook
) -> Iterator[Row]:
    for role in sorted(book.list_held_roles(call.session.identity)):
        yield (role,)


def _role_grants(
    command: commands.ShowRoleGrants, call: CommandCall, book: GrantBook
) -> Iterator[Row]:
    for grant in book.role_grants(call.session.identity, command.subject):
        yield (
            grant.role,
            *_subject(grant.to),
            grant.admin_option,
            grant.by or None,
            _moment(grant.at),
        )


def _grants(command: commands.ShowGrants, call: CommandCall, book: GrantBook) -> Iterator[Row]:
    identity = call.session.identity
    on = object_of(command.on, call) if command.on is not None else None
    uuid = table_uuid(call) if command.on is not None and command.on.is_reference else ""
    grants = book.grants(identity, on, command.subject, table_uuid=uuid)
    for grant in list_visible_grants(call.access.policy, identity, grants):
        yield (
            "deny" if grant.deny else "grant",
            grant.privilege.value,
            object_words(grant.on),
            *_subject(grant.to),
            grant.rows.sql if grant.rows is not None else None,
            column_words(grant.columns) if grant.columns is not None else None,
            grant.grant_option,
            grant.by or None,
            _moment(grant.at),
        )


def _filters(command: commands.ShowRowFilters, call: CommandCall, book: GrantBook) -> Iterator[Row]:
    for policy in _policies(call, book):
        if isinstance(policy, RowFilterPolicy):
            kept = policy.filter
            yield policy.name, kept.sql, kept.check, _places(policy, call, book), policy.by or None


def _masks(command: commands.ShowColumnMasks, call: CommandCall, book: GrantBook) -> Iterator[Row]:
    for policy in _policies(call, book):
        if isinstance(policy, MaskPolicy):
            words = mask_words(policy.mask).replace(THE_COLUMN, "the_column")
            yield policy.name, words, _places(policy, call, book), policy.by or None


def _policies(call: CommandCall, book: GrantBook) -> list[NamedPolicy]:
    return sorted(book.policies(call.session.identity), key=lambda one: one.name.lower())


def _places(policy: NamedPolicy, call: CommandCall, book: GrantBook) -> str | None:
    """Where it is in force, as far as the user may know."""
    attachments = book.attachments(call.session.identity)
    mine = [
        place_words(attachment)
        for attachment in attachments
        if attachment.policy.lower() == policy.name.lower()
    ]
    return "; ".join(mine) or None


def _tags(command: commands.ShowTags, call: CommandCall, book: GrantBook) -> Iterator[Row]:
    identity = call.session.identity
    if call.statement.bound.references:
        hidden = find_hidden_columns(call)
        tags = book.tags(identity, relation_name(call), table_uuid(call))
        shown = [tag for tag in tags if tag.column.lower() not in hidden]
    else:
        shown = book.all_tags(identity)
    for tag in shown:
        yield str(tag.table), tag.column or None, tag.tag, tag.by or None


def _subject(one: Subject) -> tuple[str, str]:
    return one.name or one.kind.value, one.kind.value


def _moment(at: float) -> datetime.datetime | None:
    return datetime.datetime.fromtimestamp(at, datetime.UTC) if at else None


def _make_answer(columns: tuple[Column, ...], look: _Look[_C]) -> Answer:
    def rows(command: _C, call: CommandCall) -> Iterable[Row]:
        book = call.access.open_for(call.statement.bound.statement)
        return look(command, call, book)

    return answer(columns, rows)


GRANT_SHOWS: dict[type[Command], Answer] = {
    commands.ShowRoles: _make_answer(strings("role"), _roles),
    commands.ShowCurrentRoles: _make_answer(strings("role"), _list_held_roles),
    commands.ShowRoleGrants: _make_answer(
        (
            *strings("role", "grantee", "grantee_type"),
            Column("admin_option", "boolean"),
            *strings("grantor"),
            _WHEN,
        ),
        _role_grants,
    ),
    commands.ShowGrants: _make_answer(
        (
            *strings("effect", "privilege", "object", "grantee", "grantee_type", "rows", "columns"),
            Column("grant_option", "boolean"),
            *strings("grantor"),
            _WHEN,
        ),
        _grants,
    ),
    commands.ShowRowFilters: _make_answer(
        (
            *strings("name", "condition"),
            Column("with_check", "boolean"),
            *strings("applied_to", "created_by"),
        ),
        _filters,
    ),
    commands.ShowColumnMasks: _make_answer(
        strings("name", "mask", "applied_to", "created_by"), _masks
    ),
    commands.ShowTags: _make_answer(strings("table", "column", "tag", "set_by"), _tags),
}
