"""Statements that are understood and not carried out."""

from __future__ import annotations

from sqe.sql.trino.context import Context
from sqe.sql.trino.errors import Refused
from sqe.sql.trino.statements.nodes import RefusedStatement
from sqe.sql.trino.translated import Translated


def refuse_statement(node: RefusedStatement, context: Context) -> Translated:
    """Who may do what is said by policies, not by statements."""
    message = f"SQE does not manage grants and roles yet: {node.what} is not supported"
    raise Refused("NOT_SUPPORTED", message, node.at)
