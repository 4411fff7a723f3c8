"""How long, how much and how often, for whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.admission.user_limits import Limit, LimitRule, LimitRules, UserLimits
from sqe.errors import ErrorCode, ResourceError, SqeError
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


def test_all_users_together_have_a_limit_of_their_own() -> None:
    clock = Clock()
    of_all = Limit(4, "limits.queries_per_minute_of_all")
    rules = LimitRules([LimitRule(per_minute(3))], clock, of_all)
    assert count(rules, ANN, 10) == 3
    assert count(rules, BOB, 10) == 1
    with pytest.raises(ResourceError, match="All users together have sent more than 4") as raised:
        rules.count_query(Identity("eve"))
    assert "limits.queries_per_minute_of_all" in raised.value.message
    assert raised.value.retry_s == 15.0
    clock.now += 30
    assert count(rules, Identity("joe"), 10) == 2


def test_a_rule_may_be_for_a_role() -> None:
    loaders = LimitRule(per_minute(1), roles=frozenset({"loader"}))
    rules = LimitRules([loaders, LimitRule(per_minute(2))], Clock())
    assert count(rules, Identity("eve", roles=frozenset({"loader", "reader"})), 9) == 1
    assert count(rules, ANN, 9) == 2


def test_the_time_of_a_run_is_what_the_wait_has_left_of_the_whole() -> None:
    run, total = Limit(60, "limits.query_timeout_s"), Limit(100, "limits.total_timeout_s")
    limits = UserLimits(run_s=run, total_s=total)
    for waited, seconds, setting in ((0, 60, run), (40, 60, run), (70, 30, total), (170, 0, total)):
        ends = limits.longest_run(waited)
        assert ends is not None
        assert (ends[0], ends[1].code) == (seconds, ErrorCode.TIMEOUT)
        assert f"longer than {setting.value:g} s" in ends[1].message
        assert setting.setting in ends[1].message
    assert UserLimits().longest_run(9) is None


def test_a_wait_ends_by_the_shorter_of_its_limits() -> None:
    queued, total = Limit(5, "limits.queued_s"), Limit(3, "limits.total_timeout_s")
    assert UserLimits(queued_s=queued).longest_wait == queued
    assert UserLimits(queued_s=queued, total_s=total).longest_wait == total
    assert not UserLimits().longest_wait


def test_what_is_read_is_counted_in_megabytes() -> None:
    limits = UserLimits(scan_mb=Limit(2, "limits.rules.1.scan_mb"))
    limits.check_scan(2 * 1024 * 1024)
    with pytest.raises(ResourceError, match=r"more than 2 MB; limits\.rules\.1\.scan_mb") as raised:
        limits.check_scan(2 * 1024 * 1024 + 1)
    assert raised.value.code is ErrorCode.SCAN_TOO_LARGE
    UserLimits().check_scan(10**15)


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
queued_s = 9
planning_timeout_s = 8
total_timeout_s = 7
scan_mb = 6
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
        queued_s=Limit(9, "limits.rules.0.queued_s"),
        planning_s=Limit(8, "limits.rules.0.planning_timeout_s"),
        total_s=Limit(7, "limits.rules.0.total_timeout_s"),
        scan_mb=Limit(6, "limits.rules.0.scan_mb"),
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
