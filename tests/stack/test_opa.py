"""A real OPA: the contract of all sources on it, and people asking SQE under its policy."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from dev.stack.places import Places
from sqe.client.exceptions import ProgrammingError
from sqe.model.rules import Privilege
from tests.contract.policies.adapters.opa import ANSWERS, CANNOT, RealOpaAdapter
from tests.contract.policies.checks import answer, check_scenario
from tests.contract.policies.record import answers
from tests.contract.policies.scenarios import ANN, BY_NAME, EMP, SCENARIOS, Ask, Scenario
from tests.stack.serving import Serving

Making = Callable[..., AbstractContextManager[Serving]]


@pytest.fixture(params=[True, False], ids=["batched", "one by one"])
def adapter(stack: Places, request: pytest.FixtureRequest) -> RealOpaAdapter:
    return RealOpaAdapter("opa", request.param, stack.opa)


SAID = [one for one in SCENARIOS if one.name not in CANNOT]


@pytest.mark.parametrize("scenario", SAID, ids=lambda one: one.name)
def test_scenario(adapter: RealOpaAdapter, scenario: Scenario, tmp_path: Path) -> None:
    with adapter.opened(scenario.rules, tmp_path) as opened:
        check_scenario(opened, scenario)


def test_a_change_and_a_policy_that_is_gone(adapter: RealOpaAdapter, tmp_path: Path) -> None:
    read = Ask(ANN, Privilege.SELECT, EMP, True)
    with adapter.opened(BY_NAME["to a user"].rules, tmp_path) as opened:
        assert answer(opened, read) is True
        opened.change(BY_NAME["nothing is given"].rules)
        assert answer(opened, read) is False
        opened.change(BY_NAME["to a user"].rules)
        assert answer(opened, read) is True
        opened.break_it()
        assert answer(opened, read) is False


def test_what_is_kept_of_its_answers_is_what_it_says(stack: Places) -> None:
    assert json.loads(ANSWERS.read_text()) == answers(stack.opa)


@pytest.fixture
def sqe(stack: Places, another_sqe: Making) -> Iterator[Serving]:
    base = f"{stack.opa}/v1/data/trino"
    urls = {
        "allow_url": f"{base}/allow",
        "batch_url": f"{base}/batch",
        "row_filters_url": f"{base}/rowFilters",
        "batch_column_masks_url": f"{base}/batchColumnMasks",
        "timeout_s": 20,
    }
    with another_sqe(policy={"opa": urls}) as made:
        yield made


def test_people_see_what_the_policy_gives_them(sqe: Serving) -> None:
    """bob, an engineer, sees all of it; alice, an analyst, the Dutch orders without amounts."""
    orders = "SELECT id, country, amount FROM lake.sales.orders ORDER BY id"
    assert [row[0] for row in sqe.rows("bob", orders)] == [1, 2, 3, 4]
    assert sqe.rows("alice", orders) == [(1, "NL", None), (2, "NL", None)]
    assert sqe.rows("alice", "SELECT count(*), max(amount) FROM lake.sales.orders") == [(2, None)]
    with pytest.raises(ProgrammingError, match="ACCESS_DENIED"):
        sqe.rows("alice", "SELECT * FROM lake.hr.salaries")


def test_a_policy_server_that_is_not_there_lets_nobody_in(another_sqe: Making) -> None:
    gone: Any = {"allow_url": "http://127.0.0.1:9/v1/data/trino/allow", "timeout_s": 2}
    denied = pytest.raises(ProgrammingError, match="ACCESS_DENIED")
    with another_sqe(policy={"opa": gone}) as made, denied:
        made.rows("carol", "SELECT * FROM lake.sales.orders")
