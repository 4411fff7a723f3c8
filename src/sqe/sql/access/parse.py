"""The statements about access, by their first word."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import Token

from sqe.sql.access.commands import (
    AccessChange,
    AccessCommand,
    Deny,
    ExplainPolicy,
    Grant,
    Revoke,
)
from sqe.sql.access.grants import read_deny, read_grant, read_revoke
from sqe.sql.access.policies import (
    read_alteration,
    read_apply,
    read_create,
    read_drop,
    read_remove,
)
from sqe.sql.access.shows import read_show
from sqe.sql.commands import Name
from sqe.sql.cursor import TokenCursor, command_tokens
from sqe.sql.statement import Access, Reference, Statement, StatementKind

_READERS: dict[str, Callable[[TokenCursor], AccessChange | None]] = {
    "APPLY": read_apply,
    "CREATE": read_create,
    "DENY": read_deny,
    "DROP": read_drop,
    "GRANT": read_grant,
    "REMOVE": read_remove,
    "REVOKE": read_revoke,
}


def parse_access(text: str, tokens: list[Token]) -> Statement | None:
    """None for a statement about anything else."""
    cursor = TokenCursor(text, command_tokens(text, tokens))
    first = text[tokens[0].start : tokens[0].end + 1].upper()
    cursor.skip()
    if first == "SHOW":
        shown = read_show(cursor)
        return _statement(text, cursor, *shown) if shown is not None else None
    if first == "ALTER":
        return _alter(text, cursor)
    command = _READERS[first](cursor)
    if command is None:
        return None
    on = command.on if isinstance(command, Grant | Revoke | Deny) else None
    table = on.name if on is not None and on.is_reference else None
    return _statement(text, cursor, command, table)


def explain_policy(text: str, about: Statement) -> Statement:
    return Statement(text, StatementKind.COMMAND, command=ExplainPolicy(about))


def _alter(text: str, cursor: TokenCursor) -> Statement | None:
    if cursor.accept_one_of("TABLE", "VIEW") is None or not cursor.at_identifier():
        return None
    name = Name(*cursor.take_dotted_name("a table's name"))
    command = read_alteration(cursor)
    return _statement(text, cursor, command, name) if command is not None else None


def _statement(
    text: str, cursor: TokenCursor, command: AccessCommand, table: Name | None
) -> Statement:
    cursor.expect_end()
    references: tuple[Reference, ...] = ()
    if table is not None:
        tolerant = isinstance(command, AccessChange) and not command.needs_table
        references = (Reference(table.parts, table.span, Access.DESCRIBE, if_exists=tolerant),)
    return Statement(text, StatementKind.COMMAND, references, command=command)
