"""KILL QUERY."""

from __future__ import annotations

from sqe.coordinator.call import Answer, CommandCall, Row, answer, strings
from sqe.sql.queries import KillQuery
from sqe.sql.statement import Command


def _kill(command: KillQuery, call: CommandCall) -> list[Row]:
    state = call.server.kill_query(call.session.identity, command.query_id, command.message)
    return [(command.query_id, state)]


KILL: dict[type[Command], Answer] = {KillQuery: answer(strings("query_id", "state"), _kill)}
