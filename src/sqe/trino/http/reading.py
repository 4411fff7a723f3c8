"""Reads a query of the gateway to its end, on a thread of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa

from sqe.gateway.gateway import Gateway
from sqe.model.query import Column
from sqe.results.stream import ResultStream
from sqe.trino.http.encode import RowEncoder
from sqe.trino.http.errors import sqe_error
from sqe.trino.http.results import Results
from sqe.trino.http.wire import columns_json

_CHUNK = 256 * 1024  # of encoded rows at once: pages are made of these
_COUNT = Column("rows", "bigint", nullable=False)


def read(
    gateway: Gateway,
    query_id: str,
    results: Results,
    capabilities: frozenset[str],
    opened: Callable[[], None],
) -> None:
    """Never raises: an error is what the client reads then. ``opened`` is called before the client
    can know that the statement has succeeded."""
    try:
        with gateway.fetch(query_id) as stream:
            results.open(stream.outcome, stream.close)
            opened()
            if stream.outcome.update_type:
                _read_update(stream, results, capabilities)
            else:
                _read_rows(stream, results, capabilities, stream)
                results.finish()
    except BaseException as error:  # noqa: BLE001  whatever happens, the client must hear of it
        results.fail(sqe_error(error))


def _read_rows(
    stream: ResultStream,
    results: Results,
    capabilities: frozenset[str],
    batches: Iterable[pa.RecordBatch],
) -> None:
    encoder = RowEncoder(stream.columns, stream.schema, capabilities)
    results.tell_columns(_columns(stream.columns, capabilities))
    for batch in batches:
        for rows in encoder.encode(batch, min(_CHUNK, results.page_bytes)):
            if not results.put(rows.text, rows.count):
                return


def _read_update(stream: ResultStream, results: Results, capabilities: frozenset[str]) -> None:
    """A write answers how many rows it has changed, as one row. That is known at its end."""
    batches = list(stream)
    affected = stream.rows_affected
    if affected is not None:
        results.tell_columns(_columns([_COUNT], capabilities))
        results.put(b"[%d]" % affected.total, 1)
        results.finish(affected.total)
        return
    _read_rows(stream, results, capabilities, batches)
    results.finish()


def _columns(columns: Sequence[Column], capabilities: frozenset[str]) -> bytes:
    return json.dumps(columns_json(columns, capabilities)).encode()
