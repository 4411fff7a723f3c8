"""DEFAULT of a column: a constant, in Spark's words."""

from __future__ import annotations

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect import nodes
from sqe.trino.dialect.analyzer import Analyzer
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import can_coerce
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import mismatch
from sqe.trino.dialect.scope import Scope


def default_text(node: nodes.Expression | None, kind: TrinoType, context: Context) -> str | None:
    """None where there is no default."""
    if node is None:
        return None
    value = Analyzer(context).expression(node, Scope())
    if not can_coerce(value.type, kind):
        message = f"DEFAULT of type {value.type.display} does not fit {kind.display}"
        raise mismatch(message, node.at)
    return coerce(value, kind, node.at).sql
