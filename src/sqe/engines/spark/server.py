"""The embedded Spark Connect server: a child process that never outlives SQE."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace

from sqe.engines.spark.archive import archive_for
from sqe.engines.spark.child import (
    EndedAtOnce,
    SparkChild,
    StartFailed,
    remove_stale,
    unavailable,
)
from sqe.engines.spark.command import Runtime
from sqe.engines.spark.jars import ensure_jars, spark_jars
from sqe.engines.spark.java import find_java
from sqe.engines.spark.options import SparkServerOptions
from sqe.errors import ErrorCode, SqeError, UpstreamError
from sqe.model.identity import Secret

_log = logging.getLogger(__name__)
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
        self._child: SparkChild | None = None
        self._old: dict[int, SparkChild] = {}  # by generation: others took over from them
        self._endpoint: Endpoint | None = None
        self._generation = 0
        self._background: threading.Thread | None = None

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

    def start(self) -> Endpoint:
        """Returns when Spark listens; at once if it does. Raises ENGINE_UNAVAILABLE."""
        self._stopping.clear()
        return self._start()

    def start_in_background(self) -> None:
        """Begins a start. Whoever calls ``start`` waits for it, and sees why it failed."""
        self._stopping.clear()
        self._background = threading.Thread(target=self._try, name="spark-start", daemon=True)
        self._background.start()

    def stop(self) -> None:
        """Ends Spark; it can be started again. The first stop also writes the class archive."""
        self._stopping.set()
        if self._background is not None:
            self._background.join()
            self._background = None
        with self._lock:
            old, self._old = list(self._old.values()), {}
            for child in old:
                self._end(child)
            self._end_current()

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
                return self._install(self._boot_with_or_without_archive(self._runtime()))
            except StartFailed as error:
                raise unavailable(error, self.options) from None

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
        iceberg = ensure_jars(options.jar_cache, java, options.extra_conf)
        jars = (*spark_jars(), *iceberg)
        return Runtime(
            java, jars, archive_for(options.archives, java, jars) if options.cds else None
        )

    def _boot(self, runtime: Runtime) -> SparkChild:
        child = SparkChild(self.options, runtime)
        try:
            child.wait_ready(self._stopping.is_set)
        except BaseException:
            child.end(0)
            raise
        return child

    def _install(self, child: SparkChild) -> Endpoint:
        self._generation += 1
        self._child = child
        self._endpoint = Endpoint("127.0.0.1", child.port, child.token, self._generation)
        return self._endpoint

    def _end_current(self) -> None:
        child, self._child, self._endpoint = self._child, None, None
        if child is not None:
            self._end(child)

    def _end(self, child: SparkChild) -> None:
        options, archive = self.options, child.runtime.archive
        training = child.training and child.alive
        code = child.end(options.archive_timeout_s if training else options.stop_timeout_s)
        if archive is None:
            return
        if training and code in _CLEAN_EXITS:
            archive.keep()
        elif code in _CRASHES:  # perhaps of a damaged archive, which must not crash the next one
            archive.discard()
        else:
            archive.draft.unlink(missing_ok=True)
