"""SHOW and DESCRIBE, rewritten to queries as Trino itself does it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from sqe.model.names import quote_text
from sqe.model.trino_words import quote_name
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.metadata.relations import FUNCTIONS, FUNCTIONS_NAME, SYSTEM
from sqe.trino.dialect.nodes import Name
from sqe.trino.dialect.show_create import create_text
from sqe.trino.dialect.show_functions import create_function_text, functions_of_schema
from sqe.trino.dialect.statements.access import NO_ROLES
from sqe.trino.dialect.statements.names import check_catalog, find, relation_of, target_of
from sqe.trino.dialect.statements.session_nodes import Show
from sqe.trino.dialect.statements.session_properties import properties

_GRANTS = {
    "grantor": "Grantor",
    "grantor_type": "Grantor Type",
    "grantee": "Grantee",
    "grantee_type": "Grantee Type",
    "table_catalog": "Catalog",
    "table_schema": "Schema",
    "table_name": "Table",
    "privilege_type": "Privilege",
    "is_grantable": "Grantable",
    "with_hierarchy": "With Hierarchy",
}
# What their column is called, and the relation of information_schema that they are in.
_ROLES = {
    "ROLES": ("Role", "roles"),
    "CURRENT ROLES": ("Role", "enabled_roles"),
    "ROLE GRANTS": ("Role Grants", "applicable_roles"),
}


def rewrite_show(node: Show, context: Context) -> str:
    """A query in Trino's SQL that gives the answer under Trino's names and types."""
    return _FORMS[node.what](node, context)


def _like(column: str, node: Show) -> list[str]:
    if node.pattern is None:
        return []
    escape = f" ESCAPE {quote_text(node.escape)}" if node.escape is not None else ""
    return [f"{column} LIKE {quote_text(node.pattern)}{escape}"]


def _select(
    columns: Mapping[str, str], source: str, conditions: Iterable[str], order: str = ""
) -> str:
    """``columns``: what is selected, and the name it gets."""
    items = ", ".join(f"{expression} AS {quote_name(name)}" for expression, name in columns.items())
    where = " AND ".join(conditions)
    text = f"SELECT {items} FROM {source}"
    return text + (f" WHERE {where}" if where else "") + (f" ORDER BY {order}" if order else "")


def _values(rows: Sequence[Sequence[str]], columns: Sequence[str]) -> str:
    listed = ", ".join(f"({', '.join(row)})" for row in rows)
    return f"(VALUES {listed}) AS t ({', '.join(columns)})"


def _no_rows(columns: Mapping[str, str]) -> str:
    """No rows. ``columns``: names and types."""
    items = (f"CAST(NULL AS {kind}) AS {quote_name(name)}" for name, kind in columns.items())
    return f"SELECT {', '.join(items)} WHERE false"


def _information(catalog: str, table: str) -> str:
    return f"{quote_name(catalog)}.information_schema.{table}"


def _catalogs(node: Show, context: Context) -> str:
    names = [[quote_text(name)] for name in sorted(context.lookup.catalogs())]
    return _select(
        {"catalog": "Catalog"}, _values(names, ["catalog"]), _like("catalog", node), "catalog"
    )


def _schemas(node: Show, context: Context) -> str:
    if node.name is not None:
        catalog = node.name[0].name.lower()
    else:
        catalog = context.client.catalog.lower() or _no_catalog(node)
    if catalog not in context.lookup.catalogs():
        raise Refused("CATALOG_NOT_FOUND", f"Catalog '{catalog}' not found")
    source = _information(catalog, "schemata")
    return _select({"schema_name": "Schema"}, source, _like("schema_name", node), "schema_name")


def _tables(node: Show, context: Context) -> str:
    catalog, schema = _schema(node, context)
    check_catalog(context, catalog, node.at)
    if not context.lookup.schema_exists(catalog, schema):
        raise Refused("SCHEMA_NOT_FOUND", f"Schema '{schema}' does not exist", node.at)
    conditions = [f"table_schema = {quote_text(schema)}", *_like("table_name", node)]
    source = _information(catalog, "tables")
    return _select({"table_name": "Table"}, source, conditions, "table_name")


def _schema(node: Show, context: Context) -> tuple[str, str]:
    parts = [part.name.lower() for part in node.name or ()]
    if len(parts) > 2:
        message = f"Too many parts in schema name: {'.'.join(parts)}"
        raise Refused("SYNTAX_ERROR", message, node.at)
    catalog = parts[0] if len(parts) == 2 else context.client.catalog.lower()
    schema = parts[-1] if parts else context.client.schema.lower()
    if not schema and catalog:
        message = "Schema must be specified when session schema is not set"
        raise Refused("MISSING_SCHEMA_NAME", message, node.at)
    return catalog or _no_catalog(node), schema


def _no_catalog(node: Show) -> str:
    message = "Catalog must be specified when session catalog is not set"
    raise Refused("MISSING_CATALOG_NAME", message, node.at)


def _columns(node: Show, context: Context) -> str:
    """From what is known of the relation: to list its columns it would have to be loaded again."""
    rows = [
        (
            str(position),
            quote_text(column.name.lower()),
            quote_text(column.type.display),
            quote_text(column.comment),
        )
        for position, column in enumerate(relation_of(context, _name_of(node), node.at)[1].columns)
        if not column.hidden
    ]
    columns = {
        "CAST(name AS varchar)": "Column",
        "CAST(type AS varchar)": "Type",
        "CAST('' AS varchar)": "Extra",
        "CAST(remark AS varchar)": "Comment",
    }
    source = _values(rows, ["place", "name", "type", "remark"])
    return _select(columns, source, _like("name", node), "place")


def _create(node: Show, context: Context) -> str:
    kind = node.what.removeprefix("CREATE ").title()
    text = quote_text(create_text(node, context))
    return f"SELECT {text} AS {quote_name(f'Create {kind}')}"


def _name_of(node: Show) -> Name:
    if node.name is None:
        raise not_supported(f"SHOW {node.what} without a name", node.at)
    return node.name


def _functions(node: Show, context: Context) -> str:
    names = [column.name for column in FUNCTIONS]
    titles = [name.replace("_", " ").title() for name in names]
    titles[0] = "Function"
    if node.name is not None:
        values, kinds = functions_of_schema(node.name, context)
        if not values:
            return _no_rows(dict(zip(titles, kinds, strict=True)))
        source = _values(values, [quote_name(title) for title in titles])
        return _select(
            {quote_name(title): title for title in titles}, source, _like('"Function"', node), "1"
        )
    source = f"system.metadata.{quote_name(FUNCTIONS_NAME)}"
    order = "lower(function_name), return_type, argument_types, function_type"
    columns = dict(zip(names, titles, strict=True))
    return _select(columns, source, _like("function_name", node), order)


def _session(node: Show, context: Context) -> str:
    catalogs = [name for name in context.lookup.catalogs() if name != SYSTEM]
    rows = []
    for property_ in properties(catalogs):
        if not property_.hidden:
            value = context.client.properties.get(property_.name, property_.default)
            told = (property_.name, value, property_.default, property_.type, property_.description)
            rows.append([quote_text(text) for text in told])
    titles = ["Name", "Value", "Default", "Type", "Description"]
    names = [f'"{title.lower()}"' for title in titles]
    columns = dict(zip(names, titles, strict=True))
    return _select(columns, _values(rows, names), _like('"name"', node))


def _grants(node: Show, context: Context) -> str:
    conditions = []
    if node.name is not None:
        target = target_of(context, node.name, node.at)
        if find(context, target) is None:
            message = f"Table 'Optional[{target}]' does not exist"  # Trino's words, so they are
            raise Refused("TABLE_NOT_FOUND", message, node.at)
        catalog = target.catalog
        conditions = [
            f"table_schema = {quote_text(target.schema)}",
            f"table_name = {quote_text(target.name)}",
        ]
    else:
        catalog = context.client.catalog.lower() or _no_catalog(node)
    return _select(_GRANTS, _information(catalog, "table_privileges"), conditions)


def _roles(node: Show, context: Context) -> str:
    if node.name is not None:
        check_catalog(context, node.name[0].name.lower(), node.at)
        raise Refused("NOT_SUPPORTED", NO_ROLES)
    title, table = _ROLES[node.what]
    if not context.grants:
        return _no_rows({title: "varchar"})
    mine = [f"grantee = {quote_text(context.user)}"] if table == "applicable_roles" else []
    return _select({"role_name": title}, _information(SYSTEM, table), mine, "role_name")


def _branches(node: Show, context: Context) -> str:
    _, known = relation_of(context, _name_of(node), node.at)
    if known.kind != "TABLE":
        raise not_supported(f"SHOW BRANCHES of a {known.kind.lower()}", node.at)
    refs: Mapping[str, Mapping[str, str]] = known.metadata.get("refs") or {}
    names = sorted(name for name, ref in refs.items() if ref.get("type") == "branch")
    if not names:
        return _no_rows({"Branch": "varchar"})
    rows = [[f"CAST({quote_text(name)} AS varchar)"] for name in names]
    return _select({"name": "Branch"}, _values(rows, ["name"]), (), "name")


_FORMS: Mapping[str, Callable[[Show, Context], str]] = {
    "CATALOGS": _catalogs,
    "SCHEMAS": _schemas,
    "TABLES": _tables,
    "COLUMNS": _columns,
    "FUNCTIONS": _functions,
    "SESSION": _session,
    "GRANTS": _grants,
    "ROLES": _roles,
    "CURRENT ROLES": _roles,
    "ROLE GRANTS": _roles,
    "BRANCHES": _branches,
    "CREATE TABLE": _create,
    "CREATE VIEW": _create,
    "CREATE SCHEMA": _create,
    "CREATE MATERIALIZED VIEW": _create,
    "CREATE FUNCTION": lambda node, context: create_function_text(_name_of(node), context),
}
