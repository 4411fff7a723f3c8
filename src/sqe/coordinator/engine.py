"""The engine that needs no engine: metadata, sessions and schemas, answered by SQE itself."""

from __future__ import annotations

from sqe.catalog.protocol import Catalogs
from sqe.catalog.redaction import Redaction, show_all
from sqe.coordinator.access_tools import AccessTools
from sqe.coordinator.alterations import ALTERATIONS
from sqe.coordinator.attached import ATTACHED
from sqe.coordinator.call import Answer, CommandCall, ServerTools
from sqe.coordinator.create_text import CREATE_TEXTS
from sqe.coordinator.ddl import DDL
from sqe.coordinator.describe import DESCRIPTIONS
from sqe.coordinator.functions import FUNCTIONS
from sqe.coordinator.grant_shows import GRANT_SHOWS
from sqe.coordinator.grants import GRANTS
from sqe.coordinator.kill import KILL
from sqe.coordinator.like import LIKE
from sqe.coordinator.listings import LISTINGS
from sqe.coordinator.matviews.show import MATERIALIZED
from sqe.coordinator.policy_shows import POLICY_SHOWS
from sqe.coordinator.procedures import PROCEDURE_ANSWERS
from sqe.coordinator.session import SESSION
from sqe.coordinator.table_extended import TABLE_EXTENDED
from sqe.engines.direct import DirectStatement
from sqe.engines.protocol import Explanation, Run
from sqe.errors import ErrorCode, InternalError
from sqe.results.arrow_types import arrow_schema
from sqe.results.description import Description
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement
from sqe.sessions.session import Session
from sqe.sql.statement import Command

ANSWERS: dict[type[Command], Answer] = {
    **LISTINGS,
    **TABLE_EXTENDED,
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
    **KILL,
    **FUNCTIONS,
    **ATTACHED,
}


class CoordinatorEngine:
    """Takes commands. Everything is done as the user, on the catalogs or on the session; what the
    arguments are is said in ``CommandCall``."""

    def __init__(
        self,
        catalogs: Catalogs,
        whole: Catalogs | None = None,
        redaction: Redaction = show_all,
        access_tools: AccessTools | None = None,
        server: ServerTools | None = None,
    ) -> None:
        self._catalogs = catalogs
        self._access_tools = access_tools
        self._server = server or ServerTools()
        self._whole = whole or catalogs
        self._redaction = redaction

    def prepare(self, statement: GuardedStatement, session: Session) -> DirectStatement:
        return DirectStatement(self, statement)

    def run(self, statement: GuardedStatement, run: Run) -> ResultStream:
        run.cancellation.check()
        command, answer = _answer(statement)
        call = CommandCall(
            self._catalogs,
            statement,
            run,
            self._whole,
            self._redaction,
            self._access_tools,
            self._server,
        )
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
