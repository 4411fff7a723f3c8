"""A cursor: one statement at a time, its rows as Python or as Arrow, as they come."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqe.client.exceptions import InterfaceError, ProgrammingError, translate_errors
from sqe.client.named import positional, positional_rows
from sqe.client.parameters import parameters_of
from sqe.client.transport import Running, Status
from sqe.client.types import description_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from sqe.client.connection import Connection
    from sqe.results.stream import ResultStream

_CHANGES_ROWS = re.compile(r"\s*(?:INSERT|UPDATE|DELETE|MERGE)\b", re.IGNORECASE)


class Cursor:
    """PEP 249, and Arrow. One thread uses it; any other may call ``cancel`` and ``progress``.

    Rows are not gathered: they come from the engine as they are asked for, whichever of the fetch
    methods asks.
    """

    arraysize = 1000  # what fetchmany() takes; rows come in batches anyway

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.description: list[tuple[Any, ...]] | None = None
        self.rowcount = -1
        self._closed = False
        self._running: Running | None = None
        self._result: ResultStream | None = None
        self._batches: Iterator[pa.RecordBatch] = iter(())
        self._row_iterator: Iterator[tuple[Any, ...]] | None = None
        self._opened: tuple[pa.RecordBatch, int] | None = None  # a batch, and its rows fetched

    def execute(self, operation: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Cursor:
        """Runs one statement; each ``?`` in it takes the next parameter, or each ``:name`` the one
        of that name. Returns the cursor."""
        text, values = positional(operation, parameters)
        bound = parameters_of(values)
        self._start(lambda: self.connection.run(text, bound))
        return self

    def executemany(
        self,
        operation: str,
        seq_of_parameters: Iterable[Sequence[Any]] | Iterable[Mapping[str, Any]],
    ) -> Cursor:
        """Once for each. A statement that changes rows does so for all of them or, if one fails,
        for none; an ``INSERT … VALUES (?, …)`` is one statement, and one commit."""
        text, rows = positional_rows(operation, seq_of_parameters)
        if not _CHANGES_ROWS.match(operation):
            for parameters in rows:
                self.execute(text, parameters)
            return self
        bound = [parameters_of(row) for row in rows]
        if bound:
            self._start(lambda: self.connection.run_rows(text, bound))
        else:
            self._leave()
            self.rowcount = 0
        return self

    def _start(self, run: Callable[[], Running]) -> None:
        self._leave()
        with translate_errors():
            self._running = run()
            result = self._running.result()
            if result.columns:
                self._result = result
                self._batches = iter(result)
                self.description = [description_of(column) for column in result.columns]
                return
            with result:
                for _ in result:  # what it did is known when its (empty) answer has ended
                    pass
            if result.rows_affected is not None:
                self.rowcount = result.rows_affected.total

    def fetchone(self) -> tuple[Any, ...] | None:
        return next(self._rows(), None)

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        wanted = self.arraysize if size is None else size
        rows = self._rows()
        return [row for _, row in zip(range(wanted), rows, strict=False)]

    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(self._rows())

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._rows()

    def __next__(self) -> tuple[Any, ...]:
        return next(self._rows())

    def fetch_record_batches(self) -> pa.RecordBatchReader:
        """The rest of the result as a stream of Arrow batches."""
        import pyarrow as pa

        result = self._answer()
        return pa.RecordBatchReader.from_batches(result.schema, self._rest())

    def fetch_arrow_table(self) -> pa.Table:
        """The rest of the result in memory."""
        import pyarrow as pa

        result = self._answer()
        return pa.Table.from_batches(list(self._rest()), schema=result.schema)

    def fetch_df(self) -> pd.DataFrame:
        """The rest of the result as a pandas DataFrame. Dates are datetime64, so that ``.dt`` and
        resampling work on them."""
        frame: pd.DataFrame = self.fetch_arrow_table().to_pandas(date_as_object=False)
        return frame

    def fetch_polars(self) -> pl.DataFrame:
        """The rest of the result as a polars DataFrame."""
        import polars as pl

        frame = pl.from_arrow(self.fetch_arrow_table())
        assert isinstance(frame, pl.DataFrame)  # noqa: S101  a table makes a frame
        return frame

    def cancel(self) -> None:
        """Stops what the cursor is running; ``execute`` or the fetch then raises CANCELLED."""
        running = self._running
        if running is not None:
            with translate_errors():
                running.cancel()

    def progress(self) -> Status | None:
        """How far the statement is: state, engine, fraction. None before the first one."""
        running = self._running
        if running is None:
            return None
        with translate_errors():
            return running.progress()

    def close(self) -> None:
        """Whatever is left of the result is not computed."""
        if not self._closed:
            self._closed = True
            self._finish()

    def setinputsizes(self, sizes: Sequence[Any]) -> None:
        """Nothing to do: every value says its type."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Nothing to do: values come whole."""

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> None:
        if self._closed:
            raise InterfaceError("The cursor is closed.")
        self.connection.check_open()

    def _leave(self) -> None:
        """Whatever the cursor did last is over."""
        self._open()
        self._finish()
        self.description, self.rowcount = None, -1

    def _answer(self) -> ResultStream:
        self._open()
        if self._result is None:
            raise ProgrammingError("There are no rows: run a statement that gives some.")
        return self._result

    def _finish(self) -> None:
        """Leaves the statement, read or not; what it changed is still known."""
        if self._result is not None:
            self._result.close()
        self._running = self._result = self._row_iterator = self._opened = None
        self._batches = iter(())

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        """One iterator for all fetches, so that none loses rows to another."""
        self._answer()
        if self._row_iterator is None:
            self._row_iterator = self._python_rows()
        return self._row_iterator

    def _python_rows(self) -> Iterator[tuple[Any, ...]]:
        from sqe.client.values import rows_of

        for batch in self._arrow():
            for fetched, row in enumerate(rows_of(batch), start=1):
                self._opened = batch, fetched
                yield row
            self._opened = None

    def _rest(self) -> Iterator[pa.RecordBatch]:
        """What no fetch has taken: of the batch whose rows were fetched last, and all behind it."""
        opened, self._opened, self._row_iterator = self._opened, None, None
        if opened is not None and opened[1] < opened[0].num_rows:
            yield opened[0].slice(opened[1])
        yield from self._arrow()

    def _arrow(self) -> Iterator[pa.RecordBatch]:
        with translate_errors():
            for batch in self._batches:  # noqa: UP028  `yield from` would close it with us
                yield batch
