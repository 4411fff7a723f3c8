"""Who starts, who waits, who is refused, in which order."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqe.admission.admission import Admission, GroupsOfFile, groups_of_settings
from sqe.admission.group import Ticket
from sqe.admission.request import AdmissionRequest
from sqe.admission.user_limits import Limit
from sqe.errors import ErrorCode, SqeError, UpstreamError
from tests.unit.clock import Clock


class Statements:
    """Statements of users, and what became of them."""

    def __init__(self, admission: Admission) -> None:
        self.admission = admission
        self.started: list[str] = []
        self.refused: dict[str, Exception] = {}
        self.tickets: dict[str, Ticket] = {}
        self.longest_wait = Limit(0, "")

    def ask(self, name: str, user: str = "ann", **more: Any) -> str:
        """What became of it at once: started, waiting, or why it was refused."""
        ticket = Ticket(
            AdmissionRequest(user, **more),
            start=lambda: self.started.append(name),
            refuse=lambda error: self.refused.update({name: error}),
            longest_wait=lambda: self.longest_wait,
        )
        self.tickets[name] = ticket
        try:
            self.admission.enter(ticket)
        except SqeError as error:
            return error.code.name
        return "waiting" if ticket.waiting else "started"

    def end(self, name: str) -> None:
        self.admission.leave(self.tickets[name])


def of_file(
    tmp_path: Path, roots: list[dict[str, Any]], selectors: list[dict[str, Any]], **more: Any
) -> Admission:
    path = tmp_path / "groups.json"
    path.write_text(json.dumps({"rootGroups": roots, "selectors": selectors, **more}))
    return Admission(GroupsOfFile(path))


def group(name: str, hard: int, queued: int = 100, **more: Any) -> dict[str, Any]:
    return {"name": name, "hardConcurrencyLimit": hard, "maxQueued": queued, **more}


def test_a_statement_starts_waits_or_is_refused() -> None:
    statements = Statements(Admission(groups_of_settings(2, 2, 1)))
    assert [statements.ask(name) for name in "abcd"] == [
        *("started", "started", "waiting"),
        "TOO_MANY_QUERIES",
    ]
    statements.end("a")
    assert statements.started == ["a", "b", "c"]
    statements.end("b")
    statements.end("c")
    assert statements.admission.figures() == []  # nothing is kept of groups without work


def test_the_refusal_says_which_limit_and_where_it_is_set(tmp_path: Path) -> None:
    admission = of_file(tmp_path, [group("etl", 1, 1)], [{"group": "etl"}])
    statements = Statements(admission)
    for name in "ab":
        statements.ask(name)
    with pytest.raises(SqeError) as raised:
        admission.check(AdmissionRequest("ann"))
    assert raised.value.message == (
        '1 query runs in the resource group "etl" (its hardConcurrencyLimit), and 1 waits; '
        'maxQueued of "etl" allows no more.'
    )


def test_a_statement_that_no_selector_takes_is_refused(tmp_path: Path) -> None:
    admission = of_file(tmp_path, [group("etl", 1)], [{"user": "bob", "group": "etl"}])
    statements = Statements(admission)
    assert statements.ask("a", "ann") == "QUERY_REJECTED"
    assert statements.ask("b", "bob") == "started"


def test_one_user_does_not_make_another_wait_behind_all_of_theirs() -> None:
    statements = Statements(Admission(groups_of_settings(1, 1, 100)))
    for number in range(5):
        statements.ask(f"ann{number}", "ann")
    statements.ask("bob0", "bob")
    for name in ("ann0", "bob0", "ann1"):
        statements.end(name)
    assert statements.started == ["ann0", "bob0", "ann1", "ann2"]


def test_weighted_fair_gives_shares_by_weight(tmp_path: Path) -> None:
    below = [group("big", 100, 1000, schedulingWeight=3), group("small", 100, 1000)]
    root = group("all", 8, 1000, schedulingPolicy="weighted_fair", subGroups=below)
    selectors = [{"user": "big", "group": "all.big"}, {"group": "all.small"}]
    statements = Statements(of_file(tmp_path, [root], selectors))
    for number in range(40):
        statements.ask(f"big{number}", "big")
        statements.ask(f"small{number}", "small")
    for _ in range(30):  # in the order they began
        running = [name for name in statements.started if statements.tickets[name].running]
        statements.end(running[0])
    running = [name for name in statements.started if statements.tickets[name].running]
    assert Counter(name.rstrip("0123456789") for name in running) == {"big": 6, "small": 2}


def test_weighted_prefers_groups_below_their_soft_limit(tmp_path: Path) -> None:
    below = [
        group("soft", 10, 1000, softConcurrencyLimit=1, schedulingWeight=100),
        group("other", 10, 1000),
    ]
    root = group("all", 3, 1000, schedulingPolicy="weighted", subGroups=below)
    selectors = [{"user": "soft", "group": "all.soft"}, {"group": "all.other"}]
    statements = Statements(of_file(tmp_path, [root], selectors))
    for number in range(10):
        statements.ask(f"soft{number}", "soft")
    for number in range(10):
        statements.ask(f"other{number}", "other")
    for name in ("soft0", "soft1"):  # two of its three still run, then one
        statements.end(name)
    assert statements.started[3:] == ["other0", "other1"]


def test_query_priority_serves_the_highest_first_and_equals_in_order(tmp_path: Path) -> None:
    below = [group(name, 1, schedulingPolicy="query_priority") for name in ("x", "y")]
    root = group("all", 1, schedulingPolicy="query_priority", subGroups=below)
    selectors = [{"user": "xavier", "group": "all.x"}, {"group": "all.y"}]
    statements = Statements(of_file(tmp_path, [root], selectors))
    statements.ask("first", "xavier")
    for name, user, priority in (
        *(("low", "xavier", 1), ("high", "yves", 9), ("middle", "xavier", 5)),
        ("middle2", "yves", 5),
    ):
        assert statements.ask(name, user, priority=priority) == "waiting"
    for name in ("first", "high", "middle", "middle2"):
        statements.end(name)
    assert statements.started == ["first", "high", "middle", "middle2", "low"]


def test_engine_time_over_the_limit_holds_a_group_back_until_it_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "groups.json"
    limited = group("g", 10, softCpuLimit="10s", hardCpuLimit="20s")
    document = {"rootGroups": [limited], "selectors": [{"group": "g"}], "cpuQuotaPeriod": "1m"}
    path.write_text(json.dumps(document))
    clock = Clock()
    statements = Statements(Admission(GroupsOfFile(path), clock=clock))
    assert statements.ask("a") == "started"
    clock.now += 25
    statements.end("a")
    assert statements.ask("b") == "waiting"  # 25 s were used, of 20
    clock.now += 40  # 13 s come back: 12 are left, so 8 of the 10 may run
    assert wait_for(lambda: statements.started == ["a", "b"])
    assert [statements.ask(name) for name in "cdefghij"] == ["started"] * 7 + ["waiting"]


def test_a_clock_that_goes_back_gives_and_takes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "groups.json"
    limited = group("g", 1, hardCpuLimit="20s")
    document = {"rootGroups": [limited], "selectors": [{"group": "g"}], "cpuQuotaPeriod": "1m"}
    path.write_text(json.dumps(document))
    clock = Clock()
    clock.now = 1000.0
    statements = Statements(Admission(GroupsOfFile(path), clock=clock))
    statements.ask("a")
    clock.now = 10.0
    statements.end("a")
    assert statements.ask("b") == "started"


def test_who_waits_can_withdraw_and_holds_no_thread() -> None:
    statements = Statements(Admission(groups_of_settings(1, 1, 3_000)))
    statements.ask("first")
    waiting = [f"w{number}" for number in range(2_000)]
    assert {statements.ask(name) for name in waiting} == {"waiting"}
    assert statements.admission.position_in_queue(statements.tickets["w7"]) == 7
    assert all(statements.admission.withdraw(statements.tickets[name]) for name in waiting[:-1])
    assert not statements.admission.withdraw(statements.tickets["w3"])
    statements.end("first")
    assert statements.started == ["first", "w1999"]


def test_a_wait_that_is_too_long_ends() -> None:
    clock = Clock()
    statements = Statements(Admission(groups_of_settings(1, 1, 10), clock=clock))
    statements.longest_wait = Limit(30, "limits.queued_s")
    statements.ask("a")
    statements.ask("b")
    clock.now += 31
    assert wait_for(lambda: "b" in statements.refused)
    error = statements.refused["b"]
    assert isinstance(error, SqeError)
    assert error.code is ErrorCode.TIMEOUT
    assert "waited 30 s" in error.message
    assert "limits.queued_s" in error.message


def test_closing_refuses_all_that_wait_and_come() -> None:
    statements = Statements(Admission(groups_of_settings(1, 1, 10)))
    statements.ask("a")
    statements.ask("b")
    over = UpstreamError(ErrorCode.SERVER_UNAVAILABLE, "SQE is stopping.")
    statements.admission.close(over)
    assert statements.refused == {"b": over}
    assert statements.ask("c") == "SERVER_UNAVAILABLE"
    statements.end("a")
    assert statements.started == ["a"]


def test_a_changed_file_holds_at_once_and_a_broken_one_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "groups.json"

    def write(*roots: dict[str, Any], **selector: str) -> None:
        selectors = [selector or {"group": roots[0]["name"]}]
        path.write_text(json.dumps({"rootGroups": roots, "selectors": selectors}))

    write(group("g", 1))
    statements = Statements(Admission(GroupsOfFile(path)))
    assert [statements.ask(name) for name in "abc"] == ["started", "waiting", "waiting"]
    path.write_text("{")
    assert statements.ask("d") == "waiting"
    assert "Expecting" in statements.admission.problem
    write(group("h", 3))
    assert wait_for(lambda: statements.started == ["a", "b", "c"])
    assert statements.admission.figures() == [("h", 3, 1)]
    write(group("h", 1), user="nobody", group="h")
    assert wait_for(lambda: statements.started == ["a", "b", "c", "d"])
    for name in "abcd":
        statements.end(name)
    assert statements.ask("e") == "QUERY_REJECTED"


@pytest.mark.parametrize("seed", range(20))
def test_no_limit_is_ever_passed_and_nobody_waits_for_nothing(seed: int, tmp_path: Path) -> None:
    """Random groups, statements, ends and withdrawals."""
    chance = random.Random(seed)
    policies = ["fair", "weighted", "weighted_fair"]

    def some_group(name: str, depth: int) -> dict[str, Any]:
        below = (
            [some_group(f"g{n}", depth - 1) for n in range(chance.randint(1, 3))] if depth else []
        )
        if not below and chance.random() < 0.5:
            below = [group("${USER}", chance.randint(1, 3), chance.randint(1, 5))]
        limits = chance.randint(1, 4), chance.randint(0, 8)
        return group(name, *limits, schedulingPolicy=chance.choice(policies), subGroups=below)

    def leaves(spec: dict[str, Any], path: str) -> list[str]:
        below = spec.get("subGroups", [])
        paths = [leaf for sub in below for leaf in leaves(sub, f"{path}.{sub['name']}")]
        return paths or [path]

    root = some_group("r", 2)
    paths = leaves(root, "r")
    selectors = [{"source": f"s{number}", "group": path} for number, path in enumerate(paths)]
    statements = Statements(of_file(tmp_path, [root], selectors))
    alive: list[str] = []
    for step in range(300):
        name = f"q{step}"
        if alive and chance.random() < 0.45:
            ended = alive.pop(chance.randrange(len(alive)))
            if not statements.admission.withdraw(statements.tickets[ended]):
                statements.end(ended)
        else:
            source = f"s{chance.randrange(len(paths))}"
            came = statements.ask(name, chance.choice(["ann", "bob"]), source=source)
            if came != "TOO_MANY_QUERIES":
                alive.append(name)
        check_limits(statements, alive)
    for name in alive:
        statements.admission.withdraw(statements.tickets[name])
        statements.end(name)
    assert statements.admission.figures() == []


def check_limits(statements: Statements, alive: list[str]) -> None:
    running: Counter[str] = Counter()
    limits: dict[str, int] = {}
    blocked = []
    for name in alive:
        ticket = statements.tickets[name]
        assert (name in statements.started) is ticket.running
        assert ticket.group is not None
        for above in ticket.group.path:
            running[above.full_name] += ticket.running
            limits[above.full_name] = above.spec.hard_concurrency
        if ticket.waiting:
            blocked.append([above.full_name for above in ticket.group.path])
    assert all(running[name] <= limits[name] for name in limits)
    for path in blocked:  # a group of theirs is full
        assert any(running[name] == limits[name] for name in path)


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()
