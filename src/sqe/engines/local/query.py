"""One statement on the local engine: compiled, its scans planned, and then run."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from sqe.engines.local.batches import Batches
from sqe.engines.local.by_name import names_in_files
from sqe.engines.local.explain import analyze_text, explain_text
from sqe.engines.local.failures import LOCAL, OF_VALUES, KeysRefused
from sqe.engines.local.footers import Footers
from sqe.engines.local.instances import Instance, Instances, Need
from sqe.engines.local.listed import list_metadata
from sqe.engines.local.loopback import Loopback
from sqe.engines.local.options import LocalOptions
from sqe.engines.local.plan import LocalPlan, NotLocal
from sqe.engines.local.scan import PlannedScan, ScanFacts, facts_of_scans
from sqe.engines.local.storage_access import StorageAccess
from sqe.engines.metadata import MetadataRows
from sqe.engines.protocol import Explanation, Run
from sqe.errors import SqeError
from sqe.model.query import EngineWork
from sqe.results.description import Description
from sqe.results.stream import ResultStream

_T = TypeVar("_T")
# What holds rows back: each has a hash table or a sort of its own.
_HOLDING = re.compile(r"\b(?:JOIN|GROUP BY|ORDER BY|OVER|DISTINCT|UNION|INTERSECT|EXCEPT)\b")
_PER_OPERATOR = 48 * 1024 * 1024


class Workplace:
    """What the queries of one engine share. ``instances`` are made when first needed."""

    def __init__(
        self,
        options: LocalOptions,
        metadata: MetadataRows,
        loopback: Loopback,
        instances: Callable[[], Instances],
    ) -> None:
        self.options = options
        self.metadata = metadata
        self.loopback = loopback
        self.instances = instances
        self.footers = Footers()


@dataclass(frozen=True)
class LocalQuery:
    """Implements ``Prepared``."""

    plan: LocalPlan
    scans: tuple[PlannedScan, ...]
    workplace: Workplace = field(repr=False)

    @property
    def facts(self) -> ScanFacts:
        return facts_of_scans(self.scans)

    @property
    def may_give_up(self) -> bool:
        """Whether a row can turn up whose answer only Spark knows."""
        return f"SQE:{LOCAL}:" in self.plan.sql

    def run(self, run: Run) -> ResultStream:
        return self._retry_with_new_keys(lambda reach: self._start(reach, run))

    def _start(self, reach: StorageAccess, run: Run) -> ResultStream:
        instance = self._open(reach, run)
        batches = Batches(instance, reach, self.plan.schema, run.cancellation)
        try:
            batches.start(self.plan, self.workplace.options.batch_rows, complete=self.may_give_up)
        except BaseException as error:
            batches.close()
            if self.plan.doubtful and isinstance(error, SqeError) and error.code in OF_VALUES:
                reason = "where several things can fail, Spark says which does"
                raise NotLocal(f"{error.message} ({reason})") from error
            raise
        run.worked(self._work())
        return ResultStream(self.plan.columns, self.plan.schema, batches, batches.close)

    def _work(self) -> EngineWork:
        facts = self.facts
        return EngineWork(files=facts.files, bytes=facts.bytes, rows=facts.rows)

    def _retry_with_new_keys(self, call: Callable[[StorageAccess], _T]) -> _T:
        """Once more if the store refuses the keys and the catalog has others: they may have been
        revoked, or have ended sooner than they said."""
        reach = self._reach()
        try:
            return call(reach)
        except KeysRefused:
            if not reach.renew():
                raise
        return call(self._reach())

    def _reach(self) -> StorageAccess:
        place = self.workplace
        return StorageAccess(self.scans, place.loopback, place.options.long_query_s)

    def describe(self, run: Run) -> Description:
        return Description(self.plan.columns, self.plan.schema)

    def explain(self, run: Run, mode: str = "") -> Explanation:
        rows = self._answer(f"EXPLAIN {self.plan.sql}", run)
        return Explanation(self.plan.sql, explain_text(rows, self.scans))

    def analyze(self, run: Run) -> Explanation:
        sql = f"EXPLAIN (ANALYZE, FORMAT JSON) {self.plan.sql}"
        rows = self._answer(sql, run)
        run.worked(self._work())
        return Explanation(self.plan.sql, analyze_text(rows, self.scans))

    def _open(self, reach: StorageAccess, run: Run) -> Instance:
        """An instance with the query's relations in it, locked."""
        try:
            listed = list_metadata(self.plan.metadata, self.workplace.metadata, run)
            need = Need(
                files=[file for scan in self.scans for file in scan.files],
                keys=reach.keys,
                memory=self._memory(),
                in_order=self.may_give_up,
            )
            instance = self.workplace.instances().take(need, run.cancellation)
        except BaseException:
            reach.close()
            raise
        instance.at_end(reach.close)
        run.cancellation.on_cancel(instance.interrupt)
        try:
            with instance.busy:
                views = self._views(instance)
                for scan in self.scans:
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

    def _memory(self) -> int:
        """What a query would like to have. It gets no more than one may take, and may get less:
        then it spills."""
        relations = len(self.scans) + len(self.plan.metadata)
        operators = relations + len(_HOLDING.findall(self.plan.sql))
        files = self.facts.bytes
        return self.workplace.options.memory_floor + operators * _PER_OPERATOR + 4 * files

    def _views(self, instance: Instance) -> str:
        """The relations in DuckDB's words, after a look into the files."""
        files = {file: stamp for scan in self.scans for file, stamp in scan.stamped_files}
        footers = self.workplace.footers.of(files, instance.execute)
        views = []
        for scan in self.scans:
            kinds = {footers[file] for file in scan.files}
            scan.check(kinds)
            views.append(scan.view_sql(names_in_files(kinds, [c.field for c in scan.columns])))
        return "".join(views)

    def _answer(self, sql: str, run: Run) -> list[tuple[str, str]]:
        return self._retry_with_new_keys(lambda reach: self._fetch_rows(sql, reach, run))

    def _fetch_rows(self, sql: str, reach: StorageAccess, run: Run) -> list[tuple[str, str]]:
        instance = self._open(reach, run)
        try:
            with instance.busy:
                run.cancellation.check()
                answer = instance.execute(sql, self.plan.values)
                return [(row[0], row[1]) for row in answer.fetchall()]
        except SqeError:
            raise
        except Exception as error:
            run.cancellation.check()
            raise reach.translate(error, rows_sent=False) from error
        finally:
            instance.close()
