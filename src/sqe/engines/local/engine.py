"""The engine in SQE's own process: DuckDB over the files that Iceberg's metadata names."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sqe.catalog.protocol import Catalogs
from sqe.engines.local.batches import Batches
from sqe.engines.local.by_name import names_in_files
from sqe.engines.local.explain import analyzed, explained
from sqe.engines.local.failures import LOCAL, OF_VALUES, KeysRefused, LocalFailed
from sqe.engines.local.footers import Footers
from sqe.engines.local.instances import Instance, Instances, Need
from sqe.engines.local.listed import list_metadata, no_metadata
from sqe.engines.local.loopback import Loopback
from sqe.engines.local.objects import Objects
from sqe.engines.local.options import LocalOptions
from sqe.engines.local.plan import LocalPlan, NotLocal
from sqe.engines.local.scan import PlannedScan, ScanFacts, ScanPlanner, facts_of_scans
from sqe.engines.local.storage_access import StorageAccess
from sqe.engines.metadata import MetadataRows
from sqe.engines.protocol import Explanation, GaveUp, Run
from sqe.errors import SqeError
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement

Compile = Callable[[GuardedStatement, Run], LocalPlan]
_T = TypeVar("_T")
_RECENT = 64
# What holds rows back: each has a hash table or a sort of its own.
_HOLDING = re.compile(r"\b(?:JOIN|GROUP BY|ORDER BY|OVER|DISTINCT|UNION|INTERSECT|EXCEPT)\b")
_PER_OPERATOR = 48 * 1024 * 1024


@dataclass(frozen=True)
class Prepared:
    """A statement compiled and its scans planned: everything but the work itself."""

    plan: LocalPlan
    scans: tuple[PlannedScan, ...]

    @property
    def facts(self) -> ScanFacts:
        return facts_of_scans(self.scans)

    @property
    def may_give_up(self) -> bool:
        """Whether a row can turn up whose answer only Spark knows."""
        return f"SQE:{LOCAL}:" in self.plan.sql


class DuckDbEngine:
    """NotLocal from any method: the statement is Spark's. LocalFailed from ``run`` and ``analyze``:
    this engine failed by itself, before the first row, and Spark may be asked instead."""

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
        self._metadata = metadata
        self._objects = Objects(options.remote_timeout_s)
        self._loopback = Loopback(self._objects)
        self._planner = ScanPlanner(options, catalogs, self._objects)
        self._footers = Footers()
        self._lock = threading.Lock()
        self._instances: Instances | None = None
        self._closed = False
        self._recent: OrderedDict[int, tuple[GuardedStatement, Prepared]] = OrderedDict()

    @property
    def instances(self) -> Instances:
        """Made when first needed: a process that only talks to Spark has no use for them."""
        with self._lock:
            if self._closed:
                raise LocalFailed("the local engine is being closed")
            if self._instances is None:
                self._instances = Instances(self._options)
            return self._instances

    def warm(self) -> None:
        """Lets instances be prepared before the first query comes."""
        self.instances.warm()

    def facts(self, statement: GuardedStatement, run: Run) -> ScanFacts:
        """For routing. What was prepared for it is used again by ``run``."""
        return self.prepare(statement, run).facts

    def prepare(self, statement: GuardedStatement, run: Run) -> Prepared:
        with self._lock:
            recent = self._recent.get(id(statement))
        if recent is not None and recent[0] is statement:
            return recent[1]
        plan = self._compile(statement, run)
        prepared = Prepared(plan, self._plan_scans(plan, run))
        with self._lock:
            self._recent[id(statement)] = (statement, prepared)
            while len(self._recent) > _RECENT:
                self._recent.popitem(last=False)
        return prepared

    def run(self, statement: GuardedStatement, run: Run) -> ResultStream:
        prepared = self._taken(statement, run)
        return self._reaching(prepared, lambda reach: self._start(prepared, reach, run))

    def _start(self, prepared: Prepared, reach: StorageAccess, run: Run) -> ResultStream:
        instance = self._open(prepared, reach, run)
        batches = Batches(instance, reach, prepared.plan.schema, run.cancellation)
        try:
            batches.start(prepared.plan, self._options.batch_rows, complete=prepared.may_give_up)
        except BaseException as error:
            batches.close()
            if prepared.plan.doubtful and isinstance(error, SqeError) and error.code in OF_VALUES:
                reason = "where several things can fail, Spark says which does"
                raise NotLocal(f"{error.message} ({reason})") from error
            raise
        return ResultStream(prepared.plan.columns, prepared.plan.schema, batches, batches.close)

    def _reaching(self, prepared: Prepared, call: Callable[[StorageAccess], _T]) -> _T:
        """Once more if the store refuses the keys and the catalog has others: they may have been
        revoked, or have ended sooner than they said."""
        reach = StorageAccess(prepared.scans, self._loopback, self._options.long_query_s)
        try:
            return call(reach)
        except KeysRefused:
            if not reach.renew():
                raise
        return call(StorageAccess(prepared.scans, self._loopback, self._options.long_query_s))

    def describe(self, statement: GuardedStatement, run: Run) -> Description:
        plan = self._taken(statement, run).plan
        return Description(plan.columns, plan.schema)

    def explain(self, statement: GuardedStatement, run: Run, mode: str = "") -> Explanation:
        prepared = self._taken(statement, run)
        rows = self._answer(f"EXPLAIN {prepared.plan.sql}", prepared, run)
        return Explanation(prepared.plan.sql, explained(rows, prepared.scans))

    def analyze(self, statement: GuardedStatement, run: Run) -> Explanation:
        prepared = self._taken(statement, run)
        sql = f"EXPLAIN (ANALYZE, FORMAT JSON) {prepared.plan.sql}"
        rows = self._answer(sql, prepared, run)
        return Explanation(prepared.plan.sql, analyzed(rows, prepared.scans))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            instances, self._instances = self._instances, None
            self._recent.clear()
        if instances is not None:
            instances.close()
        self._loopback.close()
        self._objects.close()

    def _taken(self, statement: GuardedStatement, run: Run) -> Prepared:
        prepared = self.prepare(statement, run)
        with self._lock:
            self._recent.pop(id(statement), None)
        return prepared

    def _plan_scans(self, plan: LocalPlan, run: Run) -> tuple[PlannedScan, ...]:
        try:
            return tuple(self._planner.plan_scan(scan, run.session.identity) for scan in plan.scans)
        except (GaveUp, SqeError):
            raise
        except Exception as error:  # a manifest is missing or damaged, the store does not answer
            run.cancellation.check()
            raise LocalFailed(f"the table's files could not be listed: {error}") from error

    def _open(self, prepared: Prepared, reach: StorageAccess, run: Run) -> Instance:
        """An instance with the query's relations in it, locked."""
        scans = prepared.scans
        try:
            listed = list_metadata(prepared.plan.metadata, self._metadata, run)
            need = Need(
                files=[file for scan in scans for file in scan.files],
                keys=reach.keys,
                memory=self._memory(prepared),
                in_order=prepared.may_give_up,
            )
            instance = self.instances.take(need, run.cancellation)
        except BaseException:
            reach.close()
            raise
        instance.at_end(reach.close)
        run.cancellation.on_cancel(instance.interrupt)
        try:
            with instance.busy:
                views = self._views(instance, scans)
                for scan in scans:
                    if scan.deleted is not None:
                        instance.keep(scan.deletes_name, scan.deleted)
                for relation, table in listed.items():
                    instance.keep(relation, table)
                instance.lock(views)
        except BaseException as error:
            instance.close()
            run.cancellation.check()
            if isinstance(error, NotLocal) or not isinstance(error, Exception):
                raise
            raise reach.translate(error, rows_sent=False) from error
        return instance

    def _memory(self, prepared: Prepared) -> int:
        """What a query would like to have. It gets no more than one may take, and may get less:
        then it spills."""
        relations = len(prepared.scans) + len(prepared.plan.metadata)
        operators = relations + len(_HOLDING.findall(prepared.plan.sql))
        files = prepared.facts.bytes
        return self._options.memory_floor + operators * _PER_OPERATOR + 4 * files

    def _views(self, instance: Instance, scans: tuple[PlannedScan, ...]) -> str:
        """The relations in DuckDB's words, after a look into the files."""
        files = {file: stamp for scan in scans for file, stamp in scan.stamped}
        footers = self._footers.of(files, instance.execute)
        views = []
        for scan in scans:
            kinds = {footers[file] for file in scan.files}
            scan.check(kinds)
            views.append(scan.view_sql(names_in_files(kinds, [c.field for c in scan.columns])))
        return "".join(views)

    def _answer(self, sql: str, prepared: Prepared, run: Run) -> list[tuple[str, str]]:
        return self._reaching(prepared, lambda reach: self._answered(sql, prepared, reach, run))

    def _answered(
        self, sql: str, prepared: Prepared, reach: StorageAccess, run: Run
    ) -> list[tuple[str, str]]:
        instance = self._open(prepared, reach, run)
        try:
            with instance.busy:
                run.cancellation.check()
                answer = instance.execute(sql, prepared.plan.values)
                return [(row[0], row[1]) for row in answer.fetchall()]
        except SqeError:
            raise
        except Exception as error:
            run.cancellation.check()
            raise reach.translate(error, rows_sent=False) from error
        finally:
            instance.close()
