"""The engine that needs no engine: metadata, sessions and schemas, answered by SQE itself."""

from __future__ import annotations

from sqe.catalog.protocol import Catalogs
from sqe.catalog.seen import Sight, sees_all
from sqe.engines.coordinator.access_tools import AccessTools
from sqe.engines.coordinator.alterations import ALTERATIONS
from sqe.engines.coordinator.call import Answer, Call
from sqe.engines.coordinator.create_text import CREATE_TEXTS
from sqe.engines.coordinator.ddl import DDL
from sqe.engines.coordinator.describe import DESCRIPTIONS
from sqe.engines.coordinator.grant_shows import GRANT_SHOWS
from sqe.engines.coordinator.grants import GRANTS
from sqe.engines.coordinator.like import LIKE
from sqe.engines.coordinator.listings import LISTINGS
from sqe.engines.coordinator.policy_shows import POLICY_SHOWS
from sqe.engines.coordinator.procedures import PROCEDURE_ANSWERS
from sqe.engines.coordinator.session import SESSION
from sqe.engines.matviews.show import MATERIALIZED
from sqe.engines.protocol import Explanation, Run
from sqe.errors import ErrorCode, InternalError
from sqe.results.arrow_types import arrow_schema
from sqe.results.description import Description
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.statement import Command

ANSWERS: dict[type[Command], Answer] = {
    **LISTINGS,
    **DESCRIPTIONS,
    **CREATE_TEXTS,
    **SESSION,
    **DDL,
    **ALTERATIONS,
    **LIKE,
    **MATERIALIZED,
    **PROCEDURE_ANSWERS,
    **GRANTS,
    **GRANT_SHOWS,
    **POLICY_SHOWS,
}


class CoordinatorEngine:
    """Takes commands. Everything is done as the user, on the catalogs or on the session; what the
    arguments are is said in ``Call``."""

    def __init__(
        self,
        catalogs: Catalogs,
        whole: Catalogs | None = None,
        sight: Sight = sees_all,
        access_tools: AccessTools | None = None,
    ) -> None:
        self._catalogs = catalogs
        self._access_tools = access_tools
        self._whole = whole or catalogs
        self._sight = sight

    def run(self, statement: GuardedStatement, run: Run) -> ResultStream:
        run.cancellation.check()
        command, answer = _answer(statement)
        call = Call(self._catalogs, statement, run, self._whole, self._sight, self._access_tools)
        rows = answer.rows(command, call)
        return result_of_rows(answer.columns(command), rows)

    def describe(self, statement: GuardedStatement, run: Run) -> Description:
        command, answer = _answer(statement)
        columns = tuple(answer.columns(command))
        return Description(columns, arrow_schema(columns))

    def explain(self, statement: GuardedStatement, run: Run, mode: str = "") -> Explanation:
        source = statement.bound.statement
        return Explanation(source.text, f"Coordinator: {source.label}")

    def analyze(self, statement: GuardedStatement, run: Run) -> Explanation:
        with self.run(statement, run) as result:
            rows = sum(batch.num_rows for batch in result)
        explained = self.explain(statement, run)
        return Explanation(explained.text, f"{rows:,} rows returned\n{explained.plan}")

    def close(self) -> None:
        return None


def _answer(statement: GuardedStatement) -> tuple[Command, Answer]:
    command = statement.bound.statement.command
    answer = ANSWERS.get(type(command)) if command is not None else None
    if command is None or answer is None:
        raise InternalError(
            ErrorCode.INTERNAL_ERROR,
            f"The coordinator has no answer for {statement.bound.statement.label}.",
        )
    return command, answer
