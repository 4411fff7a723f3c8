"""The statements that are no queries: first word -> parse function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqe.trino.dialect.nodes import Statement
from sqe.trino.dialect.statements.parsing import access, alter, create, rows, session, show

if TYPE_CHECKING:
    from sqe.trino.dialect.parser import Parser

STATEMENTS: dict[str, Callable[[Parser], Statement]] = {
    "ALTER": alter.alter,
    "ANALYZE": create.analyze,
    "CALL": show.call,
    "COMMENT": create.comment_on,
    "COMMIT": session.commit,
    "CREATE": create.create,
    "DELETE": rows.delete,
    "DENY": access.deny,
    "DESC": show.describe,
    "DESCRIBE": show.describe,
    "DROP": create.drop,
    "EXPLAIN": show.explain,
    "GRANT": access.grant,
    "INSERT": rows.insert,
    "MERGE": rows.merge,
    "REFRESH": create.refresh,
    "RESET": session.reset,
    "REVOKE": access.revoke,
    "ROLLBACK": session.rollback,
    "SET": session.set_,
    "SHOW": show.show,
    "START": session.start,
    "TRUNCATE": create.truncate,
    "UPDATE": rows.update,
    "USE": session.use,
}
