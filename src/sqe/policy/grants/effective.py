"""The rules that decide about a table for somebody, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqe.model.grants import EffectiveRule, Grant, RowFilterPolicy
from sqe.model.mask_words import mask_words
from sqe.model.names import quote
from sqe.policy.grants.ruling import Masked, PlacedPolicy, Ruling
from sqe.policy.grants.words import grant_words, placed_words

ADMINISTRATOR = EffectiveRule("an administrator of the policy", "everything is allowed")


def effective_rules(ruling: Ruling, *, texts: bool) -> Iterator[EffectiveRule]:
    """``texts``: with the conditions and masks themselves. Whom they hide something from is told
    only that there are some."""
    for denial in ruling.denials:
        yield EffectiveRule(grant_words(denial), "denied")
    if ruling.owner:
        yield EffectiveRule("the owner", "allowed")
    for grant in ruling.grants:
        effect = "; ".join(_grant_effects(ruling, grant, texts)) or "allowed"
        yield EffectiveRule(grant_words(grant, texts=texts), effect)
    for placed in ruling.placed:
        if isinstance(placed.policy, RowFilterPolicy) or placed.columns:
            yield _placed(placed, texts)


def _grant_effects(ruling: Ruling, grant: Grant, texts: bool) -> Iterator[str]:
    if grant.rows is not None:
        yield _rows(grant.rows.sql, texts)
    if grant.columns is not None:
        yield "columns " + ", ".join(quote(one.name) for one in grant.columns)
    masked = _masked(ruling.masked_by(grant), texts)
    if masked:
        yield masked


def _placed(placed: PlacedPolicy, texts: bool) -> EffectiveRule:
    rule = placed_words(placed.policy, placed.place)
    if placed.exempt:
        return EffectiveRule(rule, "exempt", applies=False)
    if isinstance(placed.policy, RowFilterPolicy):
        return EffectiveRule(rule, _rows(placed.policy.filter.sql, texts))
    return EffectiveRule(rule, _masked(placed.masks(), texts))


def _rows(sql: str, texts: bool) -> str:
    return f"only rows where {sql}" if texts else "only some rows"


def _masked(masks: Iterable[Masked], texts: bool) -> str:
    found = (
        quote(column.name) + (f" as {mask_words(mask)}" if texts else "") for column, mask in masks
    )
    words = ", ".join(sorted(set(found)))
    return f"masked: {words}" if words else ""
