"""The dialects that clients write in. The core speaks Spark's; another one translates to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from sqe.access.relations import Relations
from sqe.catalog.transaction import Transaction
from sqe.model.query import QueryRequest
from sqe.results.stream import ResultStream
from sqe.sessions.session import Session

SPARK = "spark"


class GatewayActions(Protocol):
    """What a translation may ask of the gateway."""

    def begin(self, session_id: str, *, internal: bool = ..., read_only: bool = ...) -> str: ...
    def commit(self, session_id: str, transaction_id: str) -> None: ...
    def rollback(self, session_id: str, transaction_id: str) -> None: ...
    def transaction(self, session_id: str, transaction_id: str) -> Transaction | None: ...


@dataclass(frozen=True)
class Execution:
    """One planned statement that is about to run. ``run`` runs the translation's text, ``run_text``
    another text that is part of the same statement."""

    gateway: GatewayActions
    request: QueryRequest
    session: Session
    run: Callable[[], ResultStream]
    run_text: Callable[[str], ResultStream]


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


@dataclass(frozen=True)
class SparkText:
    """Implements ``Translation``: there is nothing to translate."""

    text: str
    session_values: Mapping[str, str]
    label: str = ""
    properties: Collection[str] = ()

    def answer(self, execution: Execution) -> ResultStream:
        return execution.run()


class SparkDialect:
    """Implements ``Dialect`` by the identity."""

    def translate(
        self, request: QueryRequest, session: Session, relations: Relations
    ) -> Translation:
        return SparkText(request.text, request.session_values)
