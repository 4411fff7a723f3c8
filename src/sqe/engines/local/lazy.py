"""The local engine, made when it is first asked: DuckDB and PyIceberg cost a start and memory."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from sqe.catalog.protocol import Catalogs
from sqe.engines.fallback import engine_failure
from sqe.engines.local.options import LocalOptions
from sqe.engines.metadata import MetadataRows
from sqe.engines.protocol import GaveUp, Prepared
from sqe.engines.router import Survey
from sqe.engines.staging import CsvLoad, LoadRun
from sqe.errors import SqeError
from sqe.files.options import CsvOptions
from sqe.model.query import EngineKind, RouteCause
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.facts import LocalFacts
from sqe.sessions.session import Session

if TYPE_CHECKING:
    from sqe.engines.local.engine import DuckDbEngine
    from sqe.engines.local.instances import LocalFigures

_log = logging.getLogger(__name__)


class LazyLocalEngine:
    def __init__(self, options: LocalOptions, metadata: MetadataRows, catalogs: Catalogs) -> None:
        self._options = options
        self._catalogs = catalogs
        self._metadata = metadata
        self._lock = threading.Lock()
        self._made: DuckDbEngine | None = None

    @property
    def _engine(self) -> DuckDbEngine:
        with self._lock:
            if self._made is None:
                from sqe.engines.local.compile.remembered import CompiledPlans
                from sqe.engines.local.engine import DuckDbEngine

                plans = CompiledPlans()
                self._made = DuckDbEngine(
                    lambda statement, session: plans.compile(
                        statement, session.identity, session.property("sqe.time_zone")
                    ),
                    self._options,
                    self._metadata,
                    self._catalogs,
                )
            return self._made

    def open_csv(
        self, paths: Sequence[str], options: CsvOptions, columns: Sequence[str], run: LoadRun
    ) -> AbstractContextManager[CsvLoad]:
        """CSV files for COPY, whether or not queries may run here."""
        from sqe.engines.local.csv.reader import open_csv

        return open_csv(self._engine.instances, paths, options, columns, run)

    def warm(self) -> None:
        """Imports and prepares, so that the first query does not wait for it."""
        try:
            self._engine.warm()
        except Exception as error:  # noqa: BLE001  the queries that need it will say so
            _log.error("the local engine could not be prepared", exc_info=error)

    @property
    def figures(self) -> LocalFigures | None:
        """None before anyone has used it."""
        made = self._made
        return made.figures if made is not None else None

    def survey(self, statement: GuardedStatement, session: Session) -> Survey:
        """For routing: what stands in the way, or how much it would read."""
        try:
            prepared = self._engine.prepare(statement, session)
        except GaveUp as failure:
            if not failure.refused and session.property("sqe.engine") == EngineKind.LOCAL.value:
                raise engine_failure(EngineKind.LOCAL, failure) from failure
            cause = RouteCause.UNPROVEN if failure.refused else RouteCause.FAILED
            return Survey(LocalFacts(str(failure), failure.remedy, cause=cause))
        except SqeError:
            raise
        except Exception as error:  # noqa: BLE001  a defect here must not cost the user the answer
            _log.error("the local engine could not look at a query", exc_info=error)
            obstacle = f"the local engine failed to read it ({type(error).__name__})"
            return Survey(LocalFacts(obstacle, cause=RouteCause.FAILED))
        scans = prepared.facts
        facts = LocalFacts(bytes=scans.bytes, files=scans.files, delete_files=scans.delete_files)
        return Survey(facts, prepared)

    def prepare(self, statement: GuardedStatement, session: Session) -> Prepared:
        return self._engine.prepare(statement, session)

    def end_session(self, session: Session) -> None:
        if self._made is not None:
            self._made.end_session(session)

    def close(self) -> None:
        with self._lock:
            if self._made is not None:
                self._made.close()
