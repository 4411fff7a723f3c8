"""A concurrent history of one table, and the proof that a serial one explains it.

Every snapshot names the query that made it, so the order of the snapshots is the serial order.
Replayed on the model it must give the rows of every snapshot; every acknowledged write is in it
once, at a place between its beginning and its end, and a failed one is not in it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from sqe.catalog.protocol import Ident
from sqe.errors import ErrorCode, SqeError
from tests.embedded.concurrency.operations import (
    START,
    Operation,
    Row,
    State,
    create,
    operation,
    table_properties,
)
from tests.embedded.pipe.lake import Lake


@dataclass(frozen=True)
class Done:
    """A statement that has ended, and how many snapshots there were before and after it."""

    operation: Operation
    query_id: str
    before: int
    after: int
    error: SqeError | None = None


@dataclass
class History:
    """One table, changed by several sessions at once."""

    lake: Lake
    table: str
    done: list[Done] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(cls, lake: Lake, table: str, version: int, mode: str) -> History:
        lake.run(create(table_properties(version, mode)).format(t=table))
        return cls(lake, table)

    def run(self, seed: int, sessions: int, each: int, first: int = 1) -> None:
        """``each`` operations in each of the sessions, which run at the same time."""
        numbers = [range(first + each * i, first + each * (i + 1)) for i in range(sessions)]
        plans = [[operation(seed, number) for number in some] for some in numbers]
        failures: list[BaseException] = []

        def work(plan: list[Operation]) -> None:
            session = self.lake.another_session()
            try:
                for operation in plan:
                    self._one(session, operation)
            except BaseException as error:  # noqa: BLE001  shown by the thread that waits
                failures.append(error)
            finally:
                session.close()

        threads = [threading.Thread(target=work, args=(plan,)) for plan in plans]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, failures

    def _one(self, session: Lake, operation: Operation) -> None:
        before = self._snapshots()
        query_id = session.submit(operation.on(self.table))
        error: SqeError | None = None
        try:
            with session.server.gateway.fetch(query_id) as result:
                result.read_all()
        except SqeError as raised:
            error = raised
        done = Done(operation, query_id, before, self._snapshots(), error)
        with self._lock:
            self.done.append(done)

    def _snapshots(self) -> int:
        """How many commits there are, from the catalog itself: cheap, and never behind."""
        catalog = self.lake.server.catalogs.open("lake", self.lake.session.identity)
        metadata = catalog.load_table(Ident(("default",), self.table)).metadata
        return len(metadata.get("snapshots") or ())

    def check(self, reader: Lake) -> None:
        """Against the serial model. ``reader`` reads every snapshot; Spark the last one, too."""
        for done in self.done:
            code = done.error.code if done.error else None
            assert code in (None, ErrorCode.COMMIT_CONFLICT), (done.operation, done.error)
        states, places = self._replay(reader)
        for done in self.done:
            place = places.get(done.query_id)
            if done.error is not None:
                assert place is None, f"failed, but there: {done}"
            elif place is not None:
                assert done.before <= place < done.after, f"out of its time: {done}"
            else:
                unchanged = (done.operation.apply(s) == s for s in states[done.before - 1 :])
                assert any(unchanged), f"acknowledged, but not there: {done}"
        assert rows(self.lake, self.table) == sorted(states[-1])

    def _replay(self, reader: Lake) -> tuple[list[State], dict[str, int]]:
        """The state after each snapshot, and at which place each query's snapshot is."""
        by_query = {done.query_id: done for done in self.done}
        states, places = [START], {}
        for place, (snapshot, query_id) in enumerate(self._order()):
            if place:
                done = by_query[query_id]
                assert query_id not in places, f"committed twice: {done}"
                places[query_id] = place
                states.append(done.operation.apply(states[-1]))
            seen = rows(reader, f"{self.table} VERSION AS OF {snapshot}")
            assert seen == sorted(states[place]), f"not the model's rows: {by_query.get(query_id)}"
        return states, places

    def _order(self) -> list[tuple[int, str]]:
        """The snapshots from the first to the last, each with its query."""
        found = self.lake.rows(
            f"SELECT snapshot_id, parent_id, summary['sqe.query-id'] FROM {self.table}.snapshots"
        )
        next_of = {parent: (snapshot, query_id) for snapshot, parent, query_id in found}
        order = [next_of[None]]
        while order[-1][0] in next_of:
            order.append(next_of[order[-1][0]])
        assert len(order) == len(found), "the snapshots are not one line"
        return order


def rows(lake: Lake, relation: str) -> list[Row]:
    return sorted(Row(*row) for row in lake.rows(f"SELECT id, v, by FROM {relation}"))
