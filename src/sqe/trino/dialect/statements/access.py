"""Roles and privileges as SQE's own statements about them.

Trino's clients write names of roles in any case and mean them in small letters. Roles are SQE's,
not those of one catalog.
"""

from __future__ import annotations

from sqe.model.names import quote
from sqe.model.rules import Privilege
from sqe.model.trino_types import VARCHAR
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.nodes import Identifier
from sqe.trino.dialect.statements.access_nodes import (
    AccessStatement,
    GrantPrivileges,
    GrantRoles,
    RoleStatement,
    ShowEffectivePolicy,
)
from sqe.trino.dialect.statements.names import check_catalog, schema_of, target_of
from sqe.trino.dialect.statements.nodes import Principal
from sqe.trino.dialect.translated import OutputColumn, Translated

NO_ROLES = "This connector does not support roles"
_SWITCHED_OFF = "SQE does not manage grants and roles (the setting policy.sql is off)"
_WORDS = frozenset(one.value.upper() for one in Privilege)
_TABLES = ("", "TABLE", "VIEW")
POLICY = tuple(
    OutputColumn(name, VARCHAR)
    for name in ("privilege", "decision", "source", "reason", "rows", "columns")
)


def role_statement(node: RoleStatement, context: Context) -> Translated:
    _check_managed(node, context)
    _check_system_role(node.catalog, context)
    if node.admin is not None and node.admin.kind != "CURRENT_USER":
        raise not_supported("CREATE ROLE … WITH ADMIN of somebody else", node.admin.at)
    tolerant = " IF EXISTS" if node.if_exists else ""
    return _translation_of(f"{node.verb}{tolerant} {_role(node.role)}", node)


def grant_roles(node: GrantRoles, context: Context) -> Translated:
    _check_managed(node, context)
    _check_system_role(node.catalog, context)
    if node.grantor is not None and node.grantor.kind != "CURRENT_USER":
        raise not_supported("GRANTED BY somebody else", node.grantor.at)
    roles = ", ".join(map(_role, node.roles))
    subjects = ", ".join(map(_subject, node.principals))
    if node.verb == "GRANT":
        option = " WITH ADMIN OPTION" if node.option else ""
        return _translation_of(f"GRANT ROLE {roles} TO {subjects}{option}", node)
    option = "ADMIN OPTION FOR " if node.option else ""
    return _translation_of(f"REVOKE {option}ROLE {roles} FROM {subjects}", node)


def grant_privileges(node: GrantPrivileges, context: Context) -> Translated:
    _check_managed(node, context)
    privileges = ", ".join(map(_privilege, node.privileges)) or "ALL PRIVILEGES"
    on, subject = _object(node, context), _subject(node.principal)
    if node.verb == "REVOKE":
        option = "GRANT OPTION FOR " if node.option else ""
        return _translation_of(f"REVOKE {option}{privileges} ON {on} FROM {subject}", node)
    option = " WITH GRANT OPTION" if node.option else ""
    return _translation_of(f"{node.verb} {privileges} ON {on} TO {subject}{option}", node)


def effective_policy(node: ShowEffectivePolicy, context: Context) -> Translated:
    """Whatever makes the rules: SQE, or another source."""
    target = target_of(context, node.name, node.at)
    check_catalog(context, target.catalog, node.at)
    who = f" FOR {_subject(node.who)}" if node.who is not None else ""
    groups = ", ".join(quote(group.name) for group in node.groups)
    inside = f" GROUPS ({groups})" if groups else ""
    return Translated(f"SHOW EFFECTIVE POLICY{who}{inside} ON {target.spark}", POLICY)


def _translation_of(text: str, node: AccessStatement) -> Translated:
    return Translated(text, update_type=node.verb)


def _check_managed(node: AccessStatement, context: Context) -> None:
    if not context.grants:
        message = f"{_SWITCHED_OFF}: {node.verb} is not supported"
        raise Refused("NOT_SUPPORTED", message, node.at)


def _check_system_role(catalog: Identifier | None, context: Context) -> None:
    if catalog is not None:
        check_catalog(context, catalog.name.lower(), catalog.at)
        raise Refused("NOT_SUPPORTED", NO_ROLES)


def _role(name: Identifier) -> str:
    return quote(name.name.lower())


def _subject(one: Principal) -> str:
    if one.kind == "ROLE":
        return f"ROLE {_role(one.name)}"
    if one.kind == "GROUP":
        return f"GROUP {quote(one.name.name)}"
    if not one.kind and not one.name.quoted and one.name.name.upper() == "PUBLIC":
        return "PUBLIC"
    return f"USER {quote(one.name.name)}"


def _privilege(one: Identifier) -> str:
    word = one.name.upper()
    if word not in _WORDS:
        raise Refused("INVALID_PRIVILEGE", f"Unknown privilege: '{one.name}'", one.at)
    return word


def _object(node: GrantPrivileges, context: Context) -> str:
    if node.kind in _TABLES:
        target = target_of(context, node.name, node.at)
        check_catalog(context, target.catalog, node.at)
        return f"TABLE {target.spark}"
    if node.kind == "SCHEMA":
        return f"SCHEMA {schema_of(context, node.name, node.at).spark}"
    if node.kind == "CATALOG" and len(node.name) == 1:
        catalog = node.name[0].name.lower()
        check_catalog(context, catalog, node.at)
        return f"CATALOG {quote(catalog)}"
    raise not_supported(f"{node.verb} on a {node.kind.lower()}", node.at)
