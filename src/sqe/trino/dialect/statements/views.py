"""Views and materialized views."""

from __future__ import annotations

import json
from dataclasses import replace

from sqe.trino.dialect import nodes as tree
from sqe.trino.dialect.analyzer import Analyzer
from sqe.trino.dialect.context import Context, Known
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.statements.column_types import type_in_table
from sqe.trino.dialect.statements.create_as import name_columns
from sqe.trino.dialect.statements.names import Target, check_new, find_changed, target_of
from sqe.trino.dialect.statements.nodes import (
    CreateMaterializedView,
    CreateView,
    RefreshMaterializedView,
    RefreshView,
)
from sqe.trino.dialect.statements.query_text import query_text
from sqe.trino.dialect.statements.stored_views import COLUMNS, QUERY, ZONES
from sqe.trino.dialect.statements.table_properties import assignments, read_options
from sqe.trino.dialect.statements.tables import comment_clause
from sqe.trino.dialect.translated import Translated
from sqe.trino.dialect.tree import walk
from sqe.trino.dialect.typed import quote_name
from sqe.trino.dialect.zones import MATERIALIZED_VIEW, VIEW, with_one_zone


def create_view(node: CreateView, context: Context) -> Translated:
    target = target_of(context, node.name, node.at)
    check_new(context, target, node.at)
    for property_ in node.properties:
        name = property_.name.name.lower()
        message = f"Catalog '{target.catalog}' view property '{name}' does not exist"
        raise Refused("INVALID_VIEW_PROPERTY", message, property_.at)
    known = find_changed(context, target)
    _check_free(known, target, node)
    _refuse_recursion(node.query, target, context)
    built = Analyzer(replace(context, stored=VIEW)).queries.query(node.query, Scope())
    columns = name_columns(built, None, node.at)
    zones = [with_one_zone(kind, node.at).zone for kind in columns.values()]
    properties = {
        QUERY: query_text(node.query, node.query_text),
        COLUMNS: json.dumps([str(kind) for kind in columns.values()]),
    }
    if any(zone not in ("", "UTC") for zone in zones):
        properties[ZONES] = json.dumps(zones)
    replaces = "OR REPLACE " if node.or_replace else ""
    text = f"CREATE {replaces}VIEW {target.spark} ({', '.join(map(quote_name, columns))})"
    text += f"{comment_clause(node.comment)} TBLPROPERTIES ({assignments(properties)})"
    if node.security:  # only where it is said: SQE's default is the reader's rights, not Trino's
        text += f" SECURITY {node.security}"
    return Translated(f"{text} AS {built.text}", update_type="CREATE VIEW")


def _check_free(known: Known | None, target: Target, node: CreateView) -> None:
    if known is None or (known.kind == "VIEW" and node.or_replace):
        return
    kind = known.kind.capitalize()
    raise Refused("TABLE_ALREADY_EXISTS", f"{kind} already exists: '{target}'", node.at)


def _refuse_recursion(query: tree.Query, target: Target, context: Context) -> None:
    for node in walk(query, into_queries=True):
        if not isinstance(node, tree.TableRef):
            continue
        if len(node.name) == 1 and not context.client.schema:
            continue  # a query of WITH, or an error of its own
        if Target(*context.table_name(node.name)) == target:
            message = "Statement would create a recursive view"
            raise Refused("VIEW_IS_RECURSIVE", message, node.at)


def refresh_view(node: RefreshView, context: Context) -> Translated:
    raise not_supported("ALTER VIEW … REFRESH", node.at)


def create_materialized_view(node: CreateMaterializedView, context: Context) -> Translated:
    target = target_of(context, node.name, node.at)
    check_new(context, target, node.at)
    if node.grace_period:
        raise not_supported("GRACE PERIOD", node.at)
    known = find_changed(context, target)
    if known is not None and node.if_not_exists and known.kind == "MATERIALIZED VIEW":
        return Translated("", update_type="CREATE MATERIALIZED VIEW")
    if known is not None and not (node.or_replace and known.kind == "MATERIALIZED VIEW"):
        kind = known.kind.capitalize()
        raise Refused("TABLE_ALREADY_EXISTS", f"{kind} already exists: '{target}'", node.at)
    built = Analyzer(replace(context, stored=MATERIALIZED_VIEW)).queries.query(node.query, Scope())
    columns = name_columns(built, None, node.at)
    kinds = {name: type_in_table(kind, node.at) for name, kind in columns.items()}
    options = read_options(node.properties, target.catalog, kinds, context)
    if options.order is not None:
        raise not_supported("sorted_by of a materialized view", node.at)
    replaces = "OR REPLACE " if node.or_replace else ""
    tolerant = "IF NOT EXISTS " if node.if_not_exists else ""
    text = f"CREATE {replaces}MATERIALIZED VIEW {tolerant}{target.spark}"
    text += f" ({', '.join(map(quote_name, columns))})"
    text += f"{comment_clause(node.comment)}{options.clauses} AS {built.text}"
    return Translated(text, update_type="CREATE MATERIALIZED VIEW")


def refresh_materialized_view(node: RefreshMaterializedView, context: Context) -> Translated:
    target = target_of(context, node.name, node.at)
    known = find_changed(context, target)
    if known is None or known.kind != "MATERIALIZED VIEW":
        message = f"Materialized view '{target}' does not exist"
        raise Refused("TABLE_NOT_FOUND", message, node.at)
    text = f"REFRESH MATERIALIZED VIEW {target.spark}"
    return Translated(text, update_type="REFRESH MATERIALIZED VIEW")
