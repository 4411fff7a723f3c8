"""A statement in Trino's SQL: translated, run through the pipe, answered as Trino would."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from sqe.catalog.transaction import current
from sqe.errors import ErrorCode, UserError
from sqe.gateway.dialects import Execution, GatewayActions, run_in_transaction
from sqe.model.query import ClientChanges, ClientState, Outcome, QueryRequest
from sqe.results.arrow_types import batch_of_rows
from sqe.results.stream import ResultStream
from sqe.sessions.session import Session
from sqe.trino.dialect.context import Context, Lookup
from sqe.trino.dialect.session_values import values_for_views
from sqe.trino.dialect.translate import translate
from sqe.trino.dialect.translated import Rows, Translated
from sqe.trino.results import empty_result, trino_result


@dataclass(frozen=True)
class TrinoTranslation:
    """Implements ``gateway.dialects.Translation``."""

    translated: Translated
    properties: Collection[str]

    @property
    def text(self) -> str | None:
        return self.translated.text or None

    @property
    def label(self) -> str:
        return self.translated.update_type.lower()

    @property
    def session_values(self) -> Mapping[str, str]:
        return self.translated.session_values

    def answer(self, execution: Execution) -> ResultStream:
        translated, gateway = self.translated, execution.gateway
        session, request = execution.session, execution.request
        if translated.transaction:
            return _transact(translated, gateway, request, session)

        def run() -> ResultStream:
            return trino_result(translated, execution.run, execution.run_text)

        if translated.is_many and current() is None:
            return run_in_transaction(gateway, session, run)
        if translated.reshape is not None:
            return _reshape(run(), translated.reshape)
        return run()


def translate_request(
    request: QueryRequest, session: Session, lookup: Lookup, *, grants: bool
) -> TrinoTranslation:
    """``grants``: rules can be made with SQL."""
    client = request.client or ClientState()
    now = datetime.datetime.now(datetime.UTC)
    context = Context(request.text, client, session.identity.user, lookup, now, grants=grants)
    translated = replace(translate(context), session_values=values_for_views(context))
    changes = translated.changes
    properties = (*client.properties, *changes.set_properties, *changes.reset_properties)
    return TrinoTranslation(translated, properties)


def _reshape(result: ResultStream, reshape: Callable[[Rows], Rows]) -> ResultStream:
    """All rows at once, made into others of the same columns."""
    with result:
        read = result.read_all()
    rows = reshape(list(zip(*(column.to_pylist() for column in read.columns), strict=True)))
    batch = batch_of_rows(read.schema, rows)
    return ResultStream(result.columns, read.schema, [batch], outcome=result.outcome)


def _transact(
    translated: Translated, gateway: GatewayActions, request: QueryRequest, session: Session
) -> ResultStream:
    open_one = request.transaction
    changes = ClientChanges(ended_transaction=True)
    if translated.transaction.startswith("start"):
        if open_one:
            raise _refusal("NOT_SUPPORTED", "Nested transactions not supported")
        read_only = translated.transaction.endswith("read only")
        begun = gateway.begin(session.id, read_only=read_only)
        changes = ClientChanges(started_transaction=begun)
    elif not open_one:
        raise _refusal("NOT_IN_TRANSACTION", "No transaction in progress")
    elif translated.transaction == "commit":
        gateway.commit(session.id, open_one)
    else:
        gateway.rollback(session.id, open_one)
    return empty_result(Outcome(translated.update_type, changes))


def _refusal(name: str, message: str) -> UserError:
    code = ErrorCode.NOT_SUPPORTED if name == "NOT_SUPPORTED" else ErrorCode.USER_ERROR
    return UserError(code, message, subcode=name)
