"""KILL QUERY 'id' [MESSAGE 'why']."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import Token

from sqe.sql.cursor import TokenCursor
from sqe.sql.statement import NamedCommand, Statement, StatementKind
from sqe.sql.traits import DecidedBy, session_change


@dataclass(frozen=True)
class KillQuery(NamedCommand):
    """Ends a running query: the user's own, or that of somebody whose queries they may end. It
    changes no data, and what is ended leaves no trace."""

    traits = session_change(DecidedBy.QUERY_OWNER)

    query_id: str
    message: str = ""


def parse_kill(text: str, tokens: list[Token]) -> Statement:
    cursor = TokenCursor(text, tokens)
    cursor.expect("KILL", "QUERY")
    query_id = cursor.string_literal("the query's id in quotes")
    message = cursor.string_literal() if cursor.accept("MESSAGE") else ""
    cursor.expect_end()
    return Statement(text, StatementKind.COMMAND, command=KillQuery(query_id, message))
