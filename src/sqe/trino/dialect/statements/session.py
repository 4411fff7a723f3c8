"""What the client keeps: nothing of it is kept or changed here."""

from __future__ import annotations

from sqe.model.query import ClientChanges
from sqe.sql.zone_names import offset_named, zone_in_any_case
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.intervals import interval_value
from sqe.trino.dialect.nodes import IntervalLiteral, Name
from sqe.trino.dialect.statements.access import NO_ROLES
from sqe.trino.dialect.statements.constants import constant, display, type_name
from sqe.trino.dialect.statements.names import check_catalog
from sqe.trino.dialect.statements.session_nodes import (
    Commit,
    ResetSession,
    ResetSessionAuthorization,
    Rollback,
    SetPath,
    SetRole,
    SetSession,
    SetSessionAuthorization,
    SetTimeZone,
    StartTransaction,
    Use,
)
from sqe.trino.dialect.statements.session_properties import (
    SessionProperty,
    property_named,
    write_value,
)
from sqe.trino.dialect.translated import Translated

_TIME_ZONE = "time_zone_id"
_OWN = "sqe"  # in front of SQE's own properties, and no catalog


def use(node: Use, context: Context) -> Translated:
    catalog = (node.catalog.name if node.catalog else context.client.catalog).lower()
    if not catalog:
        message = "Catalog must be specified when session catalog is not set"
        raise Refused("MISSING_CATALOG_NAME", message, node.at)
    schema = node.schema.name.lower()
    if catalog not in context.lookup.catalogs():
        raise Refused("CATALOG_NOT_FOUND", f"Catalog '{catalog}' not found")
    if not context.lookup.schema_exists(catalog, schema):
        raise Refused("NOT_FOUND", f"Schema does not exist: {catalog}.{schema}")
    changes = ClientChanges(catalog=catalog if node.catalog else None, schema=schema)
    return Translated("", update_type="USE", changes=changes)


def set_session(node: SetSession, context: Context) -> Translated:
    prop = _property(node.name, context, node.value.at)
    value = write_value(prop, constant(node.value, context), node.value.at)
    changes = ClientChanges(set_properties={prop.name: value})
    return Translated("", update_type="SET SESSION", changes=changes)


def reset_session(node: ResetSession, context: Context) -> Translated:
    prop = _property(node.name, context, node.at)
    changes = ClientChanges(reset_properties=(prop.name,))
    return Translated("", update_type="RESET SESSION", changes=changes)


def _property(name: Name, context: Context, at: int) -> SessionProperty:
    parts = [part.name.lower() for part in name]
    full = ".".join(parts)
    if len(parts) > 2:
        raise Refused("INVALID_SESSION_PROPERTY", f"Invalid session property '{full}'")
    if len(parts) == 2 and parts[0] != _OWN:
        check_catalog(context, parts[0], at)
    prop = property_named(full, context.lookup.catalogs())
    if prop is None:
        raise Refused("INVALID_SESSION_PROPERTY", f"Session property '{full}' does not exist", at)
    return prop


def set_time_zone(node: SetTimeZone, context: Context) -> Translated:
    if node.value is None:
        changes = ClientChanges(reset_properties=(_TIME_ZONE,))
    else:
        changes = ClientChanges(set_properties={_TIME_ZONE: _zone(node, context)})
    return Translated("", update_type="SET TIME ZONE", changes=changes)


def _zone(node: SetTimeZone, context: Context) -> str:
    if isinstance(node.value, IntervalLiteral) and node.value.start not in ("year", "month"):
        minutes, rest = divmod(interval_value(node.value), 60_000)
        zone = offset_named(minutes) if not rest else None
        if zone is None:
            raise Refused("INVALID_FUNCTION_ARGUMENT", f"Invalid offset minutes {minutes}")
        return zone
    if isinstance(node.value, IntervalLiteral):
        raise _no_zone("INTERVAL", "interval year to month")
    value = constant(node.value, context) if node.value is not None else None
    if not isinstance(value, str):
        raise _no_zone(display(value), type_name(value))
    known_zone = zone_in_any_case(value)
    if known_zone is None:
        raise Refused("NOT_SUPPORTED", f"Time zone not supported: {value}")
    return known_zone


def _no_zone(text: str, kind: str) -> Refused:
    message = (
        f"Expected expression of varchar or interval day-time type, but '{text}' has {kind} type"
    )
    return Refused("TYPE_MISMATCH", message)


def set_path(node: SetPath, context: Context) -> Translated:
    if "PATH" not in context.client.capabilities:
        raise Refused("NOT_SUPPORTED", "SET PATH not supported by client")
    return Translated("", update_type="SET PATH", changes=ClientChanges(path=node.text))


def set_role(node: SetRole, context: Context) -> Translated:
    if node.catalog is not None:
        check_catalog(context, node.catalog.name.lower(), node.at)
        raise Refused("NOT_SUPPORTED", NO_ROLES)
    if context.grants and node.kind != "ALL":
        raise Refused("NOT_SUPPORTED", "All roles of a user are in force in SQE", node.at)
    if node.role is not None:
        name = node.role.name.lower()
        raise Refused("ROLE_NOT_FOUND", f"Role '{name}' does not exist", node.at)
    return Translated("", update_type="SET ROLE", changes=ClientChanges(role=node.kind))


def set_session_authorization(node: SetSessionAuthorization, context: Context) -> Translated:
    _check_authorization("SET", context)
    if node.user != context.user:
        message = f"Access Denied: User {context.user} cannot impersonate user {node.user}"
        raise Refused("PERMISSION_DENIED", message)
    changes = ClientChanges(authorization_user=node.user)
    return Translated("", update_type="SET SESSION AUTHORIZATION", changes=changes)


def reset_session_authorization(node: ResetSessionAuthorization, context: Context) -> Translated:
    _check_authorization("RESET", context)
    changes = ClientChanges(reset_authorization_user=True)
    return Translated("", update_type="RESET SESSION AUTHORIZATION", changes=changes)


def _check_authorization(verb: str, context: Context) -> None:
    if "SESSION_AUTHORIZATION" not in context.client.capabilities:
        message = f"{verb} SESSION AUTHORIZATION not supported by client"
        raise Refused("NOT_SUPPORTED", message)


def start_transaction(node: StartTransaction, context: Context) -> Translated:
    """Any isolation level is met: what a transaction reads does not change under it."""
    if not context.client.transactions:
        raise Refused("INCOMPATIBLE_CLIENT", "Client does not support transactions")
    transaction = "start read only" if node.read_only else "start"
    return Translated("", update_type="START TRANSACTION", transaction=transaction)


def commit(node: Commit, context: Context) -> Translated:
    return Translated("", update_type="COMMIT", transaction="commit")


def rollback(node: Rollback, context: Context) -> Translated:
    return Translated("", update_type="ROLLBACK", transaction="rollback")
