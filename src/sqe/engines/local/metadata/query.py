"""Runs one SELECT over ``information_schema`` in a locked DuckDB of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify

from sqe.binding.bound import BoundMetadata
from sqe.catalog.listing import ListingFilter
from sqe.engines.local.metadata.conversions import check_types
from sqe.engines.local.metadata.names import name_projections
from sqe.engines.local.metadata.parameters import as_literals, as_parameters
from sqe.engines.local.metadata.proven import check_shape
from sqe.engines.local.metadata.pushdown import listing_filters
from sqe.engines.local.plan import NotLocal
from sqe.errors import ErrorCode, UserError
from sqe.model.query import Column, Parameter
from sqe.results.cancellation import Cancellation
from sqe.results.description import Description
from sqe.results.stream import ResultStream

if TYPE_CHECKING:
    import duckdb

Fetch = Callable[[BoundMetadata, ListingFilter], pa.Table]

_ARROW = {"string": pa.string(), "bigint": pa.int64()}
_SPARK_TYPES: dict[pa.DataType, str] = {
    pa.string(): "string",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.bool_(): "boolean",
    pa.float64(): "double",
}
_SESSION_FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.CurrentCatalog: "current_catalog",
    exp.CurrentSchema: "current_schema",
    exp.CurrentDatabase: "current_schema",
    exp.CurrentUser: "current_user",
}


@dataclass(frozen=True)
class MetadataQuery:
    """``relations`` has each relation under its name as the text spells it.

    ``session_values`` answers current_catalog, current_schema and current_user.
    """

    tree: Any  # sqlglot's, of Spark's dialect
    text: str
    relations: Mapping[tuple[str, ...], BoundMetadata]
    session_values: Mapping[str, str] = field(default_factory=dict)
    parameters: Sequence[Parameter] = ()


@dataclass(frozen=True)
class _Prepared:
    sql: str
    values: Mapping[str, object]  # of the parameters in it, by their names
    tables: Mapping[str, BoundMetadata]
    filters: Mapping[str, ListingFilter]
    ascii_only: bool  # upper and lower case of other letters differ between the engines


def run_metadata_query(
    query: MetadataQuery, fetch: Fetch, cancellation: Cancellation
) -> ResultStream:
    """Raises NotLocal where the answer might not be Spark's."""
    prepared = _prepare(query)
    tables = {
        name: fetch(relation, prepared.filters.get(name, ListingFilter()))
        for name, relation in prepared.tables.items()
    }
    if prepared.ascii_only and not (_asks_ascii(query) and all(map(_is_ascii, tables.values()))):
        raise NotLocal("letters outside ASCII change case differently")
    columns, result = _run(prepared, tables, cancellation)
    return ResultStream(columns, result.schema, result.to_batches())


def describe_metadata_query(query: MetadataQuery) -> Description:
    """The result's columns and schema, without listing anything."""
    prepared = _prepare(query)
    tables = {name: _empty(relation) for name, relation in prepared.tables.items()}
    columns, result = _run(prepared, tables, Cancellation())
    return Description(columns, result.schema)


def _prepare(query: MetadataQuery) -> _Prepared:
    if not isinstance(query.tree, exp.Query):
        raise NotLocal("not a query")
    tree = query.tree.copy()
    as_literals(tree, query.parameters, _names_a_column)
    _answer_session_functions(tree, query.session_values)
    tables = _replace_tables(tree, query.relations)
    check_shape(tree)
    schema: dict[str, object] = {}
    schema |= {name: {c.name: c.type for c in rel.columns} for name, rel in tables.items()}
    try:
        qualified = qualify(tree.copy(), schema=schema, dialect="spark")
        qualified = annotate_types(qualified, schema=schema, dialect="spark")
    except SqlglotError as error:
        _refuse_unknown_columns(tree, tables)
        raise NotLocal(str(error)) from error
    check_types(qualified)
    _check_inner_names(qualified)
    name_projections(tree, query.text)
    sql, values = _duckdb_sql(tree, query.parameters)
    return _Prepared(
        sql=sql,
        values=values,
        tables=tables,
        filters=listing_filters(qualified),
        ascii_only=tree.find(exp.Upper, exp.Lower, exp.ILike) is not None,
    )


def _answer_session_functions(tree: exp.Expr, values: Mapping[str, str]) -> None:
    for node in list(tree.find_all(*_SESSION_FUNCTIONS)):
        value = values.get(_SESSION_FUNCTIONS[type(node)])
        if value is None or _names_a_column(node):
            raise NotLocal(f"{node.key} is not answered here")
        node.replace(exp.Literal.string(value))


def _names_a_column(node: exp.Expr) -> bool:
    """Whether the node is part of a select list's unnamed column, whose name is the text itself."""
    while node.parent is not None and not isinstance(node.parent, exp.Select):
        node = node.parent
    return node.arg_key == "expressions" and not isinstance(node, exp.Alias)


def _replace_tables(
    tree: exp.Expr, relations: Mapping[tuple[str, ...], BoundMetadata]
) -> dict[str, BoundMetadata]:
    """Puts a name of its own in the place of each relation, under the alias it had."""
    tables: dict[str, BoundMetadata] = {}
    by_last: dict[str, set[tuple[str, ...]]] = {}
    for node in list(tree.find_all(exp.Table)):
        parts = tuple(part.name for part in node.parts)
        if len(parts) == 1 and _is_cte(node):
            continue
        relation = relations.get(parts)
        odd = [k for k, v in node.args.items() if v and k not in ("this", "db", "catalog", "alias")]
        if relation is None or odd:
            raise NotLocal("a relation outside information_schema")
        name = f"__sqe_metadata_{len(tables)}"
        tables[name] = relation
        by_last.setdefault(parts[-1].lower(), set()).add((relation.catalog, relation.table))
        alias = node.args.get("alias") or exp.TableAlias()
        if not alias.this:
            alias.set("this", exp.to_identifier(parts[-1], quoted=True))
        node.replace(exp.Table(this=exp.to_identifier(name, quoted=True), alias=alias))
    for column in tree.find_all(exp.Column):
        if column.args.get("db"):
            if len(by_last.get(column.table.lower(), ())) != 1:
                raise NotLocal("a qualifier that fits several relations")
            column.set("db", None)
            column.set("catalog", None)
    return tables


def _is_cte(table: exp.Table) -> bool:
    """Whether a WITH around the name defines it, before the place where it stands."""
    inside: exp.Expr | None = table
    while inside is not None:
        clause = inside.args.get("with_")
        if clause is not None:
            for cte in clause.expressions:
                if any(cte is ancestor for ancestor in _ancestors(table)):
                    break
                if cte.alias.lower() == table.name.lower():
                    return True
        inside = inside.parent
    return False


def _ancestors(node: exp.Expr) -> list[exp.Expr]:
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def _refuse_unknown_columns(tree: exp.Expr, tables: Mapping[str, BoundMetadata]) -> None:
    """A column that no relation has and no alias names is the user's mistake."""
    known = {column.name for relation in tables.values() for column in relation.columns}
    made = {node.alias.lower() for node in tree.find_all(exp.Alias)}
    made |= {part.name.lower() for a in tree.find_all(exp.TableAlias) for part in a.columns}
    for column in tree.find_all(exp.Column):
        name = column.name.lower()
        if column.is_star or name in known or name in made or name.startswith("current_"):
            continue
        near = get_close_matches(name, sorted(known | made), n=1)
        raise UserError(
            ErrorCode.COLUMN_NOT_FOUND,
            f"There is no column {column.name}.",
            hint=f"Did you mean {near[0]}?" if near else "",
        )


def _check_inner_names(tree: exp.Expr) -> None:
    """DuckDB renames the second of two columns of one name in a derived table."""
    for select in tree.find_all(exp.Select):
        names = [projection.alias_or_name.lower() for projection in select.expressions]
        if select.parent is not None and len(names) != len(set(names)):
            raise NotLocal("a derived table with two columns of one name")


def _duckdb_sql(
    tree: exp.Expr, parameters: Sequence[Parameter]
) -> tuple[str, Mapping[str, object]]:
    """The tree in DuckDB's dialect, with Spark's result types; values by their names in it."""
    tree = tree.copy()
    for node in list(tree.find_all(exp.Sum, exp.Length)):
        target = "BIGINT" if isinstance(node, exp.Sum) else "INT"
        cast = exp.Cast(to=exp.DataType.build(target))
        node.replace(cast)
        cast.set("this", node)
    for like in list(tree.find_all(exp.Like, exp.ILike)):
        if "\\" in like.expression.name:
            escape = exp.Escape(expression=exp.Literal.string("\\"))
            like.replace(escape)
            escape.set("this", like)
    values = as_parameters(tree, parameters)
    return tree.sql(dialect="duckdb", identify=True), values


def _run(
    prepared: _Prepared, tables: Mapping[str, pa.Table], cancellation: Cancellation
) -> tuple[tuple[Column, ...], pa.Table]:
    import duckdb

    connection = _locked()
    try:
        cancellation.on_cancel(lambda: _interrupt(connection))
        for name, table in tables.items():
            connection.register(name, table)
        result = connection.execute(prepared.sql, prepared.values or None).to_arrow_table()
    except duckdb.Error as error:
        cancellation.check()
        raise NotLocal(str(error)) from error
    finally:
        connection.close()
    cancellation.check()
    if any(part.type not in _SPARK_TYPES for part in result.schema):
        raise NotLocal("a result type that is not Spark's")
    return tuple(Column(part.name, _SPARK_TYPES[part.type]) for part in result.schema), result


def _interrupt(connection: duckdb.DuckDBPyConnection) -> None:
    import duckdb

    with suppress(duckdb.Error):  # it may be closed already
        connection.interrupt()


def _locked() -> duckdb.DuckDBPyConnection:
    """A database that can reach nothing but what is registered with it."""
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": "1",
            "memory_limit": "256MB",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _asks_ascii(query: MetadataQuery) -> bool:
    return query.text.isascii() and all(str(one.value).isascii() for one in query.parameters)


def _is_ascii(table: pa.Table) -> bool:
    return all(
        pc.all(pc.string_is_ascii(column), min_count=0).as_py() is not False
        for column in table.columns
        if column.type == pa.string()
    )


def _empty(relation: BoundMetadata) -> pa.Table:
    schema = pa.schema([pa.field(c.name, _ARROW[c.type]) for c in relation.columns])
    return schema.empty_table()
