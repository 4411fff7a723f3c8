"""Server-wide Spark settings. What belongs to one user's session is set per session."""

from __future__ import annotations

import os
from pathlib import Path

from sqe.engines.spark.options import SparkServerOptions

_REDACTED = "(?i)secret|password|token|credential|access[.-]?key|bearer|authorization|session"
_LOOPBACK = "127.0.0.1"
_PIECE_PER_SLOT_MB = 8
_LARGEST_PIECE_MB = 128  # Spark's own
POOLS_FILE = "pools.xml"  # in the server's folder


def server_conf(options: SparkServerOptions, work: Path) -> dict[str, str]:
    """All settings of the embedded server; ``options.extra_conf`` has the last word."""
    return {
        "spark.app.name": "sqe",
        "spark.master": options.master,
        "spark.driver.memory": options.heap,
        "spark.driver.maxResultSize": options.result_limit,
        **_network(),
        **_safety(),
        **_query(),
        **_fairness(work),
        **_upkeep(),
        "spark.local.dir": str(work / "local"),
        "spark.sql.warehouse.dir": str(work / "warehouse"),
        **options.extra_conf,
    }


def _network() -> dict[str, str]:
    """Loopback only, and the driver's own ports ask for a secret that Spark makes itself."""
    return {
        "spark.driver.host": _LOOPBACK,
        "spark.driver.bindAddress": _LOOPBACK,
        "spark.connect.grpc.binding.address": _LOOPBACK,
        "spark.connect.grpc.binding.port": "0",  # the kernel picks it: nobody can take it before us
        "spark.authenticate": "true",
        # A task carries the keys of the tables it reads.
        "spark.network.crypto.enabled": "true",
        "spark.network.crypto.cipher": "AES/GCM/NoPadding",
        "spark.ui.enabled": "false",
        "spark.eventLog.enabled": "false",
        "spark.metrics.executorMetricsSource.enabled": "false",
    }


def _safety() -> dict[str, str]:
    return {
        "spark.sql.runSQLOnFiles": "false",
        # Otherwise Spark replaces ${x} in any text, even inside names that SQE has checked.
        "spark.sql.variable.substitute": "false",
        "spark.sql.connect.serverStacktrace.enabled": "false",
        "spark.redaction.regex": _REDACTED,
        "spark.sql.redaction.options.regex": _REDACTED,
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalogImplementation": "in-memory",
        # Decoded delete files would be shared between users by path.
        "spark.sql.iceberg.executor-cache.enabled": "false",
    }


def _query() -> dict[str, str]:
    return {
        "spark.sql.ansi.enabled": "true",
        "spark.sql.adaptive.enabled": "true",
        # Adaptive execution merges small partitions; 200 of them cost seconds on one machine.
        "spark.sql.shuffle.partitions": str(max(4, 2 * (os.cpu_count() or 1))),
        "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
        "spark.connect.progress.reportInterval": "500ms",
    }


def _fairness(work: Path) -> dict[str, str]:
    """A small statement gets the next free task slot, however many tasks of others wait for one.

    A task that runs is never interrupted, so the wait is as long as tasks are: files that are
    loaded are cut into smaller pieces where there are few slots. The more slots, the sooner one of
    them is free, and the larger the pieces may be."""
    piece = min(_LARGEST_PIECE_MB, _PIECE_PER_SLOT_MB * (os.cpu_count() or 1))
    return {
        "spark.scheduler.mode": "FAIR",
        "spark.scheduler.allocation.file": str(work / POOLS_FILE),
        "spark.sql.files.maxPartitionBytes": f"{piece}m",
    }


def _upkeep() -> dict[str, str]:
    """SQE ends sessions and queries itself, so Spark must not do it behind a slow reader's back."""
    return {
        "spark.connect.session.manager.defaultSessionTimeout": "-1",
        "spark.connect.execute.manager.detachedTimeout": "1h",
        # An operation's id can be used once more, which is how its jobs are cancelled. No plan can
        # run twice for that: the client never sends one again that Spark has released.
        "spark.connect.session.inactiveOperations.cacheExpiration": "0",
        # A thread watches each killed task until it has ended: see activity.py.
        "spark.task.reaper.enabled": "true",
        "spark.task.reaper.threadDump": "false",
        "spark.cleaner.periodicGC.interval": "10min",
        "spark.ui.retainedJobs": "50",
        "spark.ui.retainedStages": "50",
        "spark.ui.retainedTasks": "1000",
        "spark.sql.ui.retainedExecutions": "20",
        "spark.connect.ui.retainedSessions": "20",
        "spark.connect.ui.retainedStatements": "20",
    }
