"""Expressions of policies in Trino's dialect (rules.json, OPA), as Spark's SQL."""

from __future__ import annotations

import contextvars
import datetime
from collections.abc import Sequence

from sqe.binding.bound import BoundTable, BoundView
from sqe.errors import SqeError
from sqe.model.identity import Identity
from sqe.model.names import quote
from sqe.model.query import ClientState
from sqe.rewrite.expressions import spark_expression
from sqe.rewrite.unfit import Unfit
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import Span
from sqe.trino.dialect.analyzer import Analyzer
from sqe.trino.dialect.context import Context, Lookup
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.functions.load import load
from sqe.trino.dialect.lexer import END, SYMBOL, WORD, tokenize
from sqe.trino.dialect.parser import parse_expression
from sqe.trino.dialect.scope import Field, Scope
from sqe.trino.metadata.columns import trino_columns


def trino_expression(
    sql: str, kind: str, target: BoundTable | BoundView, lookup: Lookup, identity: Identity
) -> str:
    """``kind`` is the type that is wanted: boolean of a filter, the column's of a mask."""
    load()
    try:
        text = _with_groups(sql, sorted(identity.groups))
        # The session's time zone is kept beside the call, and is the user's to choose: not here.
        written = contextvars.copy_context().run(_translate, text, kind, target, lookup, identity)
    except (Refused, SqeError, ValueError, RecursionError) as error:
        raise Unfit(str(error)) from error
    return spark_expression(written, identity)


def _translate(
    text: str, kind: str, target: BoundTable | BoundView, lookup: Lookup, identity: Identity
) -> str:
    relation = target.name if isinstance(target, BoundTable) else target.relation
    if relation is None:
        raise Unfit("a temporary view has no policy")
    qualifier = tuple(part.lower() for part in relation.parts)
    fields = tuple(
        Field(column.name, column.type, quote(stored.name), qualifier)
        for column, stored in zip(trino_columns(target.metadata), target.columns, strict=True)
    )
    client = ClientState(catalog=relation.catalog, schema=".".join(relation.schema.path))
    now = datetime.datetime.now(datetime.UTC)
    context = Context(text, client, identity.user, lookup, now)
    analyzer = Analyzer(context)
    node = parse_expression(text)
    if kind == "boolean":
        return analyzer.condition(node, Scope(fields), "A filter").sql
    return analyzer.expression(node, Scope(fields)).sql


def _with_groups(sql: str, groups: Sequence[str]) -> str:
    """``current_groups()`` as what it is for this reader."""
    listed = ", ".join("'" + group.replace("'", "''") + "'" for group in groups)
    value = f"ARRAY[{listed}]" if groups else "CAST(ARRAY[] AS array(varchar))"
    tokens = tokenize(sql)
    edits = []
    for token, opens, closes in zip(tokens, tokens[1:], tokens[2:], strict=False):
        called = opens.kind == closes.kind == SYMBOL and (opens.text, closes.text) == ("(", ")")
        if token.kind == WORD and token.word == "CURRENT_GROUPS" and called:
            edits.append(Edit(Span(token.at, closes.at + 1), value))
        elif token.kind == SYMBOL and token.text in (";", "?"):
            raise Unfit("it is not one expression")
    if tokens[0].kind == END:
        raise Unfit("it is empty")
    return splice(sql, edits).text
