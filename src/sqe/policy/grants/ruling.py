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
from sqe.policy.grants.words import grant_words, placed_words

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


def held(
    grants: list[Grant], privilege: Privilege, kind: ObjectKind
) -> tuple[list[Grant], list[Grant]]:
    """Of the grants on an object of that kind: those that give the privilege, and the denials."""
    denied = {one.privilege for one in grants if one.deny}
    asked = {privilege, Privilege.OWN}
    denials = [one for one in grants if one.deny and one.privilege in asked]
    gives = [
        one
        for one in grants
        if one.privilege not in denied  # and so no denial itself
        and (one.privilege in asked or (privilege is Privilege.SHOW and _shows(one, kind)))
    ]
    return gives, denials


def _shows(grant: Grant, kind: ObjectKind) -> bool:
    """Whoever has any privilege on an object may know that it is there. Who may only add to a
    schema or catalog, or run its procedures, is not told of the tables of others."""
    adds = grant.privilege in (Privilege.CREATE, Privilege.EXECUTE)
    return kind is not ObjectKind.TABLE or grant.on.kind is ObjectKind.TABLE or not adds


class Ruling:
    """For people who are not administrators."""

    def __init__(self, rules: Rules, identity: Identity, table: TableFacts) -> None:
        self.table = table
        subjects = rules.subjects(identity)
        place = Place.of(Object.table(table.name))
        found = rules.grants(subjects, place)
        self.grants, self.denials = held(found, table.privilege, ObjectKind.TABLE)
        self.owner = rules.owner(table.name.parts, table.uuid) == identity.user
        self.placed = [
            PlacedPolicy(
                rules.policies[one.policy.lower()],
                one,
                columns,
                exempt=not subjects.isdisjoint(one.exempt),
            )
            for one, columns in _placed(rules, place, table)
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
        hidden = self.hidden()
        masks: dict[str, Mask] = {}
        for name, found in self._masks().items():
            strict = strictest_of(found)
            if strict is None:
                return Deny(f"masks on column {name}, none the strictest one")
            if name not in hidden:
                masks[name] = strict
        filters = tuple(sorted(set(self._filters()), key=lambda one: (one.sql, one.check)))
        if not (filters or masks or hidden):
            return Allow(self._reason())
        return Restrict(self._reason(), filters, masks, hidden)

    def hidden(self) -> frozenset[str]:
        if not self._some_columns():
            return frozenset()
        shown = [(rule, one.table_uuid) for one in self.grants for rule in one.columns or ()]
        return frozenset(
            column.name
            for column in self.table.columns
            if not any(surely_is(rule, uuid, column, self.table) for rule, uuid in shown)
        )

    def masked_by(self, grant: Grant) -> Iterator[Masked]:
        for rule in grant.columns or ():
            for column in self.table.columns:
                if rule.mask is not None and may_be(rule, grant.table_uuid, column, self.table):
                    yield column, _mask_on(column, rule.mask)

    def _some_columns(self) -> bool:
        return not self.owner and all(one.columns is not None for one in self.grants)

    def _masks(self) -> dict[str, list[Mask]]:
        found: dict[str, list[Mask]] = {}
        by_grants = (one for grant in self.grants for one in self.masked_by(grant))
        by_policies = (one for placed in self.placed for one in placed.masks())
        for column, mask in (*by_grants, *by_policies):
            found.setdefault(column.name, []).append(mask)
        return found

    def _filters(self) -> Iterator[RowFilter]:
        for grant in self.grants:
            if grant.rows is not None:
                yield grant.rows
        for placed in self.placed:
            if isinstance(placed.policy, RowFilterPolicy) and not placed.exempt:
                yield placed.policy.filter

    def _reason(self) -> str:
        why = ["the owner"] if self.owner else []
        why += [grant_words(one) for one in self.grants]
        why += [placed_words(one.policy, one.place) for one in self.placed if not one.exempt]
        return "; ".join(sorted(set(why)))


def _mask_on(column: ColumnFacts, mask: Mask) -> Mask:
    if isinstance(mask, ExpressionMask):
        return ExpressionMask(mask.sql.replace(THE_COLUMN, quote(column.name)), mask.dialect)
    return mask


def _placed(
    rules: Rules, place: Place, table: TableFacts
) -> Iterator[tuple[Attachment, tuple[ColumnFacts, ...]]]:
    """The policies on the table and, if they are masks, the columns they are for."""
    if table.privilege is not Privilege.SELECT:
        return
    for one in rules.attached(place, table.uuid):
        yield one, _columns(table, one.columns, one.table_uuid)
    tagged: dict[str, dict[ColumnFacts, None]] = {}
    for tag in rules.tags(table.name, table.uuid):
        on = ColumnRule(tag.column, tag.field_id)
        columns = _columns(table, (on,), tag.table_uuid) if tag.column else table.columns
        tagged.setdefault(tag.tag.lower(), {}).update(dict.fromkeys(columns))
    for name, found in tagged.items():
        for one in rules.attached_to_tag(name):
            yield one, tuple(found)


def _columns(
    table: TableFacts, rules: tuple[ColumnRule, ...], uuid: str
) -> tuple[ColumnFacts, ...]:
    return tuple(
        column
        for column in table.columns
        if any(may_be(rule, uuid, column, table) for rule in rules)
    )
