"""Spark's own SQL: nothing is translated, and some statements are several, or a script."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sqe.access.relations import Relations
from sqe.catalog.transaction import current
from sqe.errors import ErrorCode, UserError
from sqe.gateway.dialects import Execution, Translation, run_in_transaction
from sqe.model.query import QueryRequest, RowsAffected
from sqe.results.arrow_types import arrow_schema
from sqe.results.stream import ResultStream
from sqe.sessions.session import Session
from sqe.spark_sql.scripts import Script
from sqe.sql.scripts import parse_script
from sqe.sql.several_inserts import split_inserts
from sqe.sql.text import TextLimits


@dataclass(frozen=True)
class SparkText:
    """Implements ``Translation``: there is nothing to translate."""

    text: str
    session_values: Mapping[str, str]
    label: str = ""
    properties: Collection[str] = ()

    def answer(self, execution: Execution) -> ResultStream:
        return execution.run()


@dataclass(frozen=True)
class SeveralInserts:
    """Implements ``Translation``: INSERT statements behind one FROM, in one commit. ``text`` is
    the first of ``texts``; all are planned when they run, as statements of a transaction
    (decision 0031)."""

    texts: tuple[str, ...]
    session_values: Mapping[str, str]
    label: str = ""
    properties: Collection[str] = ()

    @property
    def text(self) -> str:
        return self.texts[0]

    def answer(self, execution: Execution) -> ResultStream:
        if current() is not None:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                "INSERT into several tables is not supported in a transaction.",
                hint="Send an INSERT for each table.",
            )

        def run_each() -> RowsAffected | None:
            return _sum_of([_drain(execution.run_text(text)) for text in self.texts])

        gateway, session = execution.gateway, execution.session
        affected = run_in_transaction(gateway, session, run_each, one_statement=True)
        return ResultStream((), arrow_schema(()), [], affected=lambda: affected)


@dataclass(frozen=True)
class SparkDialect:
    """Implements ``Dialect``: only scripts and several inserts are not the text itself."""

    limits: TextLimits = field(default_factory=TextLimits)

    def translate(
        self, request: QueryRequest, session: Session, relations: Relations
    ) -> Translation:
        block = parse_script(request.text, self.limits)
        if block is not None:
            return Script(block)
        texts = split_inserts(request.text)
        if len(texts) > 1:
            return SeveralInserts(tuple(texts), request.session_values)
        return SparkText(texts[0] if texts else request.text, request.session_values)


def _drain(result: ResultStream) -> RowsAffected | None:
    with result:
        for _ in result:
            pass
    return result.rows_affected


def _sum_of(counts: list[RowsAffected | None]) -> RowsAffected | None:
    """None where one of the numbers is not known."""
    total: RowsAffected | None = None
    for count in counts:
        if count is None:
            return None
        total = count if total is None else total + count
    return total
