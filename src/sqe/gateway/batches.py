"""One statement for many rows of parameters: all of them or, if one fails, none."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from sqe.errors import SqeError
from sqe.model.query import QueryRequest, RowsAffected
from sqe.results.stream import ResultStream
from sqe.rewrite.parameter_rows import MixedTypes, row_text, types_may_fit
from sqe.sql.parse import parse
from sqe.sql.text import TextLimits

Started = Callable[[str], None]


class Statements(Protocol):
    """The methods of ``sqe.gateway.gateway.Gateway`` that are needed here."""

    def submit(self, request: QueryRequest) -> str: ...
    def fetch(self, query_id: str) -> ResultStream: ...
    def begin(self, session_id: str, *, internal: bool = False) -> str: ...
    def commit(self, session_id: str, transaction_id: str) -> None: ...
    def rollback(self, session_id: str, transaction_id: str) -> None: ...


def run_rows(
    gateway: Statements, request: QueryRequest, limits: TextLimits, started: Started
) -> RowsAffected | None:
    """Runs the statement for all of ``request.rows``. An INSERT … VALUES is one statement; others
    run once for each row, in one transaction. ``started`` gets the id of each query. None: the
    number of rows is not known."""
    if len(request.rows) > 1 and _is_one_statement(request, limits):
        with suppress(MixedTypes):
            return _run(gateway, request, started)
    if len(request.rows) == 1 or request.transaction:
        return _run_each(gateway, request, started)
    transaction = gateway.begin(request.session_id, internal=True)
    try:
        counted = _run_each(gateway, replace(request, transaction=transaction), started)
    except BaseException:
        with suppress(SqeError):
            gateway.rollback(request.session_id, transaction)
        raise
    gateway.commit(request.session_id, transaction)
    return counted


def _is_one_statement(request: QueryRequest, limits: TextLimits) -> bool:
    try:
        statement = parse(request.text, limits)
    except SqeError:
        return False  # what is wrong with it is said when it runs
    count = len(statement.markers)
    fits = all(len(row) == count for row in request.rows)
    return fits and row_text(statement) is not None and types_may_fit(request.rows)


def _run_each(gateway: Statements, request: QueryRequest, started: Started) -> RowsAffected | None:
    total: RowsAffected | None = None
    for row in request.rows:
        counted = _run(gateway, replace(request, rows=(), parameters=row), started)
        if counted is not None:
            total = counted if total is None else total + counted
    return total


def _run(gateway: Statements, request: QueryRequest, started: Started) -> RowsAffected | None:
    query_id = gateway.submit(request)
    started(query_id)
    with gateway.fetch(query_id) as result:
        for _ in result:
            pass
    return result.rows_affected
