"""The embedded Spark Connect server: a child process that never outlives SQE."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, replace

from sqe.engines.spark.activity import Activity, collect_garbage, read_activity
from sqe.engines.spark.archive import archive_for
from sqe.engines.spark.child import (
    EndedAtOnce,
    SparkChild,
    StartFailed,
    remove_stale,
    unavailable,
)
from sqe.engines.spark.command import Runtime
from sqe.engines.spark.ivy import Tell, tell_nobody
from sqe.engines.spark.jars import ensure_artifacts, spark_jars
from sqe.engines.spark.java import find_java
from sqe.engines.spark.options import SparkServerOptions
from sqe.errors import ErrorCode, SqeError, UpstreamError
from sqe.model.identity import Secret

_log = logging.getLogger(__name__)
_ABORT_S = 2.0  # how long a start may take to notice that it is not wanted any more
_CLEAN_EXITS = (0, 143)  # by itself, or asked by SIGTERM
_CRASHES = (134, 135, 139)  # SIGABRT, SIGBUS, SIGSEGV: the JVM itself broke


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a running server listens. ``generation`` tells one run from the next."""

    host: str
    port: int
    token: Secret
    generation: int


class SparkServer:
    """Starts, watches and ends Spark's Connect server. Safe to use from any thread."""

    def __init__(self, options: SparkServerOptions) -> None:
        self.options = options
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._closed = False
        self._child: SparkChild | None = None
        self._old: dict[int, SparkChild] = {}  # by generation: others took over from them
        self._endpoint: Endpoint | None = None
        self._generation = 0
        self._background: threading.Thread | None = None
        self._phase = ""  # of a start under way
        self._listeners: list[Tell] = []  # who waits for it

    @property
    def alive(self) -> bool:
        child = self._child
        return child is not None and self._endpoint is not None and child.alive

    @property
    def generation(self) -> int:
        """0 before the first start; grows with each one."""
        return self._generation

    @property
    def pid(self) -> int | None:
        """The JVM's process id, while there is one."""
        child = self._child
        return child.jvm_pid if child is not None and child.alive else None

    @property
    def endpoint(self) -> Endpoint:
        endpoint = self._endpoint
        if endpoint is None or not self.alive:
            raise UpstreamError(ErrorCode.ENGINE_UNAVAILABLE, "Spark is not running.")
        return endpoint

    def serves(self, generation: int) -> bool:
        """Whether the server of that generation runs, be it the current one or not."""
        old = self._old.get(generation)
        return old.alive if old is not None else self.alive and generation == self._generation

    def activity(self, generation: int) -> Activity | None:
        """What the server of that generation does; None where there is no telling."""
        child = self._old.get(generation) or self._child
        return read_activity(child.jvm_pid) if child is not None else None

    def collect_garbage(self, generation: int) -> None:
        """Has the server of that generation close files that nothing in it uses any more."""
        child = self._old.get(generation) or self._child
        if child is not None:
            collect_garbage(child.jvm_pid)

    def start(self, tell: Tell = tell_nobody) -> Endpoint:
        """Returns when Spark listens; at once if it does. Raises ENGINE_UNAVAILABLE. ``tell`` is
        told, in words, what is waited for."""
        if self._closed:
            raise UpstreamError(ErrorCode.ENGINE_UNAVAILABLE, "Spark was ended: SQE is stopping.")
        self._stopping.clear()
        if self.alive:
            return self._start()
        if self._phase:  # another thread has begun
            tell(self._phase)
        self._listeners.append(tell)
        try:
            return self._start()
        finally:
            self._listeners.remove(tell)

    def start_in_background(self) -> None:
        """Begins a start. Whoever calls ``start`` waits for it, and sees why it failed."""
        self._stopping.clear()
        self._background = threading.Thread(target=self._try, name="spark-start", daemon=True)
        self._background.start()

    def stop(self, within: float | None = None) -> None:
        """Ends Spark; it can be started again. The first stop also writes the class archive, if
        it can ``within`` these seconds."""
        self._stopping.set()
        if self._background is not None:
            self._background.join(_ABORT_S)
            self._background = None
        # A start that still fetches jars has no process yet; the thread ends with SQE.
        if not self._lock.acquire(timeout=_ABORT_S):
            return
        try:
            old, self._old = list(self._old.values()), {}
            for child in old:
                self._end(child, within)
            self._end_current(within)
        finally:
            self._lock.release()

    def close(self, within: float | None = None) -> None:
        """Ends Spark for good: whoever asks for it from now on is refused."""
        self._closed = True
        self.stop(within)

    def recycle(self) -> None:
        """Starts another server beside the running one and lets it take over: whoever asks from
        then on is sent there. The old one goes on until ``retire``."""
        with self._lock:
            before, generation = self._child, self._generation
            if before is None or not self.alive:
                return  # the next start makes a new one anyway
            runtime = self._runtime()
            if runtime.archive is not None and not runtime.archive.ready:
                runtime = replace(runtime, archive=None)  # the old one is recording it
            try:
                child = self._boot(runtime)
            except StartFailed as error:
                raise unavailable(error, self.options) from None
            self._old[generation] = before
            self._install(child)

    def retire(self, generation: int) -> None:
        """Ends the server of that generation, if another took over from it."""
        with self._lock:
            child = self._old.pop(generation, None)
        if child is not None:
            self._end(child)

    def end(self, generation: int) -> None:
        """Ends the current server, whatever it does, if it is of that generation."""
        with self._lock:
            if generation == self._generation:
                self._end_current()

    def _try(self) -> None:
        try:
            self._start()
        except SqeError as error:
            if not self._stopping.is_set():
                _log.warning("spark did not start: %s", error)

    def _start(self) -> Endpoint:
        running = self._endpoint
        if running is not None and self.alive:  # without the lock: another may be starting beside
            return running
        with self._lock:
            if self._endpoint is not None and self.alive:
                return self._endpoint
            self._end_current()
            remove_stale(self.options.scratch)
            try:
                runtime = self._runtime()
                self._tell("starting Spark")
                return self._install(self._boot_with_or_without_archive(runtime))
            except StartFailed as error:
                raise unavailable(error, self.options) from None
            finally:
                self._phase = ""

    def _tell(self, phase: str) -> None:
        self._phase = phase
        for tell in list(self._listeners):
            tell(phase)

    def _boot_with_or_without_archive(self, runtime: Runtime) -> SparkChild:
        """A damaged archive can bring a JVM down: try without it before giving up."""
        archive = runtime.archive
        if archive is None or not archive.ready:
            return self._boot(runtime)
        try:
            return self._boot(runtime)
        except EndedAtOnce:
            archive.discard()
        return self._boot(replace(runtime, archive=None))

    def _runtime(self) -> Runtime:
        options = self.options
        java = find_java(options.java)
        iceberg = ensure_artifacts(options.jar_cache, java, options.extra_conf, tell=self._tell)
        jars = (*spark_jars(), *iceberg)
        return Runtime(
            java, jars, archive_for(options.archives, java, jars) if options.cds else None
        )

    def _boot(self, runtime: Runtime) -> SparkChild:
        started = time.monotonic()
        _log.info("spark is starting: Java %s, heap %s", runtime.java.version, self.options.heap)
        child = SparkChild(self.options, runtime)
        try:
            child.wait_ready(self._stopping.is_set)
            seconds = time.monotonic() - started
            _log.info("spark is ready on port %d after %.1f s", child.port, seconds)
        except BaseException:
            child.end(0)
            raise
        return child

    def _install(self, child: SparkChild) -> Endpoint:
        self._generation += 1
        self._child = child
        self._endpoint = Endpoint("127.0.0.1", child.port, child.token, self._generation)
        return self._endpoint

    def _end_current(self, within: float | None = None) -> None:
        child, self._child, self._endpoint = self._child, None, None
        if child is not None:
            self._end(child, within)

    def _end(self, child: SparkChild, within: float | None = None) -> None:
        options, archive = self.options, child.runtime.archive
        training = child.training and child.alive
        grace = options.archive_timeout_s if training else options.stop_timeout_s
        code = child.end(grace if within is None else max(0.5, min(grace, within)))
        _log.info("spark has stopped with exit code %s", code)
        if archive is None:
            return
        if training and code in _CLEAN_EXITS:
            archive.keep()
        elif code in _CRASHES:  # perhaps of a damaged archive, which must not crash the next one
            archive.discard()
        else:
            archive.draft.unlink(missing_ok=True)
