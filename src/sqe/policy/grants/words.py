"""Rules in words, for reasons, lists and the audit log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from sqe.model.grants import (
    THE_COLUMN,
    Attachment,
    ColumnRule,
    Grant,
    NamedPolicy,
    RowFilterPolicy,
)
from sqe.model.mask_words import mask_words
from sqe.model.masks import ExpressionMask
from sqe.model.names import quote
from sqe.model.rules import Object, ObjectKind, Privilege, Subject


def grant_words(grant: Grant, *, texts: bool = False) -> str:
    """``texts``: with its expressions, which not everybody who reads it is meant to know."""
    verb = "DENY" if grant.deny else "GRANT"
    rows = ""
    if grant.rows is not None:
        rows = f" ROWS WHERE ({grant.rows.sql if texts else '…'})"
        rows += " WITH CHECK" if grant.rows.check else ""
    columns = ""
    if grant.columns is not None:
        columns = f" COLUMNS ({column_words(grant.columns) if texts else '…'})"
    option = " WITH GRANT OPTION" if grant.grant_option else ""
    if grant.until is not None:
        option += f" VALID UNTIL '{datetime.fromtimestamp(grant.until, UTC).isoformat()}'"
    what = f"{grant.privilege.value.upper()} ON {object_words(grant.on)}"
    return f"{verb} {what} TO {subject_words(grant.to)}{rows}{columns}{option}"


def without_texts(grant: Grant) -> Grant:
    """The grant with an ellipsis for each of its expressions and masks."""
    rows = None if grant.rows is None else replace(grant.rows, sql="…")
    columns = grant.columns
    if columns is not None:
        some = ExpressionMask("…")
        columns = tuple(replace(column, mask=some) if column.mask else column for column in columns)
    return replace(grant, rows=rows, columns=columns)


def object_words(on: Object) -> str:
    """As GRANT has it: wildcards are not quoted."""
    if on.kind is ObjectKind.SYSTEM:
        return "SYSTEM"
    parts = (part if "*" in part else quote(part) for part in on.parts)
    return f"{on.kind.value.upper()} {'.'.join(parts)}"


def subject_words(subject: Subject) -> str:
    kind = subject.kind.value.upper()
    return f"{kind} {quote(subject.name)}" if subject.name else kind


def privilege_words(privileges: Iterable[Privilege]) -> str:
    return ", ".join(privilege.value.upper() for privilege in privileges)


def column_words(columns: Sequence[ColumnRule]) -> str:
    """With their masks."""
    masks = (
        f" MASKED WITH ({mask_words(column.mask)})" if column.mask else "" for column in columns
    )
    return ", ".join(quote(column.name) + mask for column, mask in zip(columns, masks, strict=True))


def place_words(place: Attachment) -> str:
    on = f"TAG {quote(place.tag)}" if place.on is None else object_words(place.on)
    columns = f" ({column_words(place.columns)})" if place.columns else ""
    exempt = ", ".join(subject_words(subject) for subject in place.exempt)
    return f"{on}{columns}" + (f" EXCEPT {exempt}" if exempt else "")


def policy_words(policy: NamedPolicy, *, texts: bool = False) -> str:
    if isinstance(policy, RowFilterPolicy):
        text = f" WHERE ({policy.filter.sql})" + " WITH CHECK" * policy.filter.check
        return f"ROW FILTER {quote(policy.name)}" + text * texts
    mask = mask_words(policy.mask).replace(THE_COLUMN, "{column}")
    return f"COLUMN MASK {quote(policy.name)}" + f" AS {mask}" * texts


def words_of_attachment(policy: NamedPolicy, place: Attachment) -> str:
    return f"{policy_words(policy)} ON {place_words(place)}"
