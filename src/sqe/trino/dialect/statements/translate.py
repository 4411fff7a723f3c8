"""Every statement that is no query to Spark's text, by the class of its node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.nodes import Statement
from sqe.trino.dialect.statements import (
    access,
    access_nodes,
    alter,
    catalog_nodes,
    catalogs,
    create_as,
    functions,
    nodes,
    relations,
    rows,
    schemas,
    session,
    session_nodes,
    tables,
    views,
)
from sqe.trino.dialect.statements.call import call
from sqe.trino.dialect.statements.execute import execute
from sqe.trino.dialect.statements.explain import explain
from sqe.trino.dialect.statements.merge import merge
from sqe.trino.dialect.statements.set_properties import set_properties
from sqe.trino.dialect.statements.statistics import show_stats
from sqe.trino.dialect.translated import Translated

Translator = Callable[[Any, Context], Translated]


def translate_statement(node: Statement, context: Context) -> Translated:
    """Raises ``Refused``. SHOW, but for SHOW STATS, and prepared statements are not here."""
    translator = _TRANSLATORS.get(type(node))
    if translator is None:
        raise not_supported(type(node).__name__, node.at)
    return translator(node, context)


_TRANSLATORS: dict[type[Statement], Translator] = {
    nodes.CreateSchema: schemas.create_schema,
    nodes.DropSchema: schemas.drop_schema,
    nodes.RenameSchema: schemas.rename_schema,
    nodes.SetAuthorization: schemas.set_authorization,
    nodes.CreateTable: tables.create_table,
    nodes.CreateTableAs: create_as.create_table_as,
    nodes.Truncate: tables.truncate,
    nodes.Analyze: tables.analyze,
    nodes.Drop: relations.drop,
    nodes.Rename: relations.rename,
    nodes.Comment: relations.comment_on,
    nodes.AddColumn: alter.add_column,
    nodes.DropColumn: alter.drop_column,
    nodes.RenameColumn: alter.rename_column,
    nodes.AlterColumn: alter.alter_column,
    nodes.SetProperties: set_properties,
    nodes.ExecuteProcedure: execute,
    nodes.Insert: rows.insert,
    nodes.Delete: rows.delete,
    nodes.Update: rows.update,
    nodes.Merge: merge,
    nodes.CreateView: views.create_view,
    nodes.RefreshView: views.refresh_view,
    nodes.CreateMaterializedView: views.create_materialized_view,
    nodes.RefreshMaterializedView: views.refresh_materialized_view,
    nodes.CreateFunction: functions.create_function,
    nodes.DropFunction: functions.drop_function,
    nodes.CallProcedure: call,
    nodes.Explain: explain,
    access_nodes.RoleStatement: access.role_statement,
    access_nodes.GrantRoles: access.grant_roles,
    access_nodes.GrantPrivileges: access.grant_privileges,
    access_nodes.ShowEffectivePolicy: access.effective_policy,
    catalog_nodes.CreateCatalog: catalogs.create_catalog,
    catalog_nodes.AlterCatalog: catalogs.alter_catalog,
    catalog_nodes.DropCatalog: catalogs.drop_catalog,
    catalog_nodes.ShowCreateCatalog: catalogs.show_create_catalog,
    session_nodes.ShowStats: show_stats,
    session_nodes.Use: session.use,
    session_nodes.SetSession: session.set_session,
    session_nodes.ResetSession: session.reset_session,
    session_nodes.SetSessionAuthorization: session.set_session_authorization,
    session_nodes.ResetSessionAuthorization: session.reset_session_authorization,
    session_nodes.SetTimeZone: session.set_time_zone,
    session_nodes.SetPath: session.set_path,
    session_nodes.SetRole: session.set_role,
    session_nodes.StartTransaction: session.start_transaction,
    session_nodes.Commit: session.commit,
    session_nodes.Rollback: session.rollback,
}
