"""How long, how much and how often, for whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.admission.user_limits import Limit, LimitRule, LimitRules, UserLimits
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity
from sqe.server.options import admission
from sqe.settings import load_settings
from tests.unit.clock import Clock

ANN, BOB = Identity("ann"), Identity("bob", frozenset({"analysts", "staff"}))


def per_minute(value: float) -> UserLimits:
    return UserLimits(per_minute=Limit(value, "limits.queries_per_minute"))


def count(rules: LimitRules, identity: Identity, queries: int) -> int:
    """How many of them are allowed."""
    allowed = 0
    for _ in range(queries):
        try:
            rules.count_query(identity)
        except SqeError as error:
            assert error.code is ErrorCode.TOO_MANY_QUERIES
        else:
            allowed += 1
    return allowed


def test_a_minutes_queries_may_come_at_once_and_come_back_evenly() -> None:
    clock = Clock()
    rules = LimitRules([LimitRule(per_minute(6))], clock)
    assert count(rules, ANN, 10) == 6
    assert count(rules, BOB, 10) == 6
    clock.now += 20
    assert count(rules, ANN, 10) == 2
    clock.now += 3600
    assert count(rules, ANN, 10) == 6
    clock.now -= 3600  # a clock that goes back gives nothing and takes nothing
    assert count(rules, ANN, 10) == 0
    clock.now += 10
    assert count(rules, ANN, 10) == 1


def test_the_refusal_says_the_limit_its_value_and_when_to_come_again() -> None:
    rules = LimitRules([LimitRule(per_minute(6))], Clock())
    count(rules, ANN, 6)
    with pytest.raises(SqeError) as raised:
        rules.count_query(ANN)
    assert raised.value.message == (
        "You have sent more than 6 queries in a minute; limits.queries_per_minute allows no more."
    )
    assert raised.value.hint == "Try again in 10 s."


def test_many_users_are_not_remembered_for_ever() -> None:
    rules = LimitRules([LimitRule(per_minute(1))], Clock())
    for number in range(10_050):
        rules.count_query(Identity(f"user{number}"))
    assert count(rules, Identity("user10049"), 1) == 0
    assert count(rules, Identity("user3"), 1) == 1


def test_the_first_rule_of_the_settings_that_fits_holds(tmp_path: Path) -> None:
    (tmp_path / "sqe.toml").write_text("""
[limits]
query_timeout_s = 60
result_rows = 1000

[[limits.rules]]
groups = ["analysts"]
users = ["eve"]
result_rows = 5
queries_per_minute = 7

[[limits.rules]]
users = ["bob", "loader"]
query_timeout_s = 0
""")
    limits = admission(
        load_settings(tmp_path / "sqe.toml", environ={"SQE_HOME": str(tmp_path)})
    ).limits
    general = UserLimits(Limit(60, "limits.query_timeout_s"), Limit(1000, "limits.result_rows"))
    assert limits.limits_of(ANN) == general
    of_analysts = UserLimits(
        general.run_s,
        Limit(5, "limits.rules.0.result_rows"),
        per_minute=Limit(7, "limits.rules.0.queries_per_minute"),
    )
    assert limits.limits_of(BOB) == limits.limits_of(Identity("eve")) == of_analysts
    assert not limits.limits_of(Identity("loader")).run_s
    assert limits.limits_of(Identity("loader")).result_rows == general.result_rows


def test_the_size_of_a_result_is_counted_in_megabytes() -> None:
    limits = UserLimits(result_mb=Limit(2, "limits.result_mb"))
    limits.check_result(10**9, 2 * 1024 * 1024)
    with pytest.raises(SqeError, match="more than 2 MB") as raised:
        limits.check_result(1, 2 * 1024 * 1024 + 1)
    assert raised.value.code is ErrorCode.RESULT_TOO_LARGE
