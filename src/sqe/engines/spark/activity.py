"""What a Spark server is doing right now, read from its threads.

Spark Connect tells nobody whether the work of a cancelled operation has really ended. The threads
of its JVM do: they are asked for over the socket that every HotSpot JVM has for its own user (the
one that ``jstack`` uses), which takes no tool of a JDK and no code inside of Spark.
"""

from __future__ import annotations

import re
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Version, command, and three arguments.
_THREADS = b"1\0threaddump\0\0\0\0"
_HEAP = b"1\0jcmd\0GC.heap_info\0\0\0"
_COLLECT = b"1\0jcmd\0GC.run\0\0\0"
_TIMEOUT_S = 5.0
_KB = 1024
_SIZES = re.compile(r" total (?:reserved \d+K, committed )?(?P<total>\d+)K, used (?P<used>\d+)K")
_THREAD = re.compile(r'^"(?P<name>.*)" .*\btid=(?P<id>0x[0-9a-f]+)', re.MULTILINE)
_OPERATION = re.compile(r"ExecuteThread_opId=(?P<id>[0-9a-f-]+)")
_STAGE = re.compile(r" in stage (?P<id>\d+)\.")
_TASK = "executor.Executor$TaskRunner.run("
_REAPER = "executor.Executor$TaskReaper.run("
# Whatever an operation does beside its own thread: broadcasts, subqueries, stages being submitted.
_BESIDE = "withThreadLocalCaptured"
_ANALYSIS = "SparkConnectAnalyzeHandler.handle("


@dataclass(frozen=True, slots=True)
class Activity:
    """``operations`` by their ids, ``analyses`` and what is done ``beside`` operations by threads,
    the ``stages`` with running tasks, how many ``tasks`` run, and how many of them although they
    were ``killed``."""

    operations: frozenset[str] = frozenset()
    analyses: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()
    stages: frozenset[int] = frozenset()
    tasks: int = 0
    killed: int = 0

    @property
    def only_dead(self) -> bool:
        """Tasks run, and all of them were killed."""
        return 0 < self.tasks <= self.killed

    @property
    def owners(self) -> frozenset[str]:
        """Everything that may have started a stage."""
        return self.operations | self.analyses

    @property
    def settled(self) -> bool:
        """Nothing runs that was killed, or that is just about to be: who else could own it?"""
        return not self.killed and (bool(self.owners) or not self.stages)


class Strays:
    """Finds stages that belong to nothing that runs.

    Which operation a stage belongs to is not told, but it is one of those that run when the stage
    is first seen. When none of these runs any more, the stage is a stray; killed tasks may take a
    moment to end, so it has to be one twice."""

    def __init__(self) -> None:
        self._generation = 0
        self._owners: dict[int, frozenset[str]] = {}
        self._suspects: set[int] = set()

    def note_activity(self, generation: int, activity: Activity) -> set[int]:
        """Notes what the server does now, and answers the strays."""
        if generation != self._generation:
            self._generation, self._owners, self._suspects = generation, {}, set()
        owners = activity.owners
        self._owners = {
            stage: self._owners.get(stage, owners) & owners for stage in activity.stages
        }
        before = self._suspects
        self._suspects = {stage for stage, left in self._owners.items() if not left}
        return before & self._suspects


def attach_socket(pid: int) -> Path:
    """Where the JVM of that process listens for its own user."""
    folder = Path("/tmp") if Path("/proc/self").exists() else Path(tempfile.gettempdir())  # noqa: S108
    return folder / f".java_pid{pid}"


def read_activity(pid: int, timeout_s: float = _TIMEOUT_S) -> Activity | None:
    """None where the JVM does not say."""
    dump = _ask(pid, _THREADS, timeout_s)
    return activity_of_dump(dump) if dump else None


def collect_garbage(pid: int) -> None:
    """Has the JVM close the files that nothing in it uses any more."""
    _ask(pid, _COLLECT)


@dataclass(frozen=True, slots=True)
class Heap:
    """In bytes."""

    used: int
    committed: int


def read_heap(pid: int, timeout_s: float = _TIMEOUT_S) -> Heap | None:
    """None where the JVM does not say."""
    text = _ask(pid, _HEAP, timeout_s)
    return heap_of_text(text) if text else None


def heap_of_text(text: str) -> Heap | None:
    """Of what ``jcmd GC.heap_info`` says: a line for the heap (G1, ZGC) or for each generation.
    What is beside the heap, as Metaspace, comes after it."""
    heap = text.partition("Metaspace")[0]
    sizes = [(int(m["total"]), int(m["used"])) for m in _SIZES.finditer(heap)]
    if not sizes:
        return None
    return Heap(sum(used for _, used in sizes) * _KB, sum(total for total, _ in sizes) * _KB)


def _ask(pid: int, request: bytes, timeout_s: float = _TIMEOUT_S) -> str | None:
    """What the JVM answers; None if it does not, or cannot do it."""
    try:
        with socket.socket(socket.AF_UNIX) as jvm:
            jvm.settimeout(timeout_s)
            jvm.connect(str(attach_socket(pid)))
            jvm.sendall(request)
            answer = b"".join(iter(lambda: jvm.recv(65536), b""))
    except OSError:
        return None
    status, _, text = answer.decode(errors="replace").partition("\n")
    return text if status.strip() == "0" else None


def activity_of_dump(dump: str) -> Activity:
    operations, analyses, beside, stages = set(), set(), set(), set()
    tasks = killed = 0
    for name, thread, stack in _threads(dump):
        operation = _OPERATION.search(name)
        if operation is not None:
            operations.add(operation["id"])
        elif _TASK in stack:  # threads keep the name of their last task when they are idle
            stage = _STAGE.search(name)
            stages.add(int(stage["id"]) if stage else -1)
            tasks += 1
        elif _BESIDE in stack:
            beside.add(thread)
        elif _ANALYSIS in stack:
            analyses.add(thread)
        killed += _REAPER in stack
    owners = frozenset(operations), frozenset(analyses)
    return Activity(*owners, frozenset(beside), frozenset(stages), tasks, killed)


def _threads(dump: str) -> Iterator[tuple[str, str, str]]:
    """Name, id and stack of each."""
    heads = list(_THREAD.finditer(dump))
    ends = [head.start() for head in heads[1:]] + [len(dump)]
    for head, end in zip(heads, ends, strict=True):
        yield head["name"], head["id"], dump[head.end() : end]
