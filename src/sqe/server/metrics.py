"""What the metrics of a server are read from."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sqe import __version__
from sqe.engines.spark.activity import read_activity, read_heap
from sqe.model.query import QueryState

if TYPE_CHECKING:
    from sqe.engines.spark.server import SparkServer
    from sqe.observe.metrics import Metrics
    from sqe.server.state import ServerState

_LOOK_S = 10.0
_PATIENCE_S = 0.05  # a JVM that is busy collecting garbage answers later than a scrape can wait
_LIVE = (QueryState.QUEUED, QueryState.PLANNING, QueryState.RUNNING)
_SPARK_STATES = ("ready", "starting", "stopped", "remote")
_Labels = tuple[str, ...]


def read_server(metrics: Metrics, server: ServerState) -> None:
    """From now on each scrape sees how the server is then."""
    from sqe.observe import families

    metrics.read(families.BUILD, lambda: {(__version__,): 1})
    metrics.read(families.THREADS, lambda: {(): threading.active_count()})
    metrics.read(families.READY, lambda: {(): all(part.ready for part in server.parts())})
    metrics.read(families.DRAINING, lambda: {(): server.gateway.draining})
    metrics.read(families.CERTIFICATE, lambda: _certificate(server))
    metrics.read(families.SINK_ERRORS, lambda: _by_one(server.events.failures))
    metrics.read(families.OPEN_SESSIONS, lambda: {(): server.sessions.count})
    metrics.read(families.ACTIVE_QUERIES, lambda: _queries(server))
    metrics.read(families.CATALOG_CACHE, lambda: _cache(server))
    metrics.read(families.GROUP_QUERIES, lambda: _groups(server))
    metrics.read(families.BROKEN_FILES, lambda: _by_one(server.broken_files()))
    _read_local(metrics, server)
    _read_spark(metrics, server)


def _read_local(metrics: Metrics, server: ServerState) -> None:
    from sqe.observe import families

    def memory() -> dict[_Labels, float]:
        local = server.local.figures
        if local is None:
            return {}
        used, idle, limit = local.memory_used, local.memory_idle, local.memory_limit
        return {("used",): used, ("idle",): idle, ("limit",): limit}

    def instances() -> dict[_Labels, float]:
        local = server.local.figures
        if local is None:
            return {}
        return {("running",): local.running, ("idle",): local.idle, ("ready",): local.ready}

    def figure(name: str) -> Callable[[], dict[_Labels, float]]:
        def read() -> dict[_Labels, float]:
            local = server.local.figures
            return {(): getattr(local, name)} if local else {}

        return read

    metrics.read(families.LOCAL_MEMORY, memory)
    metrics.read(families.LOCAL_INSTANCES, instances)
    metrics.read(families.LOCAL_WAITING, figure("waiting"))
    metrics.read(families.LOCAL_SPILL, figure("spilled"))


def _read_spark(metrics: Metrics, server: ServerState) -> None:
    from sqe.observe import families

    def state() -> dict[_Labels, float]:
        now = server.spark_state
        return {(name,): name == now for name in _SPARK_STATES}

    metrics.read(families.SPARK_UP, state)
    metrics.read(families.SPARK_SESSIONS, lambda: {(): server.spark_sessions.count})
    spark = server.spark
    if spark is not None:
        look = SparkLook(spark)
        metrics.read(families.SPARK_STARTS, lambda: {(): spark.generation})
        metrics.read(families.SPARK_HEAP, look.heap)
        metrics.read(families.SPARK_TASKS, look.tasks)


class SparkLook:
    """What Spark's JVM says of itself, asked for every ten seconds at most and on a thread of its
    own: a scrape takes what was said last, and waits a moment for the first answer alone."""

    def __init__(self, spark: SparkServer, clock: Callable[[], float] = time.monotonic) -> None:
        self._spark = spark
        self._clock = clock
        self._lock = threading.Lock()
        self._looking = False
        self._looked = threading.Event()
        self._looked_at = float("-inf")
        self._of: int | None = None
        self._heap: Mapping[_Labels, float] = {}
        self._tasks: Mapping[_Labels, float] = {}

    def heap(self) -> Mapping[_Labels, float]:
        return self._heap if self._is_there() else {}

    def tasks(self) -> Mapping[_Labels, float]:
        return self._tasks if self._is_there() else {}

    def _is_there(self) -> bool:
        """Whether what is kept is of the Spark that runs now."""
        pid = self._spark.pid
        if pid is None:
            return False
        with self._lock:
            fresh = self._of == pid and self._clock() - self._looked_at < _LOOK_S
            begins = not fresh and not self._looking
            if begins:
                self._looking = True
                self._looked.clear()
        if begins:
            threading.Thread(target=self._look, args=(pid,), name="spark-look", daemon=True).start()
        if self._of != pid:
            self._looked.wait(_PATIENCE_S)
        return self._of == pid

    def _look(self, pid: int) -> None:
        try:
            heap, activity = read_heap(pid), read_activity(pid)
            if heap is not None:
                self._heap = {("used",): heap.used, ("committed",): heap.committed}
            if activity is not None:
                self._tasks = {
                    ("running",): max(0, activity.tasks - activity.killed),
                    ("killed",): activity.killed,
                }
            if heap is not None or activity is not None:
                self._of = pid
        finally:
            with self._lock:
                self._looking = False
                self._looked_at = self._clock()
            self._looked.set()


def _queries(server: ServerState) -> dict[_Labels, float]:
    counts: dict[_Labels, float] = {(state.value,): 0 for state in _LIVE}
    for state in server.gateway.live_states():
        if not state.ended:
            counts[(state.value,)] += 1
    return counts


def _groups(server: ServerState) -> dict[_Labels, float]:
    values: dict[_Labels, float] = {}
    for group, (running, waiting) in server.gateway.admission.totals().items():
        values[group, "running"] = running
        values[group, "waiting"] = waiting
    return values


def _cache(server: ServerState) -> dict[_Labels, float]:
    values: dict[_Labels, float] = {}
    for (catalog, kept), (hits, misses) in server.catalogs.cache_looks().items():
        values[catalog, kept, "hit"] = hits
        values[catalog, kept, "miss"] = misses
    return values


def _certificate(server: ServerState) -> dict[_Labels, float]:
    until = server.certificate_end()
    return {(): until} if until is not None else {}


def _by_one(counts: Mapping[str, int]) -> dict[_Labels, float]:
    return {(name,): count for name, count in counts.items()}
