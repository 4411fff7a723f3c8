"""What a statement is, for every stage that asks."""

from __future__ import annotations

from sqe.sql.access.commands import AccessLook
from sqe.sql.commands import (
    DescribeSchema,
    DescribeTable,
    ResetSession,
    SetSession,
    ShowCatalogs,
    ShowColumns,
    ShowCreate,
    ShowCreateSchema,
    ShowFunctions,
    ShowProcedures,
    ShowSchemas,
    ShowSession,
    ShowTableProperties,
    ShowTables,
    ShowViews,
    UseSchema,
)
from sqe.sql.forms import DescribeQuery
from sqe.sql.statement import Command, Statement, StatementKind

# Of the commands, those that look, and those that change the session alone.
LOOKS: tuple[type[Command], ...] = (
    AccessLook,
    DescribeQuery,
    DescribeSchema,
    DescribeTable,
    ResetSession,
    SetSession,
    ShowCatalogs,
    ShowColumns,
    ShowCreate,
    ShowCreateSchema,
    ShowFunctions,
    ShowProcedures,
    ShowSchemas,
    ShowSession,
    ShowTableProperties,
    ShowTables,
    ShowViews,
    UseSchema,
)


def only_reads(statement: Statement) -> bool:
    """It looks, or changes the session alone."""
    if statement.kind is StatementKind.COMMAND:
        return isinstance(statement.command, LOOKS)
    return statement.kind in (StatementKind.QUERY, StatementKind.EXPLAIN)
