"""What the settings say, in the words of those who are made with it."""

from __future__ import annotations

import datetime
from pathlib import Path

from sqe.admission.admission import Admission, Groups, GroupsOfFile, groups_of_settings
from sqe.admission.user_limits import Limit, LimitRule, LimitRules, UserLimits
from sqe.engines.local.options import LocalOptions
from sqe.engines.result_cache.cache import ResultCache
from sqe.engines.result_cache.store import AnswerStore, CacheLimits
from sqe.engines.spark.options import SparkServerOptions
from sqe.engines.spark.session_janitor import SparkLimits
from sqe.errors import ErrorCode, ResourceError, disk_full, is_disk_full
from sqe.maintenance.floors import Floors
from sqe.model.identity import Secret
from sqe.rewrite.hash_keys import HashKeys
from sqe.sessions.limits import Lifetimes, SessionCounts
from sqe.settings import Settings
from sqe.settings.settings import LimitRuleSettings, LimitSettings
from sqe.settings.sizes import MB

LOCAL = "local"  # the folder for what the local engine spills
ANSWERS = "answers"  # and the one for those of the result cache


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
    options: dict[str, int] = {}
    if local.memory_mb:
        options["memory"] = local.memory_mb * MB
    if local.threads:
        options["threads"] = local.threads
    return LocalOptions(
        folder=settings.home / LOCAL,
        memory_per_query=local.query_memory_mb * MB,
        spill=local.spill_mb * MB,
        remote_timeout_s=local.storage_timeout_s,
        reuse_s=local.reuse_s,
        **options,
    )


def result_cache(settings: Settings) -> ResultCache | None:
    """None where the settings name no table."""
    asked = settings.result_cache
    if not asked.tables:
        return None
    limits = CacheLimits(asked.memory_mb * MB, asked.disk_mb * MB, asked.keep_s)
    store = AnswerStore(settings.home / ANSWERS, limits)
    return ResultCache(store, asked.tables, asked.answer_mb * MB)


def hash_keys(settings: Settings) -> HashKeys:
    keys = settings.policy.hash_keys
    return HashKeys({name: Secret(key.get_secret_value()) for name, key in keys.items()})


def admission(settings: Settings) -> Admission:
    limits = settings.limits
    return Admission(groups_of(settings), limit_rules(limits))


def groups_of(settings: Settings) -> Groups:
    """INVALID_SETTINGS where their file is wrong."""
    limits = settings.limits
    if limits.resource_groups is not None:
        return GroupsOfFile(settings.in_home(limits.resource_groups))
    return groups_of_settings(
        limits.running_queries, limits.running_queries_per_user, limits.queued_queries
    )


def session_counts(settings: Settings) -> SessionCounts:
    return SessionCounts(settings.limits.sessions, settings.limits.sessions_per_user)


def lifetimes(settings: Settings) -> Lifetimes:
    return Lifetimes(settings.limits.session_idle_s, settings.limits.session_lifetime_s)


def limit_rules(limits: LimitSettings) -> LimitRules:
    """Each rule, and what holds for everybody else."""
    rules = [
        LimitRule(
            _user_limits(limits, rule, f"limits.rules.{number}"),
            frozenset(rule.users),
            frozenset(rule.groups),
            frozenset(rule.roles),
        )
        for number, rule in enumerate(limits.rules)
    ]
    everybody = LimitRule(_user_limits(limits, LimitRuleSettings(), ""))
    of_all = Limit(limits.queries_per_minute_of_all, "limits.queries_per_minute_of_all")
    return LimitRules([*rules, everybody], of_all=of_all)


def _user_limits(limits: LimitSettings, rule: LimitRuleSettings, place: str) -> UserLimits:
    def limit(name: str) -> Limit:
        own = getattr(rule, name)
        if own is not None:
            return Limit(own, f"{place}.{name}")
        return Limit(getattr(limits, name), f"limits.{name}")

    return UserLimits(
        limit("query_timeout_s"),
        limit("result_rows"),
        limit("result_mb"),
        limit("queries_per_minute"),
        limit("queued_s"),
        limit("planning_timeout_s"),
        limit("total_timeout_s"),
        limit("scan_mb"),
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
