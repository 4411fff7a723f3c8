"""CREATE FUNCTION and DROP FUNCTION.

What is kept is both: the function in Trino's SQL, which statements in Trino's SQL call, and its
body in Spark's, for all others and to be planned when it is made.
"""

from __future__ import annotations

from dataclasses import replace

from sqe.model.functions import TRINO_FUNCTION, TRINO_ONLY
from sqe.model.trino_types import VARCHAR, TrinoType, timestamp
from sqe.sql.session_calls import session_calls
from sqe.trino.dialect.analyzer import Analyzer
from sqe.trino.dialect.calls import SPECIAL
from sqe.trino.dialect.casts import parse_cast_type
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.functions.registry import functions_named, trinos_own
from sqe.trino.dialect.own_functions import check_body, signature_of, spark_kind
from sqe.trino.dialect.parser import parse_specification
from sqe.trino.dialect.statements.names import function_target
from sqe.trino.dialect.statements.nodes import CreateFunction, DropFunction
from sqe.trino.dialect.statements.table_properties import assignments
from sqe.trino.dialect.statements.tables import comment_clause
from sqe.trino.dialect.translated import Translated
from sqe.trino.dialect.typed import quote_name, spark_type
from sqe.trino.dialect.zones import MATERIALIZED_VIEW


def create_function(node: CreateFunction, context: Context) -> Translated:
    function = node.function
    target = function_target(context, function.name, node.at)
    name = target.name
    if functions_named(name) or name in SPECIAL or name in trinos_own():
        raise not_supported(f"A function named {name}, as one of Trino's", node.at)
    if context.lookup.function(target.catalog, target.schema, name) and not node.or_replace:
        raise Refused("ALREADY_EXISTS", "Function already exists", node.at)
    # As of a materialized view, nothing of this session becomes part of it.
    analyzer = Analyzer(replace(context, stored=MATERIALIZED_VIEW))
    try:
        signature, body = check_body(analyzer, function)
    except Refused as error:
        told = error.message.replace("in a materialized view", "in a function that is kept")
        raise Refused(error.name, told, error.at) from None
    if session_calls(body.sql):
        raise not_supported("The current time or user in a function that is kept", node.at)
    parameters = ", ".join(
        f"{quote_name(parameter.name)} {spark_type(kind, parameter.at)}"
        for parameter, kind in zip(function.parameters, signature.types, strict=True)
    )
    said = {TRINO_FUNCTION: function.text}
    if not all(_is_sparks(kind) for kind in (*signature.types, signature.returns)):
        said[TRINO_ONLY] = "true"
    text = f"CREATE {'OR REPLACE ' if node.or_replace else ''}FUNCTION {target.spark}({parameters})"
    text += f" RETURNS {spark_type(signature.returns, node.at)}"
    if function.deterministic is not None:
        text += " DETERMINISTIC" if function.deterministic else " NOT DETERMINISTIC"
    text += f"{comment_clause(function.comment)} TBLPROPERTIES ({assignments(said)})"
    return Translated(f"{text} RETURN {_with_nulls(body.sql, node)}", update_type="CREATE FUNCTION")


def _with_nulls(body: str, node: CreateFunction) -> str:
    names = [quote_name(parameter.name) for parameter in node.function.parameters]
    if not (node.function.null_on_null and names):
        return body
    nulls = " OR ".join(f"{name} IS NULL" for name in names)
    return f"CASE WHEN {nulls} THEN NULL ELSE {body} END"


def _is_sparks(kind: TrinoType) -> bool:
    """A value of Spark's type is a value of this one."""
    if kind.types or kind.fields:
        return all(_is_sparks(inside) for inside in (*kind.types, *(f.type for f in kind.fields)))
    if kind.base in ("varchar", "timestamp"):
        return kind in (VARCHAR, timestamp(6))
    return kind.base == "decimal" or spark_kind(spark_type(kind, 0)) == kind


def drop_function(node: DropFunction, context: Context) -> Translated:
    target = function_target(context, node.name, node.at)
    known = context.lookup.function(target.catalog, target.schema, target.name)
    types = [parse_cast_type(text, node.at) for text in node.types]
    if known is not None:
        own = [spark_kind(text) for text in known.types]
        if known.trino:
            own = [*signature_of(parse_specification(known.trino)).types]
        if own != types:
            known = None
    if known is None and not node.if_exists:
        raise Refused("NOT_FOUND", "Function not found", node.at)
    text = f"DROP FUNCTION IF EXISTS {target.spark}" if known is not None else ""
    return Translated(text, update_type="DROP FUNCTION")
