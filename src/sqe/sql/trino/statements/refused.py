"""Statements that are understood and not carried out."""

from __future__ import annotations

from sqe.sql.trino.context import Context
from sqe.sql.trino.errors import not_supported
from sqe.sql.trino.statements.nodes import RefusedStatement
from sqe.sql.trino.translated import Translated


def refuse_statement(node: RefusedStatement, context: Context) -> Translated:
    """Who may do what is said by policies, not by statements."""
    raise not_supported(f"{node.what} (access is granted by policies)", node.at)
