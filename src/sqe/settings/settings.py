"""Every setting, its default and its meaning. The reference page is generated from here."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from sqe.settings.access import AuthSettings, FlightSettings, TlsSettings
from sqe.settings.catalogs import CatalogSettings, only_our_own, overlap_of_warehouses
from sqe.settings.events import LogSinkSettings, SinkSettings, StdoutSinkSettings
from sqe.settings.history import HistorySettings
from sqe.settings.iceberg import IcebergSettings
from sqe.settings.locations import LocationSettings, check_locations
from sqe.settings.metrics import MetricsSettings
from sqe.settings.policy import PolicySettings
from sqe.settings.secrets import SecretText
from sqe.settings.sizes import MB, check_fits, check_spark_memory
from sqe.settings.spark_conf import MEANING
from sqe.settings.store import StoreSettings
from sqe.settings.strict import Strict
from sqe.settings.traces import TraceSettings
from sqe.settings.trino import TrinoSettings


def default_home() -> Path:
    """The user's data folder for SQE, by the platform's custom."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "sqe"


LOCAL_LEAST_MB = 128  # one query of the local engine
# Spark settings that would make Spark read another statement than SQE checked, or reach more.
# SQE sets them from properties of its sessions, whatever was set before.
_BY_PROPERTY = {
    "spark.sql.session.timezone": "sqe.time_zone",
    "spark.sql.sources.partitionoverwritemode": "sqe.partition_overwrite",
}
_RESERVED_CONF = (
    "spark.sql.ansi.doublequotedidentifiers",
    "spark.sql.parser.",
    "spark.sql.variable.",
    "spark.sql.runsqlonfiles",
    "spark.sql.extensions",
    "spark.sql.catalog",
    "spark.sql.defaultcatalog",
    "spark.sql.legacy.cteprecedencepolicy",
    "spark.sql.legacy.parser.",
    "spark.sql.legacy.setopsprecedence",
    "spark.authenticate",
    "spark.connect.authenticate",
    "spark.connect.grpc.interceptor",
    "spark.network.crypto.",
    "spark.redaction.",
    "spark.sql.redaction.",
    "spark.plugins",
    "spark.jars",
    "spark.submit",
)


class SparkSettings(Strict):
    """The engine of record. Without ``remote``, SQE starts its own on loopback."""

    remote: SecretText = Field(SecretStr(""), description="sc:// URL of a Connect server")
    master: str = Field("local[*]", description="Spark master of the embedded server")
    driver_memory: str = Field("", description="heap of the embedded server, e.g. 4g")
    java: str = Field("", description="path of the java command; found by itself if empty")
    start_timeout_s: float = Field(180.0, gt=0, description="how long a start may take")
    class_data_sharing: bool = Field(True, description="archive classes for a quicker start")
    server_conf: dict[str, str] = Field(
        default_factory=dict, description="spark.* settings of the embedded server"
    )
    session_conf: dict[str, str] = Field(
        default_factory=dict, description="spark.* settings of every Spark session"
    )
    jars: Path | None = Field(None, description="folder of the jar cache; in the home if unset")
    max_sessions: int = Field(200, ge=1, description="Spark sessions at once, in all")
    max_sessions_per_user: int = Field(50, ge=1, description="Spark sessions of one user at once")
    session_idle_s: float = Field(
        1_800.0, ge=0, description="a Spark session without a query is given back; 0 is never"
    )
    recycle_after_sessions: int = Field(
        1_000, ge=0, description="sessions after which the embedded server is replaced; 0 is never"
    )

    @field_validator("driver_memory")
    @classmethod
    def _enough_for_spark(cls, size: str) -> str:
        if size:
            check_spark_memory(size)
        return size

    @field_validator("server_conf")
    @classmethod
    def _say_meanings_to_sessions(cls, conf: dict[str, str]) -> dict[str, str]:
        """Every session is told of these, so that the server's own would never hold."""
        for key in conf:
            if key.lower() in {name.lower() for name in MEANING}:
                raise ValueError(f"{key} holds for a session: set it in session_conf")
        return conf

    @field_validator("server_conf", "session_conf")
    @classmethod
    def _leave_the_zone_to_sessions(cls, conf: dict[str, str]) -> dict[str, str]:
        for key in conf:
            if key.lower() in _BY_PROPERTY:
                name = _BY_PROPERTY[key.lower()]
                raise ValueError(f"{key} would not hold: sessions set {name} instead")
        return conf

    @field_validator("server_conf", "session_conf")
    @classmethod
    def _leave_the_locks_alone(cls, conf: dict[str, str]) -> dict[str, str]:
        for key, value in conf.items():
            if key.lower().startswith(_RESERVED_CONF):
                raise ValueError(f"{key} is SQE's own: it changes what a query can reach or mean")
            if key.lower().endswith("javaoptions") and "-Dspark." in value:
                raise ValueError(f"{key} is for Java: say Spark's settings by their names")
        return conf


class LocalSettings(Strict):
    """The engine in SQE's own process, for reads that are proven to be Spark's. Sizes in MB."""

    enabled: bool = Field(True, description="let `auto` use it; otherwise every query is Spark's")
    memory_mb: int = Field(0, ge=0, description="for all queries together; 0: half, at most 4096")
    query_memory_mb: int = Field(1024, ge=128, description="for one query, before it spills")
    storage_timeout_s: float = Field(
        30.0, ge=1, description="longest wait for an answer of an object store"
    )
    spill_mb: int = Field(10_240, ge=0, description="disk for one query; 0 keeps it in memory")
    threads: int = Field(0, ge=0, description="processors it may use; 0 is all of them")
    reuse_s: float = Field(
        300.0, ge=0, description="a session's idle databases live that long; 0: one for each query"
    )
    max_bytes: int = Field(4 * 1024**3, ge=1, description="of data files; larger reads are Spark's")
    max_files: int = Field(10_000, ge=1, description="data files; reads of more are Spark's")

    @field_validator("memory_mb")
    @classmethod
    def _fits_the_machine(cls, size: int) -> int:
        if 0 < size < LOCAL_LEAST_MB:
            raise ValueError(f"{size} MB is less than a query needs, {LOCAL_LEAST_MB}")
        check_fits(size * MB, f"{size} MB")
        return size


class ResultCacheSettings(Strict):
    """Answers that are kept for whoever asks the same and may see the same. Sizes in MB."""

    tables: tuple[str, ...] = Field(
        (),
        description="tables of which answers are kept, as `lake.sales.*`; none: no answer is",
    )
    memory_mb: int = Field(128, ge=1, description="memory for answers")
    disk_mb: int = Field(1024, ge=0, description="disk for those that do not fit; 0: none")
    answer_mb: int = Field(16, ge=1, description="the largest answer that is kept")
    keep_s: float = Field(3600.0, gt=0, description="longest life of an answer")


class LimitRuleSettings(Strict):
    """Other limits for some users. What is not said is as in `[limits]`."""

    users: tuple[str, ...] = Field((), description="names; with `groups`: these users as well")
    groups: tuple[str, ...] = Field((), description="of the issuer, LDAP or the settings")
    roles: tuple[str, ...] = Field((), description="likewise")
    queued_s: float | None = Field(None, ge=0, description="longest wait of a query")
    planning_timeout_s: float | None = Field(None, ge=0, description="until an engine has it")
    query_timeout_s: float | None = Field(None, ge=0, description="longest run of a query")
    total_timeout_s: float | None = Field(None, ge=0, description="with its wait")
    scan_mb: int | None = Field(None, ge=0, description="what a query reads of tables' files")
    result_rows: int | None = Field(None, ge=0, description="rows of a result")
    result_mb: int | None = Field(None, ge=0, description="size of a result")
    queries_per_minute: int | None = Field(None, ge=0, description="queries of each user")


class LimitSettings(Strict):
    """What one query or user may take."""

    statement_bytes: int = Field(1_000_000, ge=1, description="longest SQL text, in bytes of UTF-8")
    nesting: int = Field(200, ge=1, description="deepest nesting of parentheses and brackets")
    view_depth: int = Field(50, ge=1, description="deepest chain of views over views")
    running_queries: int = Field(200, ge=1, description="queries running at once, in all")
    running_queries_per_user: int = Field(150, ge=1, description="queries of one user at once")
    queued_queries: int = Field(
        1_000, ge=0, description="queries that wait for their turn, in all and of one user"
    )
    queued_s: float = Field(0.0, ge=0, description="longest wait of a query; 0 is no limit")
    resource_groups: Path | None = Field(
        None,
        description="Trino's `resource-groups.json`, in the home if it is relative; in place of"
        " `running_queries`, `running_queries_per_user` and `queued_queries`",
    )
    sessions: int = Field(2_000, ge=1, description="open sessions, in all")
    sessions_per_user: int = Field(500, ge=1, description="open sessions of one user")
    session_idle_s: float = Field(
        14_400.0, ge=0, description="a server's session without a query ends; 0 is never"
    )
    session_lifetime_s: float = Field(
        86_400.0, ge=0, description="a server's session ends, with its queries; 0 is never"
    )
    planning_timeout_s: float = Field(
        0.0, ge=0, description="how long a query is planned, until an engine has it; 0 is no limit"
    )
    query_timeout_s: float = Field(
        0.0, ge=0, description="longest run of a query, its planning with it; 0 is no limit"
    )
    total_timeout_s: float = Field(
        0.0, ge=0, description="longest time of a query, its wait with it; 0 is no limit"
    )
    scan_mb: int = Field(
        0,
        ge=0,
        description="what a query reads of tables' files: known before the local engine runs,"
        " counted while Spark does; 0 is no limit",
    )
    result_rows: int = Field(0, ge=0, description="rows of a result; 0 is no limit")
    result_mb: int = Field(0, ge=0, description="size of a result; 0 is no limit")
    queries_per_minute: int = Field(
        0,
        ge=0,
        description="queries of each user; a minute's may come at once; 0 is no limit",
    )
    queries_per_minute_of_all: int = Field(
        0, ge=0, description="the same, of all users together; 0 is no limit"
    )
    rules: tuple[LimitRuleSettings, ...] = Field(
        (), description="`[[limits.rules]]`: other limits for some; the first that fits holds"
    )
    finished_queries: int = Field(
        1_000, ge=0, description="records of ended queries kept in memory"
    )


class MaintenanceSettings(Strict):
    """What maintenance leaves alone, whatever it is told (ages in seconds), and from when on
    ``sqe maintain`` does something."""

    min_snapshot_age_s: float = Field(
        3600.0, ge=0, description="expire_snapshots keeps younger snapshots; 0 is no limit"
    )
    min_orphan_age_s: float = Field(
        86_400.0,
        ge=86_400,
        description="remove_orphan_files keeps younger files; Iceberg wants a day at least",
    )
    small_files: int = Field(5, ge=2, description="small files in a partition: rewrite them")
    delete_ratio: float = Field(0.1, gt=0, description="deleted rows to all rows: rewrite files")
    delete_files: int = Field(20, ge=1, description="delete files of a table: rewrite them")
    manifests: int = Field(20, ge=1, description="manifests too many: rewrite them")
    snapshot_age_days: float = Field(5.0, ge=0, description="snapshots this old: expire them")


class LoadSettings(Strict):
    """What COPY INTO may read."""

    folders: tuple[Path, ...] = Field(
        (), description="folders whose files everyone may load; none: COPY INTO is refused"
    )
    upload_mb: int = Field(
        10_240, ge=1, description="disk for the rows that a client sends in one bulk load"
    )
    download_mb: int = Field(
        10_240, ge=1, description="disk for what one COPY INTO fetches from object stores"
    )


class UnloadSettings(Strict):
    """What COPY (query) TO may write."""

    folders: tuple[Path, ...] = Field(
        (), description="folders that everyone may write files to; none: COPY TO is refused"
    )
    object_mb: int = Field(
        5_120,
        ge=1,
        le=5_120,
        description="largest object that one COPY TO writes; S3 takes no larger one at once",
    )


class LogSettings(Strict):
    """SQE's own log and its audit log, as JSON lines."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="what is logged: debug, info, warning or error"
    )
    to: Literal["file", "stdout", "stderr"] = Field(
        "file", description="where SQE's own log goes: file (logs/sqe.log in the home), or a stream"
    )
    audit: bool = Field(True, description="write logs/audit.jsonl; see docs/reference/audit.md")
    audit_required: bool = Field(
        False,
        description="refuse new queries and logins while logs/audit.jsonl cannot be written",
    )

    audit_max_mb: int = Field(
        0,
        ge=0,
        description="size at which logs/audit.jsonl gets a number and a new file begins; 0: never",
    )

    @model_validator(mode="after")
    def _is_written(self) -> LogSettings:
        if self.audit_required and not self.audit:
            raise ValueError("audit_required needs audit = true")
        return self


class ServeSettings(Strict):
    """What ``sqe serve`` listens on."""

    host: str = Field("127.0.0.1", description="address of the health endpoint")
    port: int = Field(
        8480, ge=0, le=65535, description="port of the health endpoint; 0 takes a free one"
    )
    broker_port: int = Field(
        0, ge=0, le=65535, description="port of the catalog broker; 0 takes a free one"
    )
    drain_s: float = Field(
        5.0,
        ge=0,
        description="seconds that running queries have to end when SQE is stopped; then they are"
        " cancelled, and SQE has ended 5 s later at the latest",
    )


class ShellSettings(Strict):
    """How ``sqe shell`` begins; its commands change it."""

    limit: int = Field(1_000, ge=0, description="rows shown of a result; 0 is all of them")
    pager: bool = Field(True, description="long results go through `$PAGER`, or less")


class Settings(Strict):
    """All of it."""

    home: Path = Field(default_factory=default_home, description="where SQE keeps its things")
    default_catalog: str = Field("lake", description="catalog of a new session")
    default_schema: str = Field("default", description="schema of a new session")
    catalogs: dict[str, CatalogSettings] = Field(
        default_factory=only_our_own,
        description="the catalogs by name",
    )
    locations: dict[str, LocationSettings] = Field(
        default_factory=dict,
        description="places in object stores that COPY may load from and write to, by name",
    )
    events: dict[str, SinkSettings] = Field(
        default_factory=dict,
        description="where else the events of queries go, by names of your own",
    )
    spark: SparkSettings = SparkSettings()
    local: LocalSettings = LocalSettings()
    result_cache: ResultCacheSettings = ResultCacheSettings()
    limits: LimitSettings = LimitSettings()
    maintenance: MaintenanceSettings = MaintenanceSettings()
    load: LoadSettings = LoadSettings()
    unload: UnloadSettings = UnloadSettings()
    log: LogSettings = LogSettings()
    history: HistorySettings = HistorySettings()
    metrics: MetricsSettings = MetricsSettings()
    traces: TraceSettings = TraceSettings()
    store: StoreSettings = StoreSettings()
    serve: ServeSettings = ServeSettings()
    shell: ShellSettings = ShellSettings()
    flight: FlightSettings = FlightSettings()
    trino: TrinoSettings = TrinoSettings()
    iceberg: IcebergSettings = IcebergSettings()
    tls: TlsSettings = TlsSettings()
    auth: AuthSettings = AuthSettings()
    policy: PolicySettings = PolicySettings()

    @field_validator("catalogs")
    @classmethod
    def _catalogs_are_apart(cls, named: dict[str, CatalogSettings]) -> dict[str, CatalogSettings]:
        if overlap := overlap_of_warehouses(named):
            raise ValueError(overlap)
        return named

    @field_validator("locations")
    @classmethod
    def _locations_differ(cls, named: dict[str, LocationSettings]) -> dict[str, LocationSettings]:
        check_locations(named.values())
        return named

    def for_command(self) -> Settings:
        """Of a process whose stdout and stderr are for its answers, and which nobody watches: it
        logs to the file, and has no metrics and no traces."""
        events = {
            name: LogSinkSettings() if isinstance(sink, StdoutSinkSettings) else sink
            for name, sink in self.events.items()
        }
        changes = {
            "events": events,
            "log": self.log.model_copy(update={"to": "file"}),
            "metrics": self.metrics.model_copy(update={"enabled": False}),
            "traces": self.traces.model_copy(update={"enabled": False}),
        }
        return self.model_copy(update=changes)

    def in_home(self, path: Path) -> Path:
        """A path of the settings: those that are not absolute are in the home."""
        return self.home / path.expanduser()
