"""The dialects that clients write in. The core speaks Spark's; another one translates to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sqe.access.relations import Relations
from sqe.catalog.transaction import Transaction, inside
from sqe.model.query import QueryRequest
from sqe.results.stream import ResultStream
from sqe.sessions.session import Session

SPARK = "spark"
_T = TypeVar("_T")


class GatewayActions(Protocol):
    """What a translation may ask of the gateway."""

    def begin(
        self,
        session_id: str,
        *,
        internal: bool = ...,
        read_only: bool = ...,
        one_statement: bool = ...,
    ) -> str: ...
    def commit(self, session_id: str, transaction_id: str) -> None: ...
    def rollback(self, session_id: str, transaction_id: str) -> None: ...
    def transaction(self, session_id: str, transaction_id: str) -> Transaction | None: ...


@dataclass(frozen=True)
class Execution:
    """One planned statement that is about to run. ``run`` runs the translation's text, ``run_text``
    another text that is part of the same statement. ``check`` raises when it has been cancelled."""

    gateway: GatewayActions
    request: QueryRequest
    session: Session
    run: Callable[[], ResultStream]
    run_text: Callable[[str], ResultStream]
    check: Callable[[], None]


class Translation(Protocol):
    """A request in Spark's SQL, and how its answer is shown to the client."""

    @property
    def text(self) -> str | None:
        """Spark's SQL; None where no engine has anything to do."""
        ...

    @property
    def label(self) -> str:
        """The statement's kind in words; empty: that of ``text``."""
        ...

    @property
    def session_values(self) -> Mapping[str, str]:
        """See ``QueryRequest.session_values``."""
        ...

    @property
    def properties(self) -> Collection[str]:
        """Names of session properties that the client has set, or sets now."""
        ...

    def answer(self, execution: Execution) -> ResultStream: ...


class Dialect(Protocol):
    def translate(
        self, request: QueryRequest, session: Session, relations: Relations
    ) -> Translation: ...


def run_in_transaction(
    gateway: GatewayActions, session: Session, run: Callable[[], _T], *, one_statement: bool = False
) -> _T:
    """Several statements for the engines, in one commit. ``one_statement``: to their user."""
    transaction = gateway.begin(session.id, internal=True, one_statement=one_statement)
    try:
        with inside(gateway.transaction(session.id, transaction)):
            result = run()
    except BaseException:
        gateway.rollback(session.id, transaction)
        raise
    gateway.commit(session.id, transaction)
    return result
