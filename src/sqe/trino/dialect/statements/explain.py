"""EXPLAIN: the engine's plan of the translated statement, what it reads and writes, or who may."""

from __future__ import annotations

from dataclasses import replace

from sqe.errors import AccessError
from sqe.model.trino_types import BOOLEAN, VARCHAR
from sqe.trino.dialect import nodes as tree
from sqe.trino.dialect import prepared
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.parser import immediate_text
from sqe.trino.dialect.statements import nodes
from sqe.trino.dialect.statements.access import POLICY
from sqe.trino.dialect.statements.names import Target
from sqe.trino.dialect.statements.plan_json import graph, io_plan, logical_plan, plan_of_fragment
from sqe.trino.dialect.statements.reads import names_alone, tables_read
from sqe.trino.dialect.statements.session_nodes import Show, ShowStats
from sqe.trino.dialect.translate import translate_node
from sqe.trino.dialect.translated import OutputColumn, Translated
from sqe.trino.dialect.typed import string

_PLAN = (OutputColumn("Query Plan", VARCHAR),)
_VALID = (OutputColumn("Valid", BOOLEAN),)
_POLICY = (OutputColumn("object", VARCHAR), *POLICY)
_CHANGES = (nodes.Insert, nodes.CreateTableAs, nodes.Delete, nodes.Update, nodes.Merge)
_PLANNED = (tree.QueryStatement, Show, *_CHANGES)


def explain(node: nodes.Explain, context: Context) -> Translated:
    if isinstance(node.statement, tree.Execute | tree.ExecuteImmediate):
        return _of_prepared(node, node.statement, context)
    if node.kind == "POLICY":
        return _policy(node, context)
    inner = translate_node(node.statement, context)
    if node.analyze:
        return _explain_analyze(node, inner)
    if node.kind == "VALIDATE":
        return Translated("SELECT true", _VALID)
    if isinstance(node.statement, ShowStats):
        raise not_supported("EXPLAIN of SHOW STATS", node.at)
    if not isinstance(node.statement, _PLANNED) or not inner.text:
        return _constant(_name_of(node.statement, inner, context))
    if node.kind == "IO" and node.format == "GRAPHVIZ":
        raise Refused("GENERIC_INTERNAL_ERROR", "Unhandled plan type: IO")  # in Trino's words
    if node.kind == "IO" or node.format in ("JSON", "GRAPHVIZ"):
        return _constant(_plan_text(node, inner, context))
    return Translated(f"EXPLAIN {inner.text}", _PLAN)


def _of_prepared(
    node: nodes.Explain, execute: tree.Execute | tree.ExecuteImmediate, context: Context
) -> Translated:
    """The statement that would be executed is explained."""
    if isinstance(execute, tree.Execute):
        text = prepared.text_of_prepared(execute.name, context)
    else:
        text = immediate_text(execute, context.text)
    return prepared.execute(
        text,
        execute.arguments,
        context,
        lambda statement, inside: explain(replace(node, statement=statement), inside),
    )


def _policy(node: nodes.Explain, context: Context) -> Translated:
    """Of a table that is denied there is no translation, but something to be said."""
    try:
        text = translate_node(node.statement, context).text
    except AccessError:
        text = names_alone(node.statement, context)
        if not text:
            raise
    return Translated(f"EXPLAIN POLICY {text or 'SELECT 1'}", _POLICY)


def _explain_analyze(node: nodes.Explain, inner: Translated) -> Translated:
    if not isinstance(node.statement, tree.QueryStatement):
        kind = type(node.statement).__name__
        message = f"EXPLAIN ANALYZE doesn't support statement type: {kind}"
        raise Refused("NOT_SUPPORTED", message)
    return Translated(f"EXPLAIN ANALYZE {inner.text}", _PLAN)


def _constant(text: str) -> Translated:
    return Translated(f"SELECT {string(text)}", _PLAN)


def _name_of(statement: tree.Statement, inner: Translated, context: Context) -> str:
    """What has no plan is said in a line: ``CREATE TABLE lake.s.t``."""
    name = getattr(statement, "name", ())
    if not name or not isinstance(statement, nodes.CreateTable | nodes.Drop | nodes.CreateView):
        return inner.update_type
    return f"{inner.update_type} {Target(*context.table_name(name))}"


def _plan_text(node: nodes.Explain, inner: Translated, context: Context) -> str:
    kind = node.kind or "DISTRIBUTED"
    if isinstance(node.statement, Show):  # over metadata, of which Trino has relations of its own
        raise not_supported(f"EXPLAIN (FORMAT {node.format or 'JSON'}) of SHOW", node.at)
    shape = node.format or "JSON"
    tables = tables_read(node.statement, context, f"EXPLAIN (TYPE {kind}, FORMAT {shape})")
    written = None
    if isinstance(node.statement, _CHANGES):
        written = Target(*context.table_name(node.statement.name))
    if kind == "IO":
        return io_plan(tables, written)
    if node.format == "GRAPHVIZ":
        return graph(kind, tables, written, inner.columns)
    plan = logical_plan if kind == "LOGICAL" else plan_of_fragment
    return plan(tables, written, inner.columns)
