"""One statement on the local engine: compiled, its scans planned, and then run."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import pyarrow as pa

from sqe.engines.local.batches import Batches
from sqe.engines.local.by_name import names_in_files
from sqe.engines.local.explain import analyze_text, explain_text, profile_of
from sqe.engines.local.failures import LOCAL, OF_VALUES, KeysRefused, LocalFailed
from sqe.engines.local.footers import Footers
from sqe.engines.local.instance import InstanceKey, Need
from sqe.engines.local.instances import Instances
from sqe.engines.local.lease import Lease
from sqe.engines.local.listed import list_metadata
from sqe.engines.local.loopback import Loopback
from sqe.engines.local.options import LocalOptions
from sqe.engines.local.plan import LocalPlan, NotLocal
from sqe.engines.local.scan import PlannedScan, ScanFacts, facts_of_scans
from sqe.engines.local.storage_access import StorageAccess
from sqe.engines.metadata import MetadataRows
from sqe.engines.protocol import Explanation, Run
from sqe.errors import SqeError, UpstreamError
from sqe.model.query import EngineWork, Profile
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.sessions.session import Session

_T = TypeVar("_T")
# What holds rows back: each has a hash table or a sort of its own.
_HOLDING = re.compile(r"\b(?:JOIN|GROUP BY|ORDER BY|OVER|DISTINCT|UNION|INTERSECT|EXCEPT)\b")
_PER_OPERATOR = 48 * 1024 * 1024
_PROFILE_S = 1.0  # nobody waits longer for what is only kept


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
    decided: Hashable = field(default=None, repr=False)  # of the statement, by the policy

    @property
    def facts(self) -> ScanFacts:
        return facts_of_scans(self.scans)

    @property
    def may_give_up(self) -> bool:
        """Whether a row can turn up whose answer only Spark knows."""
        return f"SQE:{LOCAL}:" in self.plan.sql

    def run(self, run: Run) -> ResultStream:
        run.offer_profile(lambda: self._profile(run))
        return self._in_instance(run, lambda lease, reach: self._start(lease, reach, run))

    def _start(self, lease: Lease, reach: StorageAccess, run: Run) -> ResultStream:
        batches = Batches(lease, reach, self.plan.schema, run.cancellation)
        try:
            batches.start(self.plan, self.workplace.options.batch_rows, complete=self.may_give_up)
        except Exception as error:
            if self.plan.doubtful and isinstance(error, SqeError) and error.code in OF_VALUES:
                reason = "where several things can fail, Spark says which does"
                raise NotLocal(f"{error.message} ({reason})") from error
            raise
        run.note_work(self._work())
        return ResultStream(self.plan.columns, self.plan.schema, batches, batches.close)

    def _work(self) -> EngineWork:
        facts = self.facts
        return EngineWork(files=facts.files, bytes=facts.bytes, rows=facts.rows)

    def _in_instance(self, run: Run, work: Callable[[Lease, StorageAccess], _T]) -> _T:
        """Once more in a new instance, if one that was used before fails: a file may have been
        removed and put back. And if the store refuses the keys and the catalog has others: they
        may have been revoked, or have ended sooner than they said."""
        run.check_scan(self.facts.bytes)
        listed = list_metadata(self.plan.metadata, self.workplace.metadata, run)

        def attempt(lease: Lease, reach: StorageAccess) -> _T:
            try:
                self._make_relations(lease, reach, run, listed)
                return work(lease, reach)
            except BaseException:
                lease.close()
                raise

        reach = self._reach()
        lease = self._take(reach, run, fresh=False)
        try:
            return attempt(lease, reach)
        except KeysRefused:
            if not reach.renew() and not lease.reused:
                raise
        except (LocalFailed, UpstreamError):
            if not lease.reused:
                raise
        reach = self._reach()
        return attempt(self._take(reach, run, fresh=True), reach)

    def _reach(self) -> StorageAccess:
        place = self.workplace
        return StorageAccess(self.scans, place.loopback, place.options.long_query_s)

    def describe(self, run: Run) -> Description:
        return Description(self.plan.columns, self.plan.schema)

    def explain(self, run: Run, mode: str = "") -> Explanation:
        rows = self._answer("EXPLAIN ", run)
        return Explanation(self.plan.sql, explain_text(rows, self.scans))

    def _profile(self, run: Run) -> Profile:
        """Asked anew, in an instance as a query of the same session has it: one that may be
        profiled can also be configured, and these are locked."""
        asked = Run(run.query_id, run.session)
        late = threading.Timer(_PROFILE_S, asked.cancellation.cancel)
        late.daemon = True
        late.start()
        try:
            return profile_of(self._answer("EXPLAIN (FORMAT JSON) ", asked), self.scans)
        finally:
            late.cancel()

    def analyze(self, run: Run) -> Explanation:
        rows = self._answer("EXPLAIN (ANALYZE, FORMAT JSON) ", run)
        run.note_work(self._work())
        return Explanation(self.plan.sql, analyze_text(rows, self.scans))

    def _take(self, reach: StorageAccess, run: Run, *, fresh: bool) -> Lease:
        try:
            need = Need(
                files=[file for scan in self.scans for file in scan.files],
                keys=reach.keys,
                memory=self._memory(),
                in_order=self.may_give_up,
                key=self._key(reach, run.session) if reach.lasting else None,
            )
            lease = self.workplace.instances().take(need, run.cancellation, fresh=fresh)
        except BaseException:
            reach.close()
            raise
        lease.at_end(reach.close)
        run.cancellation.on_cancel(lease.interrupt)
        return lease

    def _key(self, reach: StorageAccess, session: Session) -> InstanceKey:
        passport = session.identity.passport
        return InstanceKey(
            session,
            session.identity,
            (passport.login, passport.generation) if passport is not None else None,
            self.decided,
            frozenset((scan.files, scan.stamps) for scan in self.scans),
            frozenset(reach.keys),
            self.may_give_up,
        )

    def _make_relations(
        self, lease: Lease, reach: StorageAccess, run: Run, listed: Mapping[str, pa.Table]
    ) -> None:
        """The query's own, which are gone with it."""
        try:
            with lease.busy:
                views = self._views(lease)
                for scan in self.scans:
                    if scan.deleted is not None:
                        lease.keep(scan.deletes_name, scan.deleted)
                for relation, table in listed.items():
                    lease.keep(relation, table)
                if views:
                    lease.execute(views)
        except Exception as error:
            run.cancellation.check()
            if isinstance(error, NotLocal):
                raise
            raise reach.translate(error, rows_sent=False) from error

    def _memory(self) -> int:
        """What a query would like to have. It gets no more than one may take, and may get less:
        then it spills."""
        relations = len(self.scans) + len(self.plan.metadata)
        operators = relations + len(_HOLDING.findall(self.plan.sql))
        files = self.facts.bytes
        return self.workplace.options.memory_floor + operators * _PER_OPERATOR + 4 * files

    def _views(self, lease: Lease) -> str:
        """The relations in DuckDB's words, after a look into the files."""
        files = {file: stamp for scan in self.scans for file, stamp in scan.stamped_files}
        footers = self.workplace.footers.of(files, lease.execute)
        views = []
        for scan in self.scans:
            kinds = {footers[file] for file in scan.files}
            scan.check(kinds)
            views.append(scan.view_sql(names_in_files(kinds, [c.field for c in scan.columns])))
        return "".join(views)

    def _answer(self, before: str, run: Run) -> list[tuple[str, str]]:
        return self._in_instance(
            run, lambda lease, reach: self._fetch_rows(before, lease, reach, run)
        )

    def _fetch_rows(
        self, before: str, lease: Lease, reach: StorageAccess, run: Run
    ) -> list[tuple[str, str]]:
        try:
            with lease.busy:
                run.cancellation.check()
                rows = lease.read(self.plan.sql, self.plan.values, before=before).fetchall()
        except SqeError:
            raise
        except Exception as error:
            run.cancellation.check()
            raise reach.translate(error, rows_sent=False) from error
        lease.finish()
        lease.close()
        return [(row[0], row[1]) for row in rows]
