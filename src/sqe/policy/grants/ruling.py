"""What the rules say about one table for one person, and why.

All filters hold, of a column's masks the strictest does. A grant without COLUMNS shows all of
them, several with COLUMNS show all that any of them names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqe.model.decision import Allow, ColumnFacts, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.grants import (
    THE_COLUMN,
    Attachment,
    ColumnRule,
    Grant,
    NamedPolicy,
    RowFilterPolicy,
)
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask, Mask, strictest_of
from sqe.model.names import quote
from sqe.model.rules import Object, ObjectKind, Privilege
from sqe.policy.grants.matching import Place, may_be, surely_is
from sqe.policy.grants.rules import Rules
from sqe.policy.grants.words import grant_words, words_of_attachment

Masked = tuple[ColumnFacts, Mask]


@dataclass(frozen=True, slots=True)
class PlacedPolicy:
    """A policy by name that is on the table. ``columns``: those that a mask is for."""

    policy: NamedPolicy
    place: Attachment
    columns: tuple[ColumnFacts, ...]
    exempt: bool  # the person is

    def masks(self) -> Iterator[Masked]:
        if self.exempt or isinstance(self.policy, RowFilterPolicy):
            return
        for column in self.columns:
            yield column, _mask_on(column, self.policy.mask)


def select_grants(
    grants: list[Grant], privilege: Privilege, kind: ObjectKind
) -> tuple[list[Grant], list[Grant]]:
    """Of the grants on an object of that kind: those that give the privilege, and the denials."""
    denied = {grant.privilege for grant in grants if grant.deny}
    lends = privilege is Privilege.LEND
    asked = {Privilege.SELECT if lends else privilege, Privilege.OWN}
    denials = [grant for grant in grants if grant.deny and grant.privilege in asked]
    gives = [
        grant
        for grant in grants
        if grant.privilege not in denied  # and so no denial itself
        and (grant.privilege in asked or (privilege is Privilege.SHOW and _shows(grant, kind)))
        and (not lends or grant.grant_option or grant.privilege is Privilege.OWN)
    ]
    return gives, denials


def _shows(grant: Grant, kind: ObjectKind) -> bool:
    """Users with any privilege on an object may know that it is there. A user who may only add to a
    schema or catalog, or run its procedures, is not told of the tables of others."""
    adds = grant.privilege in (Privilege.CREATE, Privilege.EXECUTE)
    return kind is not ObjectKind.TABLE or grant.on.kind is ObjectKind.TABLE or not adds


class Ruling:
    """For people who are not administrators."""

    def __init__(self, rules: Rules, identity: Identity, table: TableFacts) -> None:
        self.table = table
        subjects = rules.subjects(identity)
        place = Place.of(Object.table(table.name))
        all_grants = rules.grants(subjects, place)
        self.grants, self.denials = select_grants(all_grants, table.privilege, ObjectKind.TABLE)
        self.owner = rules.owner(table.name.parts, table.uuid) == identity.user
        self.placed = [
            PlacedPolicy(
                rules.policies[attachment.policy.lower()],
                attachment,
                columns,
                exempt=not subjects.isdisjoint(attachment.exempt),
            )
            for attachment, columns in _list_placed(rules, place, table)
        ]

    def decision(self) -> Decision:
        if self.denials:
            return Deny(grant_words(self.denials[0]))
        if not self.grants and not self.owner:
            return Deny(f"nothing grants {self.table.privilege.value}")
        if self.table.privilege is not Privilege.SELECT:
            return Allow(self._reason())
        if self._some_columns() and not self.table.columns:
            return Deny("only some columns are granted, and the columns are not known")
        hidden = self._find_hidden()
        masks: dict[str, Mask] = {}
        for name, mask in self._masks().items():
            strict = strictest_of(mask)
            if strict is None:
                return Deny(f"masks on column {name}, none the strictest one")
            if name not in hidden:
                masks[name] = strict
        filters = tuple(sorted(set(self._filters()), key=lambda one: (one.sql, one.check)))
        if not (filters or masks or hidden):
            return Allow(self._reason())
        return Restrict(self._reason(), filters, masks, hidden)

    def _find_hidden(self) -> frozenset[str]:
        if not self._some_columns():
            return frozenset()
        shown = [(rule, grant.table_uuid) for grant in self.grants for rule in grant.columns or ()]
        return frozenset(
            column.name
            for column in self.table.columns
            if not any(surely_is(rule, uuid, column, self.table) for rule, uuid in shown)
        )

    def list_masks_of(self, grant: Grant) -> Iterator[Masked]:
        for rule in grant.columns or ():
            for column in self.table.columns:
                if rule.mask is not None and may_be(rule, grant.table_uuid, column, self.table):
                    yield column, _mask_on(column, rule.mask)

    def _some_columns(self) -> bool:
        return not self.owner and all(grant.columns is not None for grant in self.grants)

    def _masks(self) -> dict[str, list[Mask]]:
        masks: dict[str, list[Mask]] = {}
        by_grants = (masked for grant in self.grants for masked in self.list_masks_of(grant))
        by_policies = (masked for placed in self.placed for masked in placed.masks())
        for column, mask in (*by_grants, *by_policies):
            masks.setdefault(column.name, []).append(mask)
        return masks

    def _filters(self) -> Iterator[RowFilter]:
        for grant in self.grants:
            if grant.rows is not None:
                yield grant.rows
        for placed in self.placed:
            if isinstance(placed.policy, RowFilterPolicy) and not placed.exempt:
                yield placed.policy.filter

    def _reason(self) -> str:
        why = ["the owner"] if self.owner else []
        why += [grant_words(grant) for grant in self.grants]
        why += [
            words_of_attachment(placed_policy.policy, placed_policy.place)
            for placed_policy in self.placed
            if not placed_policy.exempt
        ]
        return "; ".join(sorted(set(why)))


def _mask_on(column: ColumnFacts, mask: Mask) -> Mask:
    if isinstance(mask, ExpressionMask):
        return ExpressionMask(mask.sql.replace(THE_COLUMN, quote(column.name)), mask.dialect)
    return mask


def _list_placed(
    rules: Rules, place: Place, table: TableFacts
) -> Iterator[tuple[Attachment, tuple[ColumnFacts, ...]]]:
    """The policies on the table and, if they are masks, the columns they are for."""
    if table.privilege is not Privilege.SELECT:
        return
    for attachment in rules.list_attached(place, table.uuid):
        yield attachment, _columns(table, attachment.columns, attachment.table_uuid)
    tagged: dict[str, dict[ColumnFacts, None]] = {}
    for tag in rules.tags(table.name, table.uuid):
        on = ColumnRule(tag.column, tag.field_id)
        columns = _columns(table, (on,), tag.table_uuid) if tag.column else table.columns
        tagged.setdefault(tag.tag.lower(), {}).update(dict.fromkeys(columns))
    for name, tagged_columns in tagged.items():
        for attachment in rules.list_attached_to_tag(name):
            yield attachment, tuple(tagged_columns)


def _columns(
    table: TableFacts, rules: tuple[ColumnRule, ...], uuid: str
) -> tuple[ColumnFacts, ...]:
    return tuple(
        column
        for column in table.columns
        if any(may_be(rule, uuid, column, table) for rule in rules)
    )
