"""What the settings say, in the words of those who are made with it."""

from __future__ import annotations

import datetime
from pathlib import Path

from sqe.engines.local.options import LocalOptions
from sqe.engines.spark.options import SparkServerOptions
from sqe.engines.spark.session_janitor import SparkLimits
from sqe.errors import ErrorCode, ResourceError, disk_full, is_disk_full
from sqe.gateway.tracker import QueryLimits
from sqe.maintenance.floors import Floors
from sqe.model.identity import Secret
from sqe.rewrite.hash_keys import HashKeys
from sqe.settings import Settings
from sqe.settings.sizes import MB

LOCAL = "local"  # the folder for what the local engine spills


def prepare_home(home: Path) -> Path:
    try:
        home.mkdir(parents=True, exist_ok=True)
        home.chmod(0o700)
    except OSError as error:
        if is_disk_full(error):
            raise disk_full(f"the home {home}") from error
        raise ResourceError(
            ErrorCode.HOME_IN_USE,
            f"The home {home} cannot be used: {error.strerror}.",
            hint="Choose another with --home or SQE_HOME.",
        ) from error
    return home


def local_options(settings: Settings) -> LocalOptions:
    local = settings.local
    given: dict[str, int] = {}
    if local.memory_mb:
        given["memory"] = local.memory_mb * MB
    if local.threads:
        given["threads"] = local.threads
    return LocalOptions(
        folder=settings.home / LOCAL,
        memory_per_query=local.query_memory_mb * MB,
        spill=local.spill_mb * MB,
        remote_timeout_s=local.storage_timeout_s,
        **given,
    )


def hash_keys(settings: Settings) -> HashKeys:
    keys = settings.policy.hash_keys
    return HashKeys({name: Secret(key.get_secret_value()) for name, key in keys.items()})


def query_limits(settings: Settings) -> QueryLimits:
    limits = settings.limits
    return QueryLimits(
        limits.running_queries, limits.running_queries_per_user, limits.finished_queries
    )


def floors(settings: Settings) -> Floors:
    maintenance = settings.maintenance
    return Floors(
        datetime.timedelta(seconds=maintenance.min_snapshot_age_s),
        datetime.timedelta(seconds=maintenance.min_orphan_age_s),
    )


def spark_limits(settings: Settings) -> SparkLimits:
    spark = settings.spark
    remote = bool(spark.remote.get_secret_value())  # whoever runs it replaces it
    return SparkLimits(
        spark.max_sessions,
        spark.max_sessions_per_user,
        spark.session_idle_s,
        0 if remote else spark.recycle_after_sessions,
    )


def spark_server_options(settings: Settings) -> SparkServerOptions:
    spark = settings.spark
    return SparkServerOptions(
        home=settings.home,
        jar_cache=spark.jars or settings.home / "jars",
        java=Path(spark.java) if spark.java else None,
        master=spark.master,
        driver_memory=spark.driver_memory,
        extra_conf=spark.server_conf,
        start_timeout_s=spark.start_timeout_s,
        cds=spark.class_data_sharing,
    )
