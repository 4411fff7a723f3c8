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
    hidden_columns,
    object_of,
    relation_name,
    table_uuid,
)
from sqe.model.grants import THE_COLUMN, MaskPolicy, NamedPolicy, RowFilterPolicy
from sqe.model.mask_words import mask_words
from sqe.model.query import Column
from sqe.model.rules import Subject
from sqe.policy.grants.known import known_grants
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


def _held(command: commands.ShowCurrentRoles, call: CommandCall, book: GrantBook) -> Iterator[Row]:
    for role in sorted(book.held_roles(call.session.identity)):
        yield (role,)


def _role_grants(
    command: commands.ShowRoleGrants, call: CommandCall, book: GrantBook
) -> Iterator[Row]:
    for one in book.role_grants(call.session.identity, command.subject):
        yield one.role, *_subject(one.to), one.admin_option, one.by or None, _moment(one.at)


def _grants(command: commands.ShowGrants, call: CommandCall, book: GrantBook) -> Iterator[Row]:
    identity = call.session.identity
    on = object_of(command.on, call) if command.on is not None else None
    uuid = table_uuid(call) if command.on is not None and command.on.is_reference else ""
    found = book.grants(identity, on, command.subject, table_uuid=uuid)
    for one in known_grants(call.access.policy, identity, found):
        yield (
            "deny" if one.deny else "grant",
            one.privilege.value,
            object_words(one.on),
            *_subject(one.to),
            one.rows.sql if one.rows is not None else None,
            column_words(one.columns) if one.columns is not None else None,
            one.grant_option,
            one.by or None,
            _moment(one.at),
        )


def _filters(command: commands.ShowRowFilters, call: CommandCall, book: GrantBook) -> Iterator[Row]:
    for one in _policies(call, book):
        if isinstance(one, RowFilterPolicy):
            kept = one.filter
            yield one.name, kept.sql, kept.check, _places(one, call, book), one.by or None


def _masks(command: commands.ShowColumnMasks, call: CommandCall, book: GrantBook) -> Iterator[Row]:
    for one in _policies(call, book):
        if isinstance(one, MaskPolicy):
            words = mask_words(one.mask).replace(THE_COLUMN, "the_column")
            yield one.name, words, _places(one, call, book), one.by or None


def _policies(call: CommandCall, book: GrantBook) -> list[NamedPolicy]:
    return sorted(book.policies(call.session.identity), key=lambda one: one.name.lower())


def _places(policy: NamedPolicy, call: CommandCall, book: GrantBook) -> str | None:
    """Where it is in force, as far as the user may know."""
    found = book.attachments(call.session.identity)
    mine = [place_words(one) for one in found if one.policy.lower() == policy.name.lower()]
    return "; ".join(mine) or None


def _tags(command: commands.ShowTags, call: CommandCall, book: GrantBook) -> Iterator[Row]:
    identity = call.session.identity
    if call.statement.bound.references:
        hidden = hidden_columns(call)
        found = book.tags(identity, relation_name(call), table_uuid(call))
        shown = [one for one in found if one.column.lower() not in hidden]
    else:
        shown = book.all_tags(identity)
    for one in shown:
        yield str(one.table), one.column or None, one.tag, one.by or None


def _subject(one: Subject) -> tuple[str, str]:
    return one.name or one.kind.value, one.kind.value


def _moment(at: float) -> datetime.datetime | None:
    return datetime.datetime.fromtimestamp(at, datetime.UTC) if at else None


def _shown(columns: tuple[Column, ...], look: _Look[_C]) -> Answer:
    def rows(command: _C, call: CommandCall) -> Iterable[Row]:
        book = call.access.opened_for(call.statement.bound.statement)
        return look(command, call, book)

    return answer(columns, rows)


GRANT_SHOWS: dict[type[Command], Answer] = {
    commands.ShowRoles: _shown(strings("role"), _roles),
    commands.ShowCurrentRoles: _shown(strings("role"), _held),
    commands.ShowRoleGrants: _shown(
        (
            *strings("role", "grantee", "grantee_type"),
            Column("admin_option", "boolean"),
            *strings("grantor"),
            _WHEN,
        ),
        _role_grants,
    ),
    commands.ShowGrants: _shown(
        (
            *strings("effect", "privilege", "object", "grantee", "grantee_type", "rows", "columns"),
            Column("grant_option", "boolean"),
            *strings("grantor"),
            _WHEN,
        ),
        _grants,
    ),
    commands.ShowRowFilters: _shown(
        (
            *strings("name", "condition"),
            Column("with_check", "boolean"),
            *strings("applied_to", "created_by"),
        ),
        _filters,
    ),
    commands.ShowColumnMasks: _shown(strings("name", "mask", "applied_to", "created_by"), _masks),
    commands.ShowTags: _shown(strings("table", "column", "tag", "set_by"), _tags),
}
