"""EXPLAIN: the engine's plan of the translated statement, or what it reads and writes."""

from __future__ import annotations

import json
from typing import Any

from sqe.model.trino_types import BOOLEAN, VARCHAR
from sqe.sql.trino import nodes as tree
from sqe.sql.trino.context import Context
from sqe.sql.trino.errors import Refused, not_supported
from sqe.sql.trino.statements import nodes
from sqe.sql.trino.statements.names import Target, find
from sqe.sql.trino.translate import translate_node
from sqe.sql.trino.translated import OutputColumn, Translated
from sqe.sql.trino.tree import walk
from sqe.sql.trino.typed import string

_PLAN = (OutputColumn("Query Plan", VARCHAR),)
_VALID = (OutputColumn("Valid", BOOLEAN),)
# Rows and bytes are not estimated; Trino says so in the same way.
_UNKNOWN = dict.fromkeys(
    ("outputRowCount", "outputSizeInBytes", "cpuCost", "maxMemory", "networkCost"), "NaN"
)
_CHANGES = (nodes.Insert, nodes.CreateTableAs, nodes.Delete, nodes.Update, nodes.Merge)
_PLANNED = (tree.QueryStatement, *_CHANGES)


def explain(node: nodes.Explain, context: Context) -> Translated:
    inner = translate_node(node.statement, context)
    if node.analyze:
        return _analyzed(node, inner)
    if node.kind == "VALIDATE":
        return Translated("SELECT true", _VALID)
    if node.kind == "IO":
        return _constant(_json(_reads_and_writes(node.statement, context)))
    if node.format in ("JSON", "GRAPHVIZ"):
        raise not_supported(f"EXPLAIN (FORMAT {node.format})", node.at)
    if isinstance(node.statement, _PLANNED) and inner.text:
        return Translated(f"EXPLAIN {inner.text}", _PLAN)
    return _constant(_named(node.statement, inner, context))


def _analyzed(node: nodes.Explain, inner: Translated) -> Translated:
    if not isinstance(node.statement, tree.QueryStatement):
        kind = type(node.statement).__name__
        message = f"EXPLAIN ANALYZE doesn't support statement type: {kind}"
        raise Refused("NOT_SUPPORTED", message)
    return Translated(f"EXPLAIN ANALYZE {inner.text}", _PLAN)


def _constant(text: str) -> Translated:
    return Translated(f"SELECT {string(text)}", _PLAN)


def _named(statement: tree.Statement, inner: Translated, context: Context) -> str:
    """What has no plan is said in a line: ``CREATE TABLE lake.s.t``."""
    name = getattr(statement, "name", ())
    if not name or not isinstance(statement, nodes.CreateTable | nodes.Drop | nodes.CreateView):
        return inner.update_type
    return f"{inner.update_type} {Target(*context.table_name(name))}"


def _reads_and_writes(statement: tree.Statement, context: Context) -> dict[str, Any]:
    tables = []
    for node in walk(statement, into_queries=True):
        if not isinstance(node, tree.TableRef) or _is_bare(node, context):
            continue
        target = Target(*context.table_name(node.name))
        known = find(context, target)
        if known is not None and known.kind == "VIEW":
            raise not_supported("EXPLAIN (TYPE IO) of a view", node.at)
        if known is not None and target not in tables:
            tables.append(target)
    constraint = {"none": False, "columnConstraints": []}
    found: dict[str, Any] = {
        "inputTableColumnInfos": [
            {"table": _table(one), "constraint": constraint, "estimate": _UNKNOWN} for one in tables
        ]
    }
    if isinstance(statement, _CHANGES):
        found["outputTable"] = _table(Target(*context.table_name(statement.name)))
    return {**found, "estimate": _UNKNOWN}


def _is_bare(node: tree.TableRef, context: Context) -> bool:
    """A name that only WITH can have given."""
    return len(node.name) == 1 and not context.client.schema


def _table(target: Target) -> dict[str, Any]:
    schema_table = {"schema": target.schema, "table": target.name}
    return {"catalog": target.catalog, "schemaTable": schema_table}


def _json(value: dict[str, Any]) -> str:
    """With blanks on both sides of colons, as Trino's."""
    return json.dumps(value, indent=2, separators=(",", " : "))
