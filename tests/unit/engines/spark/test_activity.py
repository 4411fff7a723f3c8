"""What the threads of a JVM say about Spark's work, and which of it belongs to nobody."""

from __future__ import annotations

import os

from sqe.engines.spark.activity import Activity, Strays, activity_of_dump, read_activity

DUMP = """\
2026-11-18 09:30:00
Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6-Debian-1deb12u1 mixed mode, sharing):

"main" #1 prio=5 os_prio=0 cpu=1.00ms elapsed=9.00s tid=0x00007f01 nid=0x1 waiting on condition
   java.lang.Thread.State: WAITING (parking)
	at jdk.internal.misc.Unsafe.park(java.base@17.0.15/Native Method)

"SparkConnectExecuteThread_opId=11111111-2222-3333-4444-555555555555" #90 prio=5 tid=0x00007f02
	at java.util.concurrent.LinkedBlockingQueue.take(java.base@17.0.15/LinkedBlockingQueue.java)

"Executor task launch worker for task 0.0 in stage 7.0 (TID 9)" #91 daemon tid=0x00007f03 nid=0x3
	at org.apache.spark.sql.catalyst.expressions.GeneratedClass$Generated.processNext(Unknown)
	at org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:668)

"Executor task launch worker for task 0.0 in stage 3.0 (TID 4)" #92 daemon tid=0x00007f04 nid=0x4
	at java.util.concurrent.ThreadPoolExecutor.getTask(java.base@17.0.15/ThreadPoolExecutor.java)

"shuffle-exchange-0" #93 daemon prio=5 tid=0x00007f05 nid=0x5 runnable
	at org.apache.spark.sql.execution.SQLExecution$.$anonfun$withThreadLocalCaptured$1(SQL.scala)

"shuffle-exchange-1" #94 daemon prio=5 tid=0x00007f06 nid=0x6 waiting on condition
	at java.util.concurrent.ThreadPoolExecutor.getTask(java.base@17.0.15/ThreadPoolExecutor.java)

"Task reaper-0" #95 daemon prio=5 tid=0x00007f07 nid=0x7 in Object.wait()
	at org.apache.spark.executor.Executor$TaskReaper.run(Executor.scala:1250)

"grpc-default-executor-2" #96 daemon prio=5 tid=0x00007f08 nid=0x8 runnable
	at org.apache.spark.sql.connect.service.SparkConnectAnalyzeHandler.handle(Analyze.scala:57)

"VM Thread" os_prio=0 cpu=5.00ms elapsed=9.00s tid=0x00007f09 nid=0x9 runnable
"""


def test_threads_show_what_runs() -> None:
    assert activity_of_dump(DUMP) == Activity(
        operations=frozenset({"11111111-2222-3333-4444-555555555555"}),
        analyses=frozenset({"0x00007f08"}),
        beside=frozenset({"0x00007f05"}),
        stages=frozenset({7}),
        tasks=1,
        killed=1,
    )


def test_a_process_that_is_no_jvm_says_nothing() -> None:
    assert read_activity(os.getpid()) is None


def doing(*operations: str, stages: tuple[int, ...] = ()) -> Activity:
    return Activity(operations=frozenset(operations), stages=frozenset(stages))


def test_a_stage_is_a_stray_when_all_that_could_own_it_have_ended() -> None:
    strays = Strays()
    assert not strays.note_activity(1, doing("a", "b", stages=(4,)))
    assert not strays.note_activity(1, doing("b", "c", stages=(4, 5)))
    assert not strays.note_activity(1, doing("c", stages=(4, 5))), "tasks may take a moment to end"
    assert strays.note_activity(1, doing("c", stages=(4, 5))) == {4}


def test_a_stage_that_nobody_could_have_started_is_a_stray() -> None:
    strays = Strays()
    assert not strays.note_activity(1, doing(stages=(4,)))
    assert strays.note_activity(1, doing("late", stages=(4,))) == {4}


def test_what_an_analysis_runs_belongs_to_it() -> None:
    strays, infers = Strays(), Activity(analyses=frozenset({"0x1"}), stages=frozenset({4}))
    assert not any(strays.note_activity(1, infers) for _ in range(3))


def test_another_server_counts_its_stages_anew() -> None:
    strays = Strays()
    strays.note_activity(1, doing(stages=(4,)))
    assert not strays.note_activity(2, doing("a", stages=(4,)))


def test_work_is_settled_when_what_was_killed_has_ended() -> None:
    assert Activity().settled and doing("other", stages=(4,)).settled
    assert not Activity(killed=1).settled
    assert not doing(stages=(4,)).settled, "nobody else can own it"


def test_a_server_that_runs_nothing_but_killed_tasks_is_told_from_one_that_works() -> None:
    assert Activity(tasks=2, killed=2).only_dead
    assert not Activity(tasks=3, killed=2).only_dead
    assert not Activity().only_dead
