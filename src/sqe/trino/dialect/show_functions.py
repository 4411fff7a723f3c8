"""What SHOW tells of functions that people have written."""

from __future__ import annotations

from sqe.model.names import quote_text
from sqe.model.trino_words import quote_name
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.metadata.relations import FUNCTIONS
from sqe.trino.dialect.nodes import Name
from sqe.trino.dialect.own_functions import signature_of, spark_kind
from sqe.trino.dialect.parser import parse_specification
from sqe.trino.dialect.statements.names import function_target


def create_function_text(name: Name, context: Context) -> str:
    """The query that gives it."""
    target = function_target(context, name, name[0].at)
    known = context.lookup.function(target.catalog, target.schema, target.name)
    if known is None:
        raise Refused("NOT_FOUND", "Function not found", name[0].at)
    if not known.trino:
        what = "SHOW CREATE FUNCTION of one that is written in Spark's SQL"
        raise not_supported(what, name[0].at)
    return f"SELECT {quote_text(f'CREATE {known.trino}')} AS {quote_name('Create Function')}"


def functions_of_schema(name: Name, context: Context) -> tuple[list[list[str]], list[str]]:
    """Rows in Trino's SQL, and the types of their columns."""
    [*before, schema] = [part.name.lower() for part in name]
    catalog = before[0] if before else context.client.catalog.lower()
    rows = []
    for function, known in sorted(context.lookup.functions(catalog, schema).items()):
        kinds = [str(spark_kind(text) or text) for text in (*known.types, known.returns)]
        if known.trino:
            signature = signature_of(parse_specification(known.trino))
            kinds = [str(kind) for kind in (*signature.types, signature.returns)]
        [*types, returns] = kinds
        told = [function, returns, ", ".join(types), "scalar"]
        rows.append(
            [*map(quote_text, told), str(known.deterministic).lower(), quote_text(known.comment)]
        )
    return rows, ["boolean" if one.type.base == "boolean" else "varchar" for one in FUNCTIONS]
