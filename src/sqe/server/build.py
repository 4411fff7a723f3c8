"""The only file that names concrete classes: puts SQE together from its settings."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Sequence
from threading import Thread
from typing import TYPE_CHECKING, Any

from sqe import __version__
from sqe.access.control import AccessControl
from sqe.access.functions import FunctionDisclosure, SqlFunctions
from sqe.access.guards import Guards
from sqe.access.ownership import Ownership
from sqe.access.redaction import PolicyRedaction
from sqe.access.statement_guard import StatementGuard
from sqe.access.view_disclosure import ViewDisclosure
from sqe.access.visibility import VisibleCatalogs
from sqe.audit.events import EventSink, RuleEvent
from sqe.audit.logs import log_to, stop_logging
from sqe.binding.binder import Binder, Hiding
from sqe.broker.broker import Broker
from sqe.catalog.catalog_type import Listeners
from sqe.catalog.overlay import TransactionalCatalogs
from sqe.catalog.protocol import Catalogs
from sqe.catalog.redaction import Redaction
from sqe.coordinator.access_tools import AccessTools
from sqe.coordinator.call import ServerTools
from sqe.coordinator.coordinator import Coordinator
from sqe.coordinator.engine import CoordinatorEngine
from sqe.coordinator.unload_folders import UnloadFolders
from sqe.coordinator.unload_places import UnloadPlaces
from sqe.engines.local.lazy import LazyLocalEngine
from sqe.engines.local.spill import remove_left_behind
from sqe.engines.metadata import MetadataProvider, MetadataSource
from sqe.engines.protocol import Engine
from sqe.engines.router import Router, Survey, SurveyQuery
from sqe.engines.spark.addresses import EmbeddedAddress, RemoteAddress
from sqe.engines.spark.csv_copying import Loading
from sqe.engines.spark.engine import SparkConnectEngine
from sqe.engines.spark.load_files import LoadFolders
from sqe.engines.spark.load_places import LoadPlaces
from sqe.engines.spark.server import SparkServer
from sqe.engines.spark.sessions import ServerAddress, SparkSessions
from sqe.errors import ErrorCode, UserError
from sqe.gateway.dialects import SPARK
from sqe.gateway.gateway import Gateway
from sqe.gateway.pipeline import Pipeline
from sqe.gateway.runner import Runner
from sqe.gateway.tracker import QueryTracker
from sqe.gateway.uploads import Uploads
from sqe.history.columns import SYSTEM
from sqe.history.queries import QueryHistory
from sqe.history.relations import PROVIDER, HistoryRows, SystemRelations
from sqe.model.administrators import administrators_of
from sqe.model.identity import Secret
from sqe.model.names import SchemaName
from sqe.model.observer import UNOBSERVED
from sqe.model.query import EngineKind, RouteCause
from sqe.policy.grants.known import KnownRules
from sqe.policy.source import PolicySource
from sqe.routing.facts import LocalFacts, RoutingLimits
from sqe.server.attached import AttachedCatalogs
from sqe.server.catalogs import SettingsCatalogs
from sqe.server.change import Change
from sqe.server.changed_settings import ChangedSettings, SettingsWatch
from sqe.server.history import history_of, profiles_of
from sqe.server.locations import locations_of
from sqe.server.metrics import read_server
from sqe.server.options import (
    ANSWERS,
    LOCAL,
    admission,
    floors,
    groups_of,
    hash_keys,
    lifetimes,
    limit_rules,
    local_options,
    prepare_home,
    result_cache,
    session_counts,
    spark_limits,
    spark_server_options,
)
from sqe.server.policies import policies_of
from sqe.server.runtime import process_runtime
from sqe.server.sinks import events_of
from sqe.server.state import Part, ServerState
from sqe.server.traces import tracer_of
from sqe.sessions.reaper import SessionReaper
from sqe.sessions.store import SessionStore
from sqe.settings import Settings, SettingsSource
from sqe.settings.shown import show_settings
from sqe.settings.sizes import MB
from sqe.settings.spark_conf import find_meaning_change
from sqe.spark_sql.spark_dialect import SparkDialect
from sqe.sql.parser import Parser
from sqe.sql.text import TextLimits
from sqe.store.catalogs import KeptCatalogs
from sqe.store.database import Database
from sqe.store.functions import FunctionStore
from sqe.store.owners import Owners
from sqe.trino.metadata.provider import TrinoMetadata
from sqe.trino.reserved import RESERVED, TrinoRelations
from sqe.trino.trino_dialect import TRINO, TrinoDialect, TrinoExpressions

if TYPE_CHECKING:
    from sqe.observe.metrics import Metrics
    from sqe.server.access import Access
    from sqe.server.listener import Front

_log = logging.getLogger(__name__)
_CANCEL_S = 1.5  # how long cancelled queries have before Spark is ended
_REST_S = 1.0  # what everything but Spark takes to close
UPLOADS = "uploads"  # the folder for what clients send to be loaded


class Server:
    """SQE in one process. ``close`` ends everything it started."""

    def __init__(self, settings: Settings, sources: Sequence[PolicySource] | None) -> None:
        self.settings = settings
        home = prepare_home(settings.home)
        self._store = Database(home, settings.store.secret)
        self._metrics, sinks = _metrics(settings)
        observer = self._metrics or UNOBSERVED
        self.owners = Owners(self._store)
        # Before anything that has to be ended: rules that are wrong refuse the start.
        self._policies = policies_of(settings, self._store, sources, observer)
        self.policy = self._policies.policy
        self._tracer = tracer_of(settings, self._metrics)
        self._history = history_of(settings, self._store)
        self._result_cache = result_cache(settings)
        self._events = events_of(settings, [*sinks, *self._history.sinks])
        log = settings.log
        self._log: logging.Handler = log_to(home / "logs" / "sqe.log", log.level, log.to)
        shown = show_settings(settings)
        _log.info("sqe %s is starting, process %d, settings %s", __version__, os.getpid(), shown)
        self.book = self._policies.book(self._note_rule)
        self._configured = SettingsCatalogs(settings, Listeners(observer, self._events))
        kept = KeptCatalogs(self._store)
        self._attached = AttachedCatalogs(
            settings, self._configured, kept, self._events.note_change
        )
        self.catalogs = TransactionalCatalogs(self._configured.catalogs)
        self._locations = locations_of(settings, home / UPLOADS)
        self.spark, self._address = _spark(settings)
        self.broker = Broker(settings.serve.host, settings.serve.broker_port, observer)
        schema = SchemaName(settings.default_catalog, (settings.default_schema,))
        self._sessions = SessionStore(schema, session_counts(settings), recorder=self._events)
        self._spark_sessions = SparkSessions(
            self._address, self.broker, settings.spark.session_conf, spark_limits(settings)
        )
        self.gateway = Gateway(
            self._pipeline(),
            self._sessions,
            QueryTracker(
                self._events,
                settings.limits.finished_queries,
                self._tracer,
                profiles_of(settings.history),
            ),
            Uploads(home / UPLOADS, settings.load.upload_mb * MB),
            admission(settings),
        )
        # After the gateway's own listener, which cancels the session's queries: a query must not
        # lose its Spark session before it hears that it is cancelled.
        self._sessions.on_close(self._spark_sessions.release)
        self._sessions.on_close(self._local.end_session)
        self._warming = False
        self._access: Access | None = None
        self._fronts: list[Front] = []
        self._reaper: SessionReaper | None = None
        self._settings_watch: SettingsWatch | None = None
        self._changed = ChangedSettings(
            settings,
            (
                self._check_fronts,
                self._policies.prepare,
                self._prepare_result_cache,
                self._prepare_access,
                lambda wanted: self._configured.prepare(wanted, self._end_queries_on),
                self._prepare_limits,
            ),
            lambda wanted: self._access.list_restarts(wanted.auth) if self._access else [],
            self._events,
        )
        self.state = self._state()
        if self._metrics is not None:
            read_server(self._metrics, self.state)

    def _state(self) -> ServerState:
        return ServerState(
            self.settings,
            self.gateway,
            self._sessions,
            self._store,
            self._configured,
            self._events,
            self._local,
            self.policy,
            self.spark,
            self._spark_sessions,
            lambda: self._warming,
            self._fronts,
            self._changed,
            lambda: self._settings_watch.problem if self._settings_watch else "",
        )

    def follow(self, source: SettingsSource) -> None:
        """From now on changes of the file are taken up, as far as a running server can."""
        if source.path is not None and self._settings_watch is None:
            self._settings_watch = SettingsWatch(source, self._changed)

    def reread_settings(self) -> None:
        """Looks at the file now."""
        if self._settings_watch is not None:
            self._settings_watch.look()
        else:
            _log.info("there is no file of settings to read again")

    def _check_fronts(self, settings: Settings) -> Change:
        for front in self._fronts:
            front.check(settings)
        return Change()

    def _prepare_access(self, settings: Settings) -> Change:
        return self._access.prepare(settings) if self._access is not None else Change()

    def _note_rule(self, event: RuleEvent) -> None:
        if self._result_cache is not None:
            self._result_cache.drop()
        self._events.note_change(event)

    def _prepare_result_cache(self, settings: Settings) -> Change:
        same = settings.policy == self._changed.in_force.policy
        return Change() if self._result_cache is None or same else Change(self._result_cache.drop)

    def _prepare_limits(self, settings: Settings) -> Change:
        limits, before = settings.limits, self._changed.in_force.limits
        if limits == before:
            return Change()
        groups, rules = groups_of(settings), limit_rules(limits)

        def apply() -> None:
            self._sessions.limit(session_counts(settings))
            if self._reaper is not None:
                self._reaper.limit(lifetimes(settings))
            self.gateway.admission.replace(groups, rules)

        return Change(apply)

    def _end_queries_on(self, catalog: str) -> None:
        self.gateway.cancel_using(
            catalog,
            UserError(
                ErrorCode.CATALOG_NOT_FOUND,
                f"Catalog {catalog} was taken out of the settings of this server.",
            ),
        )

    def _pipeline(self) -> Pipeline:
        """Users' listings and names go through what they may know of; engines and rights through
        all there is, by what the policy has decided."""
        settings, visible = self.settings, VisibleCatalogs(self.catalogs, self.policy)
        limits = TextLimits(settings.limits.statement_bytes, settings.limits.nesting)
        binder = Binder(
            visible,
            limits,
            settings.limits.view_depth,
            self.owners,
            Hiding(visible.sees, self.catalogs),
            {RESERVED: TrinoRelations(), SYSTEM: SystemRelations()},
        )
        guards = Guards(
            binder,
            self.policy.with_roles,
            hash_keys(settings),
            {TRINO: TrinoExpressions()},
        )
        guarding = StatementGuard(
            binder,
            AccessControl(self.policy, visible, self.catalogs, administrators_of(settings.trino)),
            guards,
        )
        redaction = PolicyRedaction(self.policy, ViewDisclosure(guarding))
        functions = SqlFunctions(visible, self.policy, FunctionStore(self._store), limits)
        disclosure = FunctionDisclosure(functions, guarding)
        router, runner = self._engines(binder, limits, visible, redaction, disclosure)
        grants = self.book is not None
        return Pipeline(
            {
                SPARK: SparkDialect(limits),
                TRINO: TrinoDialect(visible, redaction, grants, functions),
            },
            Parser(limits),
            functions,
            guarding,
            router,
            runner,
        )

    def _engines(
        self,
        binder: Binder,
        limits: TextLimits,
        visible: Catalogs,
        redaction: Redaction,
        functions: FunctionDisclosure,
    ) -> tuple[Router, Runner]:
        settings = self.settings
        history = QueryHistory(
            lambda: self.gateway.records(), lambda: self.gateway.other_users, self._history.store
        )
        rules = KnownRules(self.book, self.policy) if self.book is not None else None
        trino_metadata = TrinoMetadata(visible, process_runtime(history), redaction, rules)
        rows = HistoryRows(history)
        providers: dict[str, MetadataProvider] = {TRINO: trino_metadata, PROVIDER: rows}
        metadata = MetadataSource(visible, redaction, providers)
        self._local = LazyLocalEngine(local_options(settings), metadata.rows, self.catalogs)
        self._engine = self._spark_engine(metadata)
        engines: dict[EngineKind, Engine] = {
            EngineKind.SPARK: self._engine,
            EngineKind.LOCAL: self._local,
        }
        router = Router(
            _survey(settings, self._local),
            RoutingLimits(settings.local.max_bytes, settings.local.max_files),
            self._result_cache,
        )
        key_names = frozenset(settings.policy.hash_keys)
        access_tools = AccessTools(self.policy, binder, limits, self.book, key_names)
        commands = CoordinatorEngine(
            visible,
            self.catalogs,
            redaction,
            access_tools,
            ServerTools(
                lambda identity, query_id, why: self.gateway.kill(identity, query_id, why),
                self._configured.facts,
                functions,
                self._attached,
            ),
        )
        folders = UnloadFolders(settings.unload.folders, never=[settings.home])
        writable = UnloadPlaces(folders, self._locations)
        coordinator = Coordinator(commands, visible, engines, router, writable, functions.functions)
        ownership = Ownership(self.owners, self.catalogs, self.book)
        return router, Runner({EngineKind.COORDINATOR: coordinator, **engines}, ownership=ownership)

    def _spark_engine(self, metadata: MetadataSource) -> SparkConnectEngine:
        home, folders = self.settings.home, self.settings.load.folders
        local = LoadFolders(folders, never=[home], uploads=home / UPLOADS)
        return SparkConnectEngine(
            self._spark_sessions,
            self.catalogs,
            metadata.as_values,
            floors(self.settings),
            Loading(LoadPlaces(local, self._locations), self._local),
        )

    def start(self, warm_spark: bool = False) -> None:
        """Nothing has to be started; Spark may be warmed in the background."""
        for folder in (LOCAL, UPLOADS, ANSWERS):
            remove_left_behind(self.settings.home / folder)
        if warm_spark and self.spark is not None:
            self._warming = True
            self.spark.start_in_background()

    def warm_local(self) -> None:
        """Spares the first query the start of the local engine."""
        if self.settings.local.enabled:
            self._local.warm()

    def listen(self, host: str | None = None, port: int | None = None) -> str:
        """Starts Flight SQL, there or where the settings say: its address, or nothing where the
        settings leave it out."""
        if not self.settings.flight.enabled:
            return ""
        from sqe.server.front import FlightFront

        return self._start_front(FlightFront(self.settings, self.gateway, self._who()), host, port)

    def listen_trino(self, host: str | None = None, port: int | None = None) -> str:
        """The same for Trino's protocol."""
        if not self.settings.trino.enabled:
            return ""
        from sqe.server.trino_front import TrinoFront

        return self._start_front(TrinoFront(self.settings, self.gateway, self._who()), host, port)

    def listen_iceberg(self, host: str | None = None, port: int | None = None) -> str:
        """The same for Iceberg's REST protocol."""
        if not self.settings.iceberg.enabled:
            return ""
        from sqe.server.iceberg_front import IcebergFront

        front = IcebergFront(self.settings, self.gateway, self._who())
        return self._start_front(front, host, port)

    def _who(self) -> Access:
        if self._access is None:
            from sqe.server.access import Access

            self._access = Access(self._changed.in_force, self._store, self._events)
        return self._access

    def _start_front(self, front: Front, host: str | None, port: int | None) -> str:
        address = front.start(host, port)
        self._history.start()
        self._attached.start()
        self._fronts.append(front)
        if self._reaper is None:
            self._reaper = SessionReaper(self._sessions, lifetimes(self._changed.in_force))
            self._reaper.start()
        return address

    @property
    def listening(self) -> bool:
        return self.state.listening

    def status(self) -> dict[str, Any]:
        return self.state.status()

    def parts(self) -> list[Part]:
        return self.state.parts()

    def exposition(self, accept: str = "") -> tuple[bytes, str] | None:
        """The metrics and their content type; None where the settings leave them out."""
        return self._metrics.exposition(accept) if self._metrics is not None else None

    def drain(self, seconds: float) -> None:
        """Takes no more queries, and lets those that run end by themselves that long, and their
        clients fetch what is left."""
        deadline = time.monotonic() + seconds
        self.gateway.drain(seconds)
        for front in self._fronts:
            front.drain(max(0.0, deadline - time.monotonic()))

    def close(self, within: float | None = None) -> None:
        """Cancels what runs and ends everything; ``within`` these seconds, if given, even where
        something hangs: what Spark does ends with Spark, and clients are hung up on."""
        deadline = None if within is None else time.monotonic() + within
        self.gateway.drain(0)
        if self._settings_watch is not None:
            self._settings_watch.stop()
        ending = [Thread(target=front.stop, daemon=True) for front in self._fronts]
        ending.append(Thread(target=self.gateway.close, daemon=True))
        for thread in ending:
            thread.start()
        ending[-1].join(_CANCEL_S)
        ending.append(Thread(target=self._tracer.close, daemon=True))  # while Spark ends
        ending[-1].start()
        if self.spark is not None:
            self.spark.close(None if deadline is None else deadline - time.monotonic() - _REST_S)
        for thread in ending:
            thread.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
        if self._reaper is not None:
            self._reaper.stop()
        self._engine.close()
        self._local.close()
        if self._result_cache is not None:
            self._result_cache.close()
        self.broker.close()
        self._configured.close()
        if self._locations is not None:
            self._locations.close()
        if self._access is not None:
            self._access.close()
        self._policies.close()
        self._events.close()
        self._attached.stop()
        self._store.close()
        _log.info("sqe has stopped")
        stop_logging(self._log)


def build(settings: Settings, sources: Sequence[PolicySource] | None = None) -> Server:
    """``sources`` decide who may do what, instead of those that the settings name; with an empty
    list everything is denied."""
    return Server(settings, sources)


def _metrics(settings: Settings) -> tuple[Metrics | None, list[EventSink]]:
    """And who counts queries for them."""
    if not settings.metrics.enabled:
        return None, []
    from sqe.observe.metrics import Metrics  # other processes need not wait for the import
    from sqe.observe.queries import QueryMetrics

    metrics = Metrics(users=settings.metrics.users)
    return metrics, [QueryMetrics(metrics)]


def _survey(settings: Settings, local: LazyLocalEngine) -> SurveyQuery | None:
    """The local engine is proven for one meaning of SQL: Spark's, with its default settings."""
    if not settings.local.enabled:
        return None
    odd = find_meaning_change([*settings.spark.server_conf, *settings.spark.session_conf])
    if not odd:
        return local.survey
    facts = LocalFacts(
        f"{odd} is set, and the local engine is proven for Spark's defaults",
        f"Remove {odd} from the settings.",
        cause=RouteCause.TURNED_OFF,
    )
    return lambda guarded, session: Survey(facts)


def _spark(settings: Settings) -> tuple[SparkServer | None, ServerAddress]:
    remote = settings.spark.remote.get_secret_value()
    if remote:
        return None, RemoteAddress(Secret(remote))
    server = SparkServer(spark_server_options(settings))
    return server, EmbeddedAddress(server)
