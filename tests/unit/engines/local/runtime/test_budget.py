"""The memory that local queries share."""

from __future__ import annotations

import threading
import time

import pytest

from sqe.engines.local.budget import MemoryBudget
from sqe.errors import SqeError
from sqe.results.cancellation import Cancellation


def test_a_big_query_leaves_half_to_the_others() -> None:
    budget = MemoryBudget(100)
    assert budget.take(10, 90, 0, Cancellation()) == 50
    assert budget.take(10, 90, 0, Cancellation()) == 25
    assert budget.take(10, 11, 0, Cancellation()) == 11
    assert budget.used_memory == 86


def test_nobody_gets_more_than_there_is() -> None:
    budget = MemoryBudget(100)
    granted = [budget.take(30, 30, 0, Cancellation()) for _ in range(4)]
    assert granted == [30, 30, 30, 0]
    budget.give_back(30)
    assert budget.take(30, 30, 0, Cancellation()) == 30


def test_who_waits_longest_is_next() -> None:
    budget = MemoryBudget(10)
    assert budget.take(10, 10, 0, Cancellation()) == 10
    order: list[int] = []

    def wait(number: int) -> None:
        budget.take(10, 10, 30, Cancellation())
        order.append(number)
        budget.give_back(10)

    threads = [threading.Thread(target=wait, args=(number,)) for number in range(5)]
    for thread in threads:
        before = budget.waiting_count
        thread.start()
        while budget.waiting_count == before:
            time.sleep(0.001)
    budget.give_back(10)
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]
    assert budget.used_memory == 0


def test_a_cancelled_query_stops_waiting_and_gives_its_turn_away() -> None:
    budget = MemoryBudget(10)
    budget.take(10, 10, 0, Cancellation())
    cancelled = Cancellation()
    timer = threading.Timer(0.05, cancelled.cancel)
    timer.start()
    with pytest.raises(SqeError):
        budget.take(10, 10, 30, cancelled)
    budget.give_back(10)
    assert budget.take(10, 10, 0, Cancellation()) == 10
