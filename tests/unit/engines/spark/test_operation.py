"""An operation ends when the work for it has ended: a server that a test plays."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from sqe.engines.spark.activity import Activity
from sqe.engines.spark.operation import Operation, Patience
from sqe.errors import UserError
from sqe.model.query import Progress
from sqe.results.cancellation import Cancellation

BUSY = Activity(beside=frozenset({"0x1"}))
OTHERS = Activity(operations=frozenset({"another"}), beside=frozenset({"0x1"}))


@dataclass
class FakeSpark:
    """A session, its connection and the sessions in one. ``looks`` is what it does, look by look;
    the last one stays."""

    looks: list[Activity | None] = field(default_factory=lambda: [Activity()])
    deaf: int = 0  # interrupts that find nothing, as before the plan has arrived
    interrupts: int = 0
    cancels: int = 0
    given_up: list[bool] = field(default_factory=list)
    interrupted: threading.Event = field(default_factory=threading.Event)

    @property
    def connection(self) -> FakeSpark:
        return self

    def execute(
        self,
        plan: list[str],
        operation_id: str,
        report: Callable[[Progress], None],
        watch: object = None,
    ) -> Iterator[str]:
        yield from plan
        if self.interrupted.wait(30 if "endless" in plan else 0):
            raise RuntimeError("OPERATION_CANCELED")

    def interrupt(self, operation_id: str) -> None:
        self.interrupts += 1
        if self.interrupts > self.deaf:
            self.interrupted.set()

    def cancel_jobs(self, operation_id: str) -> bool:
        self.cancels += 1
        return True

    def serves(self, spark: FakeSpark) -> bool:
        return True

    def activity(self, spark: FakeSpark) -> Activity | None:
        return self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]

    def give_up(self, spark: FakeSpark, *, stuck: bool) -> None:
        self.given_up.append(stuck)


def ignore(progress: Progress) -> None:
    return None


def run(spark: Any, *plan: str, busy: float = 20.0, dead: float = 20.0) -> Iterator[Any]:
    """Cancelled when its first item is there."""
    cancellation = Cancellation()
    operation = Operation(spark, spark, cancellation, Patience(busy, dead))
    for item in operation.run(list(plan), ignore):
        yield item
        if "endless" in plan:
            cancellation.cancel()


def cancel(spark: FakeSpark, **patience: float) -> None:
    with pytest.raises((UserError, RuntimeError)):
        list(run(spark, "endless", **patience))


def test_what_ends_by_itself_is_left_alone() -> None:
    spark = FakeSpark()
    assert list(run(spark, "a", "b")) == ["a", "b"]
    assert (spark.interrupts, spark.cancels) == (0, 0)


def test_it_is_interrupted_until_the_interrupt_is_heard() -> None:
    spark = FakeSpark(deaf=2)
    cancel(spark)
    assert spark.interrupts >= 3 and spark.cancels and not spark.given_up


def test_jobs_are_cancelled_until_no_thread_is_left_that_could_submit_one() -> None:
    spark = FakeSpark([BUSY, BUSY, Activity(), Activity()])
    cancel(spark)
    assert spark.cancels == 3


def test_killed_tasks_are_waited_for() -> None:
    spark = FakeSpark([Activity(), Activity(killed=2), Activity(killed=1), Activity()])
    cancel(spark)
    assert len(spark.looks) == 1 and not spark.given_up


def test_while_killed_tasks_end_their_processors_are_left_to_them() -> None:
    dying = Activity(tasks=1, killed=1)
    spark = FakeSpark([BUSY, dying, dying, dying, dying, Activity()])
    cancel(spark)
    assert spark.cancels == 2, "no thread is left that could submit a job"


def test_a_server_that_does_nothing_but_dead_work_is_given_less_time() -> None:
    spark = FakeSpark([Activity(tasks=2, killed=2)])
    cancel(spark, dead=0.2)
    assert spark.given_up == [False]


def test_a_server_that_works_for_others_is_given_its_time() -> None:
    others = Activity(operations=frozenset({"another"}), tasks=2, killed=1)
    spark = FakeSpark([*[others] * 8, Activity()])
    cancel(spark, dead=0.2)
    assert not spark.given_up


def test_killed_tasks_that_do_not_end_cost_the_server_its_place() -> None:
    spark = FakeSpark([Activity(killed=1)])
    cancel(spark, busy=0.2)
    assert spark.given_up == [False]


def test_other_queries_do_not_cost_the_server_its_place() -> None:
    spark = FakeSpark([OTHERS])
    cancel(spark, busy=0.2)
    assert spark.cancels and not spark.given_up


def test_a_stream_that_does_not_end_costs_the_server_its_place() -> None:
    spark = FakeSpark(deaf=10**6)
    threading.Timer(1.5, spark.interrupted.set).start()  # as the end of the server would
    cancel(spark, busy=0.2)
    assert spark.given_up == [True]


def test_where_threads_are_out_of_sight_jobs_are_cancelled_some_more_times() -> None:
    spark = FakeSpark([None])
    cancel(spark)
    assert spark.cancels == 3


def test_a_reader_that_goes_away_ends_the_work() -> None:
    spark = FakeSpark()
    items = Operation(spark, spark, Cancellation()).run(["endless"], ignore)  # type: ignore[arg-type]
    next(items)
    items.close()
    assert spark.interrupts and spark.cancels


@pytest.mark.parametrize("writes", [True, False])
def test_what_a_write_that_failed_still_does_is_waited_for(writes: bool) -> None:
    dying = Activity(stages=frozenset({1}), tasks=1, killed=1)
    spark = FakeSpark([dying, dying, Activity()])
    spark.interrupted.set()  # as an error of Spark's own would
    operation = Operation(spark, spark, Cancellation(), writes=writes)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError):
        list(operation.run(["a"], ignore))
    assert (len(spark.looks) == 1) is writes


def test_a_write_that_failed_out_of_sight_waits_for_nothing() -> None:
    spark = FakeSpark([None])
    spark.interrupted.set()
    operation = Operation(spark, spark, Cancellation(), writes=True)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError):
        list(operation.run(["a"], ignore))
    assert not spark.cancels


def test_a_cancel_before_it_begins_sends_nothing() -> None:
    spark, cancellation = FakeSpark(), Cancellation()
    cancellation.cancel()
    operation = Operation(spark, spark, cancellation)  # type: ignore[arg-type]
    with pytest.raises(UserError):
        next(operation.run(["a"], ignore))
    assert (spark.interrupts, spark.cancels) == (0, 0)
