"""DEFAULT of a column: a constant, in Spark's words."""

from __future__ import annotations

from sqe.model.trino_types import TrinoType
from sqe.sql.trino import nodes
from sqe.sql.trino.analyzer import Analyzer
from sqe.sql.trino.casts import coerce
from sqe.sql.trino.coercion import can_coerce
from sqe.sql.trino.context import Context
from sqe.sql.trino.errors import mismatch
from sqe.sql.trino.scope import Scope


def default_text(node: nodes.Expression | None, kind: TrinoType, context: Context) -> str | None:
    """None where there is no default."""
    if node is None:
        return None
    value = Analyzer(context).expression(node, Scope())
    if not can_coerce(value.type, kind):
        message = f"DEFAULT of type {value.type.display} does not fit {kind.display}"
        raise mismatch(message, node.at)
    return coerce(value, kind, node.at).sql
