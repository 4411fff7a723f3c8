"""Trino's text to Spark's. Raises what is wrong with it under Trino's names."""

from __future__ import annotations

from sqe.trino.dialect import nodes, prepared
from sqe.trino.dialect.analyzer import Analyzer
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.functions.load import load
from sqe.trino.dialect.parser import immediate_text, parse, parse_query
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.show import rewrite_show
from sqe.trino.dialect.statements.session_nodes import Show
from sqe.trino.dialect.translated import OutputColumn, Translated
from sqe.trino.dialect.zones import with_one_zone

load()


def translate(context: Context) -> Translated:
    """``context.text`` as Spark's SQL with Trino's columns."""
    try:
        node = parse(context.text)
        prepared.check_complete(node, context.text)
        return translate_node(node, context)
    except Refused as error:
        raise error.to_error(context.text) from None
    except RecursionError:
        raise Refused("STATEMENT_TOO_COMPLEX", "The statement is nested too deeply").to_error(
            context.text
        ) from None


def translate_node(node: nodes.Statement, context: Context) -> Translated:
    if isinstance(node, nodes.QueryStatement):
        return query(node.query, context)
    if isinstance(node, nodes.Prepare):
        return prepared.prepare(node, context)
    if isinstance(node, nodes.Deallocate):
        return prepared.deallocate(node, context)
    if isinstance(node, nodes.Execute):
        text = prepared.text_of_prepared(node.name, context)
        return prepared.execute(text, node.arguments, context, translate_node)
    if isinstance(node, nodes.ExecuteImmediate):
        text = immediate_text(node, context.text)
        return prepared.execute(text, node.arguments, context, translate_node)
    if isinstance(node, nodes.DescribePrepared):
        text = prepared.text_of_prepared(node.name, context)
        if node.what == "INPUT":
            described = prepared.describe_input(text, context, translate_node)
            return query(parse_query(described), context)
        described = prepared.describe_output(text, context, translate_node)
        return query(parse_query(described), context)
    if isinstance(node, Show):
        return _translate_show(node, context)
    from sqe.trino.dialect.statements.translate import translate_statement

    return translate_statement(node, context)


def query(node: nodes.Query, context: Context) -> Translated:
    built = Analyzer(context).queries.query(node, Scope())
    columns = tuple(
        OutputColumn(
            column.name if column.name is not None else f"_col{i}",
            with_one_zone(column.type),
            column.origin,
        )
        for i, column in enumerate(built.columns)
    )
    return Translated(built.text, columns)


def _translate_show(node: Show, context: Context) -> Translated:
    """SHOW is a query over metadata, as it is in Trino."""
    return query(parse_query(rewrite_show(node, context)), context)
