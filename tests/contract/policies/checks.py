"""The checks of the suite, on an opened source."""

from __future__ import annotations

import re

from sqe.model.decision import Decision, Deny, Restrict
from sqe.model.identity import Identity
from sqe.model.masks import ConstantMask, ExpressionMask, Mask, NullMask
from sqe.model.rules import Object, ObjectKind
from sqe.policy.policy import Policy
from tests.contract.policies.adapters.adapter import Opened
from tests.contract.policies.scenarios import Ask, Scenario, Seen, facts


def check_scenario(opened: Opened, scenario: Scenario) -> None:
    """Every question of the scenario, through ``Policy`` as the gateway asks."""
    for ask in scenario.asks:
        assert answer(opened, ask) == ask.answer, ask
    for who, on, shown in scenario.shown:
        assert Policy([opened.source]).visible(who, [on]) == [shown], (who.user, str(on))


def answer(opened: Opened, ask: Ask) -> bool | Seen:
    return _plain(decision(opened, ask))


def decision(opened: Opened, ask: Ask) -> Decision:
    policy = Policy([opened.source])
    if ask.on.kind is not ObjectKind.TABLE:
        return policy.permits(ask.who, ask.privilege, ask.on)
    table = opened.facts(ask.who, facts(ask.on, ask.privilege, ask.view))
    return policy.decide(ask.who, [table])[table]


def shown(opened: Opened, who: Identity, on: Object) -> bool:
    (found,) = Policy([opened.source]).visible(who, [on])
    return found


def _plain(decided: Decision) -> bool | Seen:
    """Without the reasons, and without what each language writes differently."""
    assert decided.reason, "a decision says why"
    if not isinstance(decided, Restrict):
        return not isinstance(decided, Deny)
    return Seen(
        tuple(_text(one.sql) for one in decided.filters),
        {column: _mask(mask) for column, mask in decided.masks.items()},
        decided.hidden,
    )


def _mask(mask: Mask) -> str:
    match mask:
        case NullMask():
            return "NULL"
        case ConstantMask():
            return f"'{mask.text}'"
        case ExpressionMask():
            return _text(mask.sql)
        case _:
            raise AssertionError(mask)


def _text(sql: str) -> str:
    return re.sub(r"\A\((.*)\)\Z", r"\1", sql.replace("`", ""))
