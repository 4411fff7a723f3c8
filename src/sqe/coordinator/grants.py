"""GRANT, REVOKE, DENY, roles, row filters, column masks and tags: asked of the book of grants.

The book decides who may change what and keeps a record of every change; here names are resolved
and expressions are checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from sqe.coordinator.call import Answer, CommandCall, Row, answer
from sqe.coordinator.granted import (
    Checked,
    check_there,
    facts_of_relation,
    object_of,
    refuse_probing,
    relation_name,
    table_facts,
    table_uuid,
)
from sqe.errors import ErrorCode
from sqe.model.decision import ColumnFacts
from sqe.model.grants import (
    Attachment,
    ColumnRule,
    GrantRequest,
    MaskPolicy,
    NamedPolicy,
    RevokeRequest,
    RowFilterPolicy,
    Tag,
)
from sqe.model.rules import Object, Subject
from sqe.policy.grants.matching import may_be
from sqe.sql.access import commands
from sqe.sql.statement import Command

if TYPE_CHECKING:
    from sqe.policy.grants.book import GrantBook

_C = TypeVar("_C", bound=Command)
_Change = Callable[[_C, CommandCall, "GrantBook"], None]


def _create_role(command: commands.CreateRole, call: CommandCall, book: GrantBook) -> None:
    name = command.role.text
    book.create_role(call.session.identity, name, if_not_exists=command.if_not_exists)


def _drop_role(command: commands.DropRole, call: CommandCall, book: GrantBook) -> None:
    book.drop_role(call.session.identity, command.role.text, if_exists=command.if_exists)


def _grant_role(command: commands.GrantRole, call: CommandCall, book: GrantBook) -> None:
    roles = tuple(role.text for role in command.roles)
    book.grant_roles(
        call.session.identity, roles, command.subjects, admin_option=command.admin_option
    )


def _revoke_role(command: commands.RevokeRole, call: CommandCall, book: GrantBook) -> None:
    roles = tuple(role.text for role in command.roles)
    book.revoke_roles(
        call.session.identity, roles, command.subjects, only_admin_option=command.only_admin_option
    )


def _grant(command: commands.Grant, call: CommandCall, book: GrantBook) -> None:
    on = object_of(command.on, call)
    check_there(command.on, on, call)
    table = table_facts(call) if command.on.is_reference else None
    checked = Checked(call, book, table, [], on)
    request = GrantRequest(
        command.privileges,
        on,
        command.subjects,
        checked.row_filter(command.rows) if command.rows is not None else None,
        checked.column_rules(command.columns),
        table.uuid if table is not None else "",
        command.grant_option,
        tuple(dict.fromkeys(checked.reads)),
        command.until,
    )
    refuse_probing(request, call, book, of_table=command.on.is_reference)
    book.grant(call.session.identity, request)


def _deny(command: commands.Deny, call: CommandCall, book: GrantBook) -> None:
    on = object_of(command.on, call)
    uuid = table_uuid(call) if command.on.is_reference else ""
    request = GrantRequest(command.privileges, on, command.subjects, table_uuid=uuid)
    book.deny(call.session.identity, request)


def _revoke(command: commands.Revoke, call: CommandCall, book: GrantBook) -> None:
    uuid = table_uuid(call) if command.on.is_reference else ""
    on, frm = object_of(command.on, call), command.subjects
    request = RevokeRequest(command.privileges, on, frm, command.only_grant_option, uuid)
    book.revoke(call.session.identity, request)


def _create_filter(command: commands.CreateRowFilter, call: CommandCall, book: GrantBook) -> None:
    checked = Checked(call, book, None, [])
    policy = RowFilterPolicy(command.name.text, checked.row_filter(command.rows))
    _create_policy(policy, command, call, book)


def _create_mask(command: commands.CreateColumnMask, call: CommandCall, book: GrantBook) -> None:
    mask = Checked(call, book, None, []).mask(command.mask)
    policy = MaskPolicy(command.name.text, mask)
    _create_policy(policy, command, call, book)


def _create_policy(
    policy: NamedPolicy,
    command: commands.CreateRowFilter | commands.CreateColumnMask,
    call: CommandCall,
    book: GrantBook,
) -> None:
    book.create_policy(
        call.session.identity,
        policy,
        or_replace=command.replace,
        if_not_exists=command.if_not_exists,
    )


def _drop_filter(command: commands.DropRowFilter, call: CommandCall, book: GrantBook) -> None:
    book.drop_policy(
        call.session.identity, command.name.text, RowFilterPolicy, if_exists=command.if_exists
    )


def _drop_mask(command: commands.DropColumnMask, call: CommandCall, book: GrantBook) -> None:
    book.drop_policy(
        call.session.identity, command.name.text, MaskPolicy, if_exists=command.if_exists
    )


def _add_filter(command: commands.AddRowFilter, call: CommandCall, book: GrantBook) -> None:
    checked = _check_relation(call, book)
    policy = checked.policy(command.name)
    if isinstance(policy, RowFilterPolicy):
        checked.check_filter(policy, command.name)
    book.attach(call.session.identity, _on_table(command.name.text, call, command.exempt))


def _remove_filter(command: commands.RemoveRowFilter, call: CommandCall, book: GrantBook) -> None:
    book.detach(call.session.identity, _on_table(command.name.text, call))


def _set_mask(command: commands.SetColumnMask, call: CommandCall, book: GrantBook) -> None:
    checked = _check_relation(call, book)
    column, table = checked.column_rule(command.column), checked.table
    policy = checked.policy(command.name)
    if isinstance(policy, MaskPolicy) and table is not None:
        facts = next(candidate for candidate in table.columns if candidate.name == column.name)
        checked.check_mask(policy, facts, command.name)
    attachment = _on_table(command.name.text, call, command.exempt, (column,))
    book.attach(call.session.identity, attachment)


def _unset_mask(command: commands.UnsetColumnMask, call: CommandCall, book: GrantBook) -> None:
    identity, wanted = call.session.identity, command.column.text.lower()
    table, facts = Object.table(relation_name(call)), facts_of_relation(call)
    known = (candidate for candidate in facts.columns if candidate.name.lower() == wanted)
    column = next(known, ColumnFacts(command.column.text))  # one that is gone may have had a mask
    attached = [
        attachment
        for attachment in book.attachments(identity, table)
        if attachment.on == table
        and any(may_be(rule, attachment.table_uuid, column, facts) for rule in attachment.columns)
    ]
    if not attached:
        raise call.error(
            ErrorCode.POLICY_NOT_FOUND,
            f"The column {command.column.text} has no mask of its own.",
            command.column.span,
            "SHOW EFFECTIVE POLICY tells where its masks come from.",
        )
    for candidate in attached:
        book.detach(identity, candidate)


def _set_tag(command: commands.SetTag, call: CommandCall, book: GrantBook) -> None:
    book.set_tag(call.session.identity, _tag(command.tag, command.column, call, book))


def _unset_tag(command: commands.UnsetTag, call: CommandCall, book: GrantBook) -> None:
    book.unset_tag(call.session.identity, _tag(command.tag, command.column, call, book))


def _apply(command: commands.ApplyToTag, call: CommandCall, book: GrantBook) -> None:
    book.attach(call.session.identity, _on_tag(command, call, book, command.exempt))


def _remove(command: commands.RemoveFromTag, call: CommandCall, book: GrantBook) -> None:
    book.detach(call.session.identity, _on_tag(command, call, book))


def _on_tag(
    command: commands.ApplyToTag | commands.RemoveFromTag,
    call: CommandCall,
    book: GrantBook,
    exempt: tuple[Subject, ...] = (),
) -> Attachment:
    policy = book.policy(call.session.identity, command.name.text)
    if policy is not None and isinstance(policy, MaskPolicy) is not command.mask:
        kind = "row filter" if command.mask else "column mask"
        raise call.error(
            ErrorCode.INVALID_ARGUMENT, f"{command.name.text} is a {kind}.", command.name.span
        )
    return Attachment(command.name.text, tag=command.tag.text, exempt=exempt)


def _on_table(
    policy: str,
    call: CommandCall,
    exempt: tuple[Subject, ...] = (),
    columns: tuple[ColumnRule, ...] = (),
) -> Attachment:
    on = Object.table(relation_name(call))
    return Attachment(policy, on, columns=columns, table_uuid=table_uuid(call), exempt=exempt)


def _tag(
    tag: commands.Word, column: commands.Word | None, call: CommandCall, book: GrantBook
) -> Tag:
    table = table_facts(call)
    if column is None:
        return Tag(tag.text, relation_name(call), table_uuid=table_uuid(call))
    rule = Checked(call, book, table, []).column_rule(column)
    return Tag(tag.text, relation_name(call), rule.name, rule.field_id, table_uuid(call))


def _check_relation(call: CommandCall, book: GrantBook) -> Checked:
    """What is said about the relation that the statement names."""
    return Checked(call, book, table_facts(call), [], Object.table(relation_name(call)))


def _make_answer(change: _Change[_C]) -> Answer:
    def rows(command: _C, call: CommandCall) -> list[Row]:
        change(command, call, call.access.open_for(call.statement.bound.statement))
        return []

    return answer((), rows)


GRANTS: dict[type[Command], Answer] = {
    commands.CreateRole: _make_answer(_create_role),
    commands.DropRole: _make_answer(_drop_role),
    commands.GrantRole: _make_answer(_grant_role),
    commands.RevokeRole: _make_answer(_revoke_role),
    commands.Grant: _make_answer(_grant),
    commands.Deny: _make_answer(_deny),
    commands.Revoke: _make_answer(_revoke),
    commands.CreateRowFilter: _make_answer(_create_filter),
    commands.CreateColumnMask: _make_answer(_create_mask),
    commands.DropRowFilter: _make_answer(_drop_filter),
    commands.DropColumnMask: _make_answer(_drop_mask),
    commands.AddRowFilter: _make_answer(_add_filter),
    commands.RemoveRowFilter: _make_answer(_remove_filter),
    commands.SetColumnMask: _make_answer(_set_mask),
    commands.UnsetColumnMask: _make_answer(_unset_mask),
    commands.SetTag: _make_answer(_set_tag),
    commands.UnsetTag: _make_answer(_unset_tag),
    commands.ApplyToTag: _make_answer(_apply),
    commands.RemoveFromTag: _make_answer(_remove),
}
