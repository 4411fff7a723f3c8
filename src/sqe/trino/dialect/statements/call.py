"""CALL of the procedures that a catalog or the system has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.statements.constants import Constant, constant, type_name
from sqe.trino.dialect.statements.names import Target, check_catalog, find_changed
from sqe.trino.dialect.statements.nodes import CallProcedure
from sqe.trino.dialect.translated import Translated
from sqe.trino.dialect.typed import quote_name, string

_TEXT, _WHOLE = "varchar", "bigint"
_QUERY_ID = re.compile(r"[_a-z0-9]+\Z")
Values = Mapping[str, Constant]


@dataclass(frozen=True)
class _Procedure:
    """``parameters`` by their names; those of ``optional`` may be left out."""

    parameters: Mapping[str, str]
    write: Callable[[str, Values, Context], str]
    optional: tuple[str, ...] = ()


def call(node: CallProcedure, context: Context) -> Translated:
    catalog, schema, name = _full_name(node, context)
    check_catalog(context, catalog, node.at)
    if (catalog, schema, name) == ("system", "runtime", "kill_query"):
        return _kill(node, context)
    if schema != "system" or name not in _PROCEDURES:
        if schema == "system" and name in _REFUSED:
            raise not_supported(f"CALL system.{name}", node.at)
        raise Refused("PROCEDURE_NOT_FOUND", f"Procedure not registered: {schema}.{name}")
    procedure = _PROCEDURES[name]
    values = _values(node, procedure.parameters, procedure.optional, context)
    text = procedure.write(catalog, values, context)
    return Translated("", update_type="CALL", then=(text,))


def _kill(node: CallProcedure, context: Context) -> Translated:
    values = _values(node, {"query_id": _TEXT, "message": _TEXT}, ("message",), context)
    query_id = str(values["query_id"])
    if not _QUERY_ID.match(query_id):
        raise Refused("INVALID_PROCEDURE_ARGUMENT", f"Invalid id {query_id}")
    message = str(values.get("message") or "")
    text = f"KILL QUERY {string(query_id)} MESSAGE {string(message)}"
    return Translated("", update_type="CALL", then=(text,))


def _full_name(node: CallProcedure, context: Context) -> tuple[str, str, str]:
    parts = [part.name.lower() for part in node.name]
    client = context.client
    if len(parts) > 3:
        raise Refused("PROCEDURE_NOT_FOUND", f"Procedure not registered: {'.'.join(parts)}")
    if len(parts) < 3 and not client.catalog:
        message = "Catalog must be specified when session catalog is not set"
        raise Refused("MISSING_CATALOG_NAME", message, node.at)
    if len(parts) < 2 and not client.schema:
        message = "Schema must be specified when session schema is not set"
        raise Refused("MISSING_SCHEMA_NAME", message, node.at)
    missing = [client.catalog.lower(), client.schema.lower()][: 3 - len(parts)]
    catalog, schema, name = (*missing, *parts)
    return catalog, schema, name


def _values(
    node: CallProcedure,
    parameters: Mapping[str, str],
    optional: tuple[str, ...],
    context: Context,
) -> Values:
    values: dict[str, Constant] = {}
    order = list(parameters)
    named = [argument for argument in node.arguments if argument.name is not None]
    if named and len(named) < len(node.arguments):
        message = "Named and positional arguments cannot be mixed"
        raise Refused("INVALID_ARGUMENTS", message, node.at)
    if len(node.arguments) > len(order):
        raise Refused("INVALID_ARGUMENTS", "Too many arguments for procedure", node.at)
    for i, argument in enumerate(node.arguments):
        name = argument.name.name.lower() if argument.name is not None else order[i]
        if name not in parameters:
            message = f"Unknown argument name: {name.upper()}"
            raise Refused("INVALID_ARGUMENTS", message, argument.at)
        if name in values:
            message = f"Duplicate procedure argument: {name.upper()}"
            raise Refused("INVALID_ARGUMENTS", message, argument.at)
        value = constant(argument.value, context)
        kind = parameters[name]
        if value is not None and not isinstance(value, str if kind == _TEXT else int):
            raise mismatch(f"Cannot cast type {type_name(value)} to {kind}", argument.at)
        values[name] = value
    for name in order:
        if name not in values and name not in optional:
            message = f"Required procedure argument '{name.upper()}' is missing"
            raise Refused("INVALID_ARGUMENTS", message, node.at)
    return values


def _target(catalog: str, values: Values, table: str = "table") -> Target:
    schema = values.get("schema", values.get("schema_name"))
    return Target(catalog, str(schema).lower(), str(values[table]).lower())


def _require_table(catalog: str, values: Values, context: Context, table: str = "table") -> Target:
    target = _target(catalog, values, table)
    known = find_changed(context, target)
    if known is None or known.kind != "TABLE":
        raise Refused("NOT_FOUND", f"Table '{target.schema}.{target.name}' not found")
    return target


def _spark(target: Target, procedure: str, *arguments: str) -> str:
    arguments_text = ", ".join((f"table => {string(target.argument)}", *arguments))
    return f"CALL {quote_name(target.catalog)}.system.{procedure}({arguments_text})"


def _rollback(catalog: str, values: Values, context: Context) -> str:
    target = _require_table(catalog, values, context)
    return _spark(target, "rollback_to_snapshot", f"snapshot_id => {values['snapshot_id']}")


def _register(catalog: str, values: Values, context: Context) -> str:
    """Trino looks for the newest metadata file; SQE wants to be told which one it is."""
    file = values.get("metadata_file_name")
    if file is None:
        raise Refused("NOT_SUPPORTED", "register_table without metadata_file_name")
    target = _target(catalog, values, "table_name")
    if find_changed(context, target) is not None:
        message = f"Table '{target.schema}.{target.name}' already exists"
        raise Refused("TABLE_ALREADY_EXISTS", message)
    location = str(values["table_location"]).rstrip("/")
    path = f"{location}/metadata/{file}"
    return _spark(target, "register_table", f"metadata_file => {string(path)}")


def _unregister(catalog: str, values: Values, context: Context) -> str:
    """Without PURGE: the files stay."""
    return f"DROP TABLE {_require_table(catalog, values, context, 'table_name').spark}"


_PROCEDURES: dict[str, _Procedure] = {
    "rollback_to_snapshot": _Procedure(
        {"schema": _TEXT, "table": _TEXT, "snapshot_id": _WHOLE}, _rollback
    ),
    "register_table": _Procedure(
        {
            "schema_name": _TEXT,
            "table_name": _TEXT,
            "table_location": _TEXT,
            "metadata_file_name": _TEXT,
        },
        _register,
        optional=("metadata_file_name",),
    ),
    "unregister_table": _Procedure({"schema_name": _TEXT, "table_name": _TEXT}, _unregister),
}
_REFUSED = ("migrate", "add_files", "add_files_from_table", "flush_metadata_cache")
