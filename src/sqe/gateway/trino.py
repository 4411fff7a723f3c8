"""Trino's SQL at the front of the pipe, and what of it the gateway does itself."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import pyarrow as pa

from sqe.access.other_users import OtherUsers
from sqe.catalog.transaction import Transaction, current, inside
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.gateway.trino_results import nothing
from sqe.model.query import ClientChanges, ClientState, Outcome, QueryRecord, QueryRequest
from sqe.results.stream import ResultStream
from sqe.sessions.session import Session
from sqe.sql.trino.context import Context, Lookup
from sqe.sql.trino.session_values import values_for_views
from sqe.sql.trino.translate import translate
from sqe.sql.trino.translated import Rows, Translated


class Gateway(Protocol):
    """What is needed of it here."""

    def begin(self, session_id: str, *, internal: bool = ..., read_only: bool = ...) -> str: ...
    def commit(self, session_id: str, transaction_id: str) -> None: ...
    def rollback(self, session_id: str, transaction_id: str) -> None: ...
    def transaction(self, session_id: str, transaction_id: str) -> Transaction | None: ...
    @property
    def others(self) -> OtherUsers: ...
    def record(self, query_id: str) -> QueryRecord: ...
    def cancel(self, query_id: str, because: SqeError | None = ...) -> None: ...


def translate_request(
    request: QueryRequest,
    session: Session,
    lookup: Lookup,
    *,
    grants: bool = False,
) -> Translated:
    """``grants``: rules can be made with SQL."""
    client = request.client or ClientState()
    now = datetime.datetime.now(datetime.UTC)
    user = session.identity.user
    context = Context(request.text, client, user, lookup, now, grants=grants)
    return replace(translate(context), session_values=values_for_views(context))


def carry_out(
    translated: Translated,
    gateway: Gateway,
    request: QueryRequest,
    session: Session,
    run: Callable[[], ResultStream],
) -> ResultStream:
    """``run`` goes on through the pipe."""
    if translated.transaction:
        return _transact(translated, gateway, request, session)
    if translated.kill is not None:
        _kill(gateway, session, *translated.kill)
        return nothing(Outcome(translated.update_type))
    if translated.is_many and current() is None:
        return _as_one(gateway, session, run)
    if translated.reshape is not None:
        return _reshaped(run(), translated.reshape)
    return run()


def _reshaped(result: ResultStream, reshape: Callable[[Rows], Rows]) -> ResultStream:
    """All rows at once, made into others of the same columns."""
    with result:
        read = result.read_all()
    rows = reshape(list(zip(*(column.to_pylist() for column in read.columns), strict=True)))
    arrays = [
        pa.array([row[i] for row in rows], type=field.type) for i, field in enumerate(read.schema)
    ]
    batch = pa.RecordBatch.from_arrays(arrays, schema=read.schema)
    return ResultStream(result.columns, read.schema, [batch], outcome=result.outcome)


def _transact(
    translated: Translated, gateway: Gateway, request: QueryRequest, session: Session
) -> ResultStream:
    open_one = request.transaction
    changes = ClientChanges(ended_transaction=True)
    if translated.transaction.startswith("start"):
        if open_one:
            raise _refused("NOT_SUPPORTED", "Nested transactions not supported")
        read_only = translated.transaction.endswith("read only")
        begun = gateway.begin(session.id, read_only=read_only)
        changes = ClientChanges(started_transaction=begun)
    elif not open_one:
        raise _refused("NOT_IN_TRANSACTION", "No transaction in progress")
    elif translated.transaction == "commit":
        gateway.commit(session.id, open_one)
    else:
        gateway.rollback(session.id, open_one)
    return nothing(Outcome(translated.update_type, changes))


def _as_one(gateway: Gateway, session: Session, run: Callable[[], ResultStream]) -> ResultStream:
    """Several statements for the engines, in one commit."""
    transaction = gateway.begin(session.id, internal=True)
    try:
        with inside(gateway.transaction(session.id, transaction)):
            result = run()
    except BaseException:
        gateway.rollback(session.id, transaction)
        raise
    gateway.commit(session.id, transaction)
    return result


def _kill(gateway: Gateway, session: Session, query_id: str, message: str) -> None:
    try:
        record = gateway.record(query_id)
    except UserError:
        record = None
    if record is None or not gateway.others.may_kill(session.identity, record):
        raise _refused("NOT_FOUND", f"Target query not found: {query_id}")
    because = UserError(
        ErrorCode.CANCELLED,
        f"Query killed. Message: {message}" if message else "Query killed.",
        trino="ADMINISTRATIVELY_KILLED",
    )
    gateway.cancel(query_id, because)


def _refused(name: str, message: str) -> UserError:
    code = ErrorCode.NOT_SUPPORTED if name == "NOT_SUPPORTED" else ErrorCode.USER_ERROR
    return UserError(code, message, trino=name)
