"""Every metric of SQE: name, labels and meaning. The reference page is made from this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqe.errors import ErrorCode
from sqe.observe.family import (
    BYTES,
    CALL_SECONDS,
    POLICY_SECONDS,
    ROWS,
    SECONDS,
    Family,
    Kind,
)

_ENGINE = "`spark`, `local`, `coordinator`; `none` for a query that ended before it had one"
_PROTOCOL = "`flight`, `trino`, `iceberg`, `embedded` (in SQE's own process)"
_KIND = "the kind of statement, as in the audit log; `unknown` where it was not understood"
_OUTCOME = "`ok`, `denied`, `absent`, `conflict`, `refused`, `failed`, `unavailable`"
_CATALOG = "the catalog's name in the settings"
_BY_ENGINE = {"engine": _ENGINE}

QUERIES = Family(
    "sqe_queries_total",
    Kind.COUNTER,
    "Queries that have ended.",
    {
        "state": "`finished`, `failed`, `cancelled`",
        "kind": _KIND,
        "engine": _ENGINE,
        "protocol": _PROTOCOL,
        "error": "the category of the error; `none` without one",
    },
)
QUERIES_STARTED = Family(
    "sqe_queries_started_total",
    Kind.COUNTER,
    "Queries that have come in.",
    {"protocol": _PROTOCOL},
)
QUERY_ERRORS = Family(
    "sqe_query_errors_total",
    Kind.COUNTER,
    "Queries that ended with an error.",
    {"code": "the error's code ([errors](errors.md))"},
)
ACTIVE_QUERIES = Family(
    "sqe_active_queries",
    Kind.GAUGE,
    "Queries that have not ended.",
    {"state": "`queued`, `planning`, `running`"},
)
GROUP_QUERIES = Family(
    "sqe_resource_group_queries",
    Kind.GAUGE,
    "Queries in resource groups, each counted in its group and in those above it.",
    {
        "group": "the group's name in the file, as `global.${USER}` for all users together",
        "state": "`running`, `waiting`",
    },
)
USER_QUERIES = Family(
    "sqe_user_queries_total",
    Kind.COUNTER,
    "Queries that have ended, by user. Only with `metrics.users = true`.",
    {
        "user": "the user; `other` for those beyond the first 1,000",
        "state": "`finished`, `failed`, `cancelled`",
    },
)
QUERY_SECONDS = Family(
    "sqe_query_seconds",
    Kind.HISTOGRAM,
    "From a query's arrival to its end.",
    {"engine": _ENGINE, "state": "`finished`, `failed`, `cancelled`"},
    SECONDS,
)
WAITING_SECONDS = Family(
    "sqe_query_waiting_seconds",
    Kind.HISTOGRAM,
    "From a query's arrival to the beginning of its planning.",
    buckets=SECONDS,
)
PLANNING_SECONDS = Family(
    "sqe_query_planning_seconds",
    Kind.HISTOGRAM,
    "The stages of the pipe up to the choice of an engine.",
    _BY_ENGINE,
    SECONDS,
)
FIRST_ROW_SECONDS = Family(
    "sqe_query_first_row_seconds",
    Kind.HISTOGRAM,
    "From a query's arrival to its first rows, of those that have rows.",
    _BY_ENGINE,
    SECONDS,
)
QUERY_ROWS = Family(
    "sqe_query_rows", Kind.HISTOGRAM, "Rows of a finished query's result.", _BY_ENGINE, ROWS
)
QUERY_BYTES = Family(
    "sqe_query_bytes", Kind.HISTOGRAM, "Bytes of a finished query's result.", _BY_ENGINE, BYTES
)
SCANNED_BYTES = Family(
    "sqe_scanned_bytes_total",
    Kind.COUNTER,
    "Bytes of the data files that scans were left with after pruning, where the engine tells.",
    _BY_ENGINE,
)
SPILLED_BYTES = Family(
    "sqe_spilled_bytes_total",
    Kind.COUNTER,
    "Bytes that queries wrote to disk because memory was short, where the engine tells.",
    _BY_ENGINE,
)

OPEN_SESSIONS = Family("sqe_open_sessions", Kind.GAUGE, "Open sessions.")
SESSIONS = Family(
    "sqe_sessions_total",
    Kind.COUNTER,
    "What became of sessions.",
    {"outcome": "`opened`, `refused` (a limit), `closed`, `expired`"},
)
LOGINS = Family(
    "sqe_logins_total",
    Kind.COUNTER,
    "Credentials that were shown, once for each connection or request that shows one.",
    {
        "credential": "`password`, `bearer`, `certificate`, `nothing`, `api_key` (if accepted)",
        "outcome": "`accepted`, `denied`, `unavailable` (the identity provider), `failed`, "
        "`delayed` (after too many failures)",
    },
)

CATALOG_SECONDS = Family(
    "sqe_catalog_call_seconds",
    Kind.HISTOGRAM,
    "Calls of a catalog: HTTP requests of a remote one, operations of SQE's own.",
    {"catalog": _CATALOG, "outcome": _OUTCOME},
    CALL_SECONDS,
)
CATALOG_CACHE = Family(
    "sqe_catalog_cache_total",
    Kind.COUNTER,
    "Looks into what is kept of a remote catalog's answers.",
    {"catalog": _CATALOG, "kept": "`configs`, `lists`, `tables`", "outcome": "`hit`, `miss`"},
)
CREDENTIALS = Family(
    "sqe_credentials_total",
    Kind.COUNTER,
    "Keys to the files of a table, from catalogs.",
    {"outcome": "`vended` (with a table), `renewed`, `refused` (the catalog gave none)"},
)
BROKER_SECONDS = Family(
    "sqe_broker_call_seconds",
    Kind.HISTOGRAM,
    "Requests of Spark to the broker, its only catalog.",
    {
        "operation": "`load_table`, `commit_table`, …; `no_such_endpoint`; `unknown`",
        "outcome": _OUTCOME,
    },
    CALL_SECONDS,
)

LOCAL_MEMORY = Family(
    "sqe_local_memory_bytes",
    Kind.GAUGE,
    "Memory of the local engine.",
    {"part": "`used` (given to running queries), `idle` (of databases that wait), `limit`"},
)
LOCAL_WAITING = Family(
    "sqe_local_waiting_queries", Kind.GAUGE, "Queries that wait for memory of the local engine."
)
LOCAL_INSTANCES = Family(
    "sqe_local_instances",
    Kind.GAUGE,
    "Databases of the local engine.",
    {"state": "`running`, `idle` (waits for its session's next query), `ready` (prepared ahead)"},
)
LOCAL_SPILL = Family(
    "sqe_local_spill_bytes", Kind.GAUGE, "What the local engine has on disk for running queries."
)
FALLBACKS = Family(
    "sqe_local_fallbacks_total",
    Kind.COUNTER,
    "Queries that Spark ran although the local engine was asked first.",
    {
        "reason": "`unproven` (it does not take such a query), `size`, `turned_off`,"
        " `gave_up` (it found out while it ran), `failed`"
    },
)

SPARK_UP = Family(
    "sqe_spark_up",
    Kind.GAUGE,
    "1 in the state that Spark is in, 0 in the others.",
    {"state": "`ready`, `starting`, `stopped`, `remote` (another looks after it)"},
)
SPARK_HEAP = Family(
    "sqe_spark_heap_bytes",
    Kind.GAUGE,
    "The heap of SQE's own Spark; looked at every ten seconds at most.",
    {"part": "`used`, `committed`"},
)
SPARK_SESSIONS = Family("sqe_spark_sessions", Kind.GAUGE, "Open Spark sessions.")
SPARK_TASKS = Family(
    "sqe_spark_tasks",
    Kind.GAUGE,
    "Tasks in SQE's own Spark; looked at every ten seconds at most.",
    {"state": "`running`, `killed` (they were told to end and have not)"},
)
SPARK_STARTS = Family(
    "sqe_spark_starts_total", Kind.COUNTER, "Starts of SQE's own Spark: one is none too many."
)

COMMITS = Family(
    "sqe_commits_total",
    Kind.COUNTER,
    "Snapshots that queries have added to tables.",
    {"operation": "`append`, `overwrite`, `replace`, `delete`, `unknown`"},
)
WRITTEN_FILES = Family(
    "sqe_written_files_total", Kind.COUNTER, "Data files of these snapshots, as they tell."
)
WRITTEN_BYTES = Family(
    "sqe_written_bytes_total", Kind.COUNTER, "Bytes of these files, as the snapshots tell."
)
RERUNS = Family(
    "sqe_reruns_total",
    Kind.COUNTER,
    "Writes that were run again because somebody else's commit came first.",
)
CONFLICTS = Family(
    "sqe_commit_conflicts_total",
    Kind.COUNTER,
    "Commits that were refused because somebody else's came first: reruns, and writes that"
    " failed with it.",
)

DECISIONS = Family(
    "sqe_policy_decisions_total",
    Kind.COUNTER,
    "Decisions about tables, views and other things.",
    {"decision": "`allow`, `restrict`, `deny`, `unanswered` (a source failed, so it is a deny)"},
)
POLICY_SECONDS_TAKEN = Family(
    "sqe_policy_seconds",
    Kind.HISTOGRAM,
    "How long the decisions of one statement took, kept answers among them.",
    buckets=POLICY_SECONDS,
)

BUILD = Family("sqe_build_info", Kind.GAUGE, "Always 1.", {"version": "SQE's version"})
READY = Family("sqe_ready", Kind.GAUGE, "1 while `/readyz` says yes.")
DRAINING = Family("sqe_draining", Kind.GAUGE, "1 from SIGTERM on.")
THREADS = Family("sqe_threads", Kind.GAUGE, "Threads of SQE's process.")
CERTIFICATE = Family(
    "sqe_certificate_expiry_timestamp_seconds",
    Kind.GAUGE,
    "When the TLS certificate in use ends, in seconds since 1970.",
)
BROKEN_FILES = Family(
    "sqe_broken_files",
    Kind.GAUGE,
    "1 for a watched file that is wrong now: what it said before holds, and the log says why.",
    {"file": "`settings`, `resource_groups`, or the policy source: `file`, `cedar`"},
)
SINK_ERRORS = Family(
    "sqe_event_sink_errors_total",
    Kind.COUNTER,
    "Events that a sink could not record. What is missing there is said in SQE's log.",
    {"sink": "the kind of sink: `AuditFile`, `AuditToSyslog`, `AuditOverHttp`, …"},
)
SPANS = Family(
    "sqe_spans_total",
    Kind.COUNTER,
    "Spans of traces that have ended, where queries are traced.",
    {"outcome": "`sent`, or `dropped`, where the collector was down or too slow"},
)
READING_ERRORS = Family(
    "sqe_metric_reading_errors_total",
    Kind.COUNTER,
    "Gauges that could not be read for a scrape; they are missing in it.",
    {"metric": "the gauge's name"},
)

_OUTCOMES: Mapping[Family, Iterable[str]] = {
    QUERY_ERRORS: ErrorCode.__members__,
    SESSIONS: ("opened", "refused", "closed", "expired"),
    CREDENTIALS: ("vended", "renewed", "refused"),
    FALLBACKS: ("unproven", "size", "turned_off", "gave_up", "failed"),
    COMMITS: ("append", "overwrite", "replace", "delete"),
    DECISIONS: ("allow", "restrict", "deny", "unanswered"),
}
# Series that are there from the start: of one that begins with its first event, Prometheus cannot
# see that it has grown, and no alert would tell of the first.
BEGIN_AT_ZERO: Mapping[Family, tuple[tuple[str, ...], ...]] = {
    **{family: tuple((value,) for value in values) for family, values in _OUTCOMES.items()},
    READING_ERRORS: tuple((f.name,) for f in (SPARK_HEAP, SPARK_TASKS, LOCAL_SPILL, READY)),
    LOGINS: tuple(
        (credential, outcome)
        for credential in ("password", "bearer", "certificate", "nothing", "api_key")
        for outcome in ("accepted", "denied", "unavailable", "failed", "delayed")
    ),
}

SECTIONS: Mapping[str, tuple[Family, ...]] = {
    "Queries": (
        QUERIES,
        QUERIES_STARTED,
        ACTIVE_QUERIES,
        GROUP_QUERIES,
        QUERY_ERRORS,
        USER_QUERIES,
        QUERY_SECONDS,
        WAITING_SECONDS,
        PLANNING_SECONDS,
        FIRST_ROW_SECONDS,
        QUERY_ROWS,
        QUERY_BYTES,
        SCANNED_BYTES,
        SPILLED_BYTES,
    ),
    "Sessions and logins": (OPEN_SESSIONS, SESSIONS, LOGINS),
    "Catalogs and the broker": (CATALOG_SECONDS, CATALOG_CACHE, CREDENTIALS, BROKER_SECONDS),
    "The local engine": (LOCAL_MEMORY, LOCAL_WAITING, LOCAL_INSTANCES, LOCAL_SPILL, FALLBACKS),
    "Spark": (SPARK_UP, SPARK_HEAP, SPARK_SESSIONS, SPARK_TASKS, SPARK_STARTS),
    "Writes": (COMMITS, WRITTEN_FILES, WRITTEN_BYTES, RERUNS, CONFLICTS),
    "Policy": (DECISIONS, POLICY_SECONDS_TAKEN),
    "The process": (
        BUILD,
        READY,
        DRAINING,
        THREADS,
        CERTIFICATE,
        BROKEN_FILES,
        SINK_ERRORS,
        READING_ERRORS,
        SPANS,
    ),
}
FAMILIES: tuple[Family, ...] = tuple(family for part in SECTIONS.values() for family in part)
# What the library for Prometheus adds of the process itself, on Linux.
OF_THE_LIBRARY = (
    "process_virtual_memory_bytes",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
    "process_cpu_seconds_total",
    "process_open_fds",
    "process_max_fds",
)
