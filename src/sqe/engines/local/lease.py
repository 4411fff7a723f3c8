"""One query's use of an instance, over a connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import pyarrow as pa

from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.instance import Instance
from sqe.engines.local.scan_types import identifier

if TYPE_CHECKING:
    import duckdb

    from sqe.engines.local.instances import Instances


class Lease:
    """``execute`` and ``close`` may meet from two threads."""

    def __init__(self, instance: Instance, owner: Instances, *, reused: bool) -> None:
        self.instance = instance
        self.connection = instance.connect()
        self.reused = reused  # an earlier query has been in the instance
        self.busy = threading.Lock()  # held while DuckDB works
        self._owner = owner
        self._closed = threading.Event()
        self._finished = False
        self._interrupted = False
        self._at_end: Callable[[], None] | None = None

    def at_end(self, call: Callable[[], None]) -> None:
        """Called when it is closed."""
        self._at_end = call

    @property
    def closed(self) -> bool:
        return self._closed.is_set()

    @property
    def went_well(self) -> bool:
        """Nothing has failed in it, nobody has stopped it, and nothing of it is left."""
        return self._finished and not self._interrupted

    def execute(
        self, sql: str, values: Mapping[str, object] | None = None
    ) -> duckdb.DuckDBPyConnection:
        return self.connection.execute(sql, values or None)

    def read(
        self, query: str, values: Mapping[str, object] | None = None, before: str = ""
    ) -> duckdb.DuckDBPyConnection:
        """Runs a compiled query, with SQE's own words before it. Whatever else it might be could
        leave something in the instance for the next query."""
        from duckdb import StatementType

        statements = self.connection.extract_statements(query)
        if [statement.type for statement in statements] != [StatementType.SELECT]:
            raise LocalFailed("what was compiled is not a query")
        return self.connection.execute(before + query if before else statements[0], values or None)

    def keep(self, name: str, table: pa.Table) -> None:
        """Copies a table into the database, for this query."""
        self.connection.register("arriving", table)
        self.connection.execute(f"CREATE TEMP TABLE {identifier(name)} AS FROM arriving")
        self.connection.unregister("arriving")

    def finish(self) -> None:
        """All its rows are read: others get the threads, even before it is closed."""
        self._finished = True
        self._owner.note_rest(self)

    def interrupt(self) -> None:
        """Again and again until it is closed: an interrupt that comes just before DuckDB starts to
        work is lost."""
        self._interrupted = True
        thread = threading.Thread(
            target=self._keep_interrupting, name="local-interrupt", daemon=True
        )
        thread.start()

    def _keep_interrupting(self) -> None:
        while not self._closed.is_set():
            self._interrupt_once()
            self._closed.wait(0.02)

    def _interrupt_once(self) -> None:
        self._interrupted = True
        with suppress(Exception):  # closed in this moment
            self.connection.interrupt()

    def close(self) -> None:
        """Stops the work, if any, and drops what the query has made. May be called twice, and by
        anyone."""
        while not self.busy.acquire(timeout=0.02):
            if self._closed.is_set():
                return
            self._interrupt_once()
        try:
            if self._closed.is_set():
                return
            self._closed.set()
            self.connection.close()
        finally:
            self.busy.release()
            if self._at_end is not None:
                self._at_end()
        self._owner.give_back(self)
