"""What every source of policies does, each told in its own language."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.model.decision import Deny
from sqe.model.rules import Privilege
from tests.contract.policies.adapters import ADAPTERS
from tests.contract.policies.adapters.adapter import Adapter
from tests.contract.policies.checks import answer, check_scenario, decision, shown
from tests.contract.policies.scenarios import ANN, BOB, BY_NAME, EMP, SCENARIOS, Ask, Scenario

SAID = [
    pytest.param(adapter, scenario, id=f"{adapter.name}: {scenario.name}")
    for adapter in ADAPTERS
    for scenario in SCENARIOS
    if scenario.name not in adapter.cannot
]
EACH = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)
READ = Ask(ANN, Privilege.SELECT, EMP, True)


@pytest.mark.parametrize(("adapter", "scenario"), SAID)
def test_scenario(adapter: Adapter, scenario: Scenario, tmp_path: Path) -> None:
    with adapter.opened(scenario.rules, tmp_path) as opened:
        check_scenario(opened, scenario)


@EACH
def test_what_cannot_be_said_has_a_reason(adapter: Adapter) -> None:
    assert set(adapter.cannot) <= set(BY_NAME)
    assert all(adapter.cannot.values())
    assert len(adapter.cannot) < len(SCENARIOS)


@EACH
def test_a_change_is_seen_by_the_next_question(adapter: Adapter, tmp_path: Path) -> None:
    given, taken = BY_NAME[adapter.changes[0]].rules, BY_NAME[adapter.changes[1]].rules
    with adapter.opened(given, tmp_path) as opened:
        before = opened.source.version()
        first = answer(opened, READ)
        opened.change(taken)
        assert answer(opened, READ) != first
        assert (opened.source.version() == before) is bool(adapter.unversioned)
        opened.change(given)
        assert answer(opened, READ) == first


@EACH
def test_without_its_rules_a_source_denies_or_does_not_start(
    adapter: Adapter, tmp_path: Path
) -> None:
    with adapter.opened(BY_NAME["to everybody"].rules, tmp_path) as opened:
        assert answer(opened, READ) is True
        try:
            opened.break_it()
        except SqeError as error:
            assert error.code is ErrorCode.INVALID_SETTINGS
            return
        assert isinstance(decision(opened, READ), Deny)
        if adapter.lists:
            assert isinstance(decision(opened, Ask(BOB, Privilege.CREATE, EMP, False)), Deny)
            assert not shown(opened, ANN, EMP)
