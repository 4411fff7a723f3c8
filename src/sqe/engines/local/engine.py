"""The engine in SQE's own process: DuckDB over the files that Iceberg's metadata names."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sqe.catalog.protocol import Catalogs
from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.instances import Instances, LocalFigures
from sqe.engines.local.listed import no_metadata
from sqe.engines.local.loopback import Loopback
from sqe.engines.local.objects import Objects
from sqe.engines.local.options import LocalOptions
from sqe.engines.local.plan import LocalPlan
from sqe.engines.local.query import LocalQuery, Workplace
from sqe.engines.local.scan import PlannedScan, ScanPlanner
from sqe.engines.metadata import MetadataRows
from sqe.engines.protocol import GaveUp
from sqe.errors import SqeError
from sqe.rewrite.guarded import GuardedStatement
from sqe.sessions.session import Session

Compile = Callable[[GuardedStatement, Session], LocalPlan]


class DuckDbEngine:
    """NotLocal from ``prepare``, or from what it gives: the statement is Spark's. LocalFailed: this
    engine failed by itself, before the first row, and Spark may be asked instead."""

    def __init__(
        self,
        compile: Compile,
        options: LocalOptions,
        metadata: MetadataRows = no_metadata,
        catalogs: Catalogs | None = None,
    ) -> None:
        """``catalogs`` are asked for new keys to tables' files; without them, those that came with
        a table have to do."""
        self._compile = compile
        self._options = options
        self._objects = Objects(options.remote_timeout_s)
        self._loopback = Loopback(self._objects)
        self._planner = ScanPlanner(options, catalogs, self._objects)
        self._lock = threading.Lock()
        self._instances: Instances | None = None
        self._closed = False
        self._workplace = Workplace(options, metadata, self._loopback, lambda: self.instances)

    @property
    def instances(self) -> Instances:
        """Made when first needed: a process that only talks to Spark has no use for them."""
        with self._lock:
            if self._closed:
                raise LocalFailed("the local engine is being closed")
            if self._instances is None:
                self._instances = Instances(self._options)
            return self._instances

    @property
    def figures(self) -> LocalFigures:
        instances = self._instances
        return instances.figures if instances is not None else LocalFigures()

    def warm(self) -> None:
        """Lets instances be prepared before the first query comes."""
        self.instances.warm()

    def prepare(self, statement: GuardedStatement, session: Session) -> LocalQuery:
        """Compiles the statement and plans its scans: everything but the work itself."""
        plan = self._compile(statement, session)
        scans = self._plan_scans(plan, session)
        return LocalQuery(plan, scans, self._workplace, statement.decided)

    def end_session(self, session: Session) -> None:
        """Closes what waits for its next query."""
        instances = self._instances
        if instances is not None:
            instances.end_session(session)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            instances, self._instances = self._instances, None
        if instances is not None:
            instances.close()
        self._loopback.close()
        self._objects.close()

    def _plan_scans(self, plan: LocalPlan, session: Session) -> tuple[PlannedScan, ...]:
        try:
            return tuple(self._planner.plan_scan(scan, session.identity) for scan in plan.scans)
        except (GaveUp, SqeError):
            raise
        except Exception as error:  # a manifest is missing or damaged, the store does not answer
            raise LocalFailed(f"the table's files could not be listed: {error}") from error
