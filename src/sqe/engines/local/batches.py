"""A running query's rows, batch by batch, in exactly the result's Arrow types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from sqe.engines.local.failures import LocalFailed, is_interrupt
from sqe.engines.local.lease import Lease
from sqe.engines.local.plan import LocalPlan
from sqe.engines.local.storage_access import StorageAccess
from sqe.errors import ErrorCode, SqeError, UpstreamError
from sqe.results.cancellation import Cancellation

_RESULT = "complete_result"
_VOID = pa.int32()  # what DuckDB is given for the type of NULL


class Batches(Iterator[pa.RecordBatch]):
    """DuckDB computes as far as it is read. ``close`` may come from another thread at any time."""

    def __init__(
        self,
        lease: Lease,
        reach: StorageAccess,
        schema: pa.Schema,
        cancellation: Cancellation,
    ) -> None:
        self._lease = lease
        self._reach = reach
        self._schema = schema
        self._cancellation = cancellation
        self._reader: Any = None
        self._asked: tuple[str, Mapping[str, object] | None] = ("", None)
        self._first: pa.RecordBatch | None = None
        self._left = False  # the reader has gone away, maybe while another thread reads

    def start(self, plan: LocalPlan, batch_rows: int, *, complete: bool = False) -> None:
        """Runs the query up to its first batch, so that what fails early fails here; or, where any
        row may fail, up to its last. The instance must then keep rows in order."""
        sql, values = plan.sql, plan.values
        with self._lease.busy:
            self._cancellation.check()
            try:
                if complete:
                    self._lease.read(sql, values, before=f"CREATE TEMP TABLE {_RESULT} AS ")
                    self._cancellation.check()
                    sql, values = f"FROM {_RESULT}", None
                self._asked = (sql, values)
                self._reader = self._lease.read(sql, values).to_arrow_reader(batch_rows)
                _check_types(self._reader.schema, self._schema)
                self._first = self._next()
            except SqeError:
                raise
            except Exception as error:
                self._cancellation.check()
                raise self._reach.translate(error, rows_sent=False) from error

    def __next__(self) -> pa.RecordBatch:
        batch, self._first = self._first, None
        if batch is None:
            batch = self._read()
        if batch is None:
            raise StopIteration  # whoever has the result closes it
        return batch

    def close(self) -> None:
        self._left = True
        self._lease.close()
        self._reader = None
        self._first = None

    def _read(self) -> pa.RecordBatch | None:
        try:
            with self._lease.busy:
                self._cancellation.check()
                if self._left:
                    return None
                if self._lease.closed:  # and not by the reader: the rows are not complete
                    raise UpstreamError(ErrorCode.ENGINE_LOST, "SQE is being closed.")
                batch = self._next_or_why()
        except SqeError:
            self.close()
            raise
        except Exception as error:
            left = self._left
            self.close()
            self._cancellation.check()
            if left:
                return None
            raise self._reach.translate(error, rows_sent=True) from error
        if batch is None:
            self.close()  # before the reader hears of the end: their next query finds it free
        return batch

    def _next_or_why(self) -> pa.RecordBatch | None:
        """Where one of DuckDB's threads fails, its others are interrupted, and now and then it is
        that which the reader is told. Then the query is run again, for its error alone."""
        try:
            return self._next()
        except Exception as error:
            if not is_interrupt(error) or self._left:
                raise
            self._cancellation.check()
            sql, values = self._asked
            self._lease.read(sql, values, before="EXPLAIN ANALYZE ")
            raise

    def _next(self) -> pa.RecordBatch | None:
        while True:
            try:
                batch = self._reader.read_next_batch()
            except StopIteration:
                self._lease.finish()
                return None
            if batch.num_rows:
                return conform(batch, self._schema)


def conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch under the result's names. No value is copied."""
    arrays = [
        relabel(array, field.type) for array, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def relabel(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    """The same buffers under a type that differs in names, nullability and time zone only. NULLs
    of no type have none: DuckDB gives them one."""
    if array.type.equals(wanted, check_metadata=True):
        return array
    if pa.types.is_null(wanted):
        return pa.nulls(len(array))
    if array.offset:
        array = pa.concat_arrays([array])
    count = array.type.num_buffers
    children = None
    if pa.types.is_struct(wanted):
        children = [relabel(array.field(i), field.type) for i, field in enumerate(wanted)]
    elif pa.types.is_map(wanted):
        entries = pa.struct([wanted.key_field, wanted.item_field])
        children = [relabel(_map_entries(array), entries)]
    elif pa.types.is_list(wanted):
        children = [relabel(array.values, wanted.value_type)]
    return pa.Array.from_buffers(
        wanted, len(array), array.buffers()[:count], array.null_count, 0, children
    )


def _map_entries(array: pa.MapArray) -> pa.StructArray:
    fields = [array.type.key_field, array.type.item_field]
    return pa.StructArray.from_arrays([array.keys, array.items], fields=fields)


def _check_types(found: pa.Schema, wanted: pa.Schema) -> None:
    if len(found) != len(wanted):
        raise _mismatch(f"{len(found)} columns for {len(wanted)}")
    for have, want in zip(found, wanted, strict=True):
        if not same_values(have.type, want.type):
            raise _mismatch(f"{have.type} for column {want.name} of type {want.type}")


def same_values(have: pa.DataType, want: pa.DataType) -> bool:
    """Whether the types differ in names, nullability and time zone at most."""
    if pa.types.is_null(want):
        return bool(have == _VOID)
    if pa.types.is_timestamp(have) and pa.types.is_timestamp(want):
        return have.unit == want.unit and (have.tz is None) == (want.tz is None)
    if pa.types.is_struct(have) and pa.types.is_struct(want):
        return have.num_fields == want.num_fields and all(
            same_values(have.field(i).type, want.field(i).type) for i in range(have.num_fields)
        )
    if pa.types.is_map(have) and pa.types.is_map(want):
        return same_values(have.key_type, want.key_type) and same_values(
            have.item_type, want.item_type
        )
    if pa.types.is_list(have) and pa.types.is_list(want):
        return same_values(have.value_type, want.value_type)
    return bool(have == want)


def _mismatch(what: str) -> LocalFailed:
    return LocalFailed(f"DuckDB gave {what}")
