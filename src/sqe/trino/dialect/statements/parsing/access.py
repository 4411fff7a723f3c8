"""Roles and privileges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.trino.dialect.nodes import Identifier, Name, Statement
from sqe.trino.dialect.statements.access_nodes import (
    GrantPrivileges,
    GrantRoles,
    RoleStatement,
    ShowEffectivePolicy,
)
from sqe.trino.dialect.statements.nodes import Principal
from sqe.trino.dialect.statements.parsing.clauses import principal

if TYPE_CHECKING:
    from sqe.trino.dialect.parser import Parser

_PRIVILEGES = ("CREATE", "SELECT", "DELETE", "INSERT", "UPDATE")
_KINDS = ("SCHEMA", "TABLE")
_Names = tuple[Identifier, ...]


def create_role(p: Parser, at: int) -> Statement:
    role = p.identifier()
    admin: Principal | None = None
    if p.accept("WITH"):
        p.expect("ADMIN")
        admin = _grantor(p)
    return RoleStatement(at, "CREATE ROLE", role, admin=admin, catalog=_in_catalog(p))


def drop_role(p: Parser, at: int) -> Statement:
    tolerant = p.accept("IF", "EXISTS")
    return RoleStatement(at, "DROP ROLE", p.identifier(), tolerant, catalog=_in_catalog(p))


def grant(p: Parser) -> Statement:
    at = p.expect("GRANT")
    names = _privileges(p)
    if names is None:
        p.expect("ON")
    elif not p.accept("ON"):
        return _grant_roles(p, at, names)
    kind, name = grant_object(p)
    p.expect("TO")
    to = principal(p)
    option = p.accept("WITH")
    if option:
        p.expect("GRANT")
        p.expect("OPTION")
    return GrantPrivileges(at, "GRANT", names or (), kind, name, to, option)


def _grant_roles(p: Parser, at: int, roles: _Names) -> Statement:
    p.expect("TO")
    to = p.comma_list(lambda: principal(p))
    option = p.accept("WITH")
    if option:
        p.expect("ADMIN")
        p.expect("OPTION")
    return GrantRoles(at, "GRANT", roles, to, option, _parse_grantor(p), _in_catalog(p))


def revoke(p: Parser) -> Statement:
    at = p.expect("REVOKE")
    names: _Names | None
    only_option = p.accept("GRANT", "OPTION", "FOR")
    if only_option:
        names = _privileges(p)
        p.expect("ON")
    elif p.accept("ADMIN", "OPTION", "FOR"):
        return _revoke_roles(p, at, _names(p), only_option=True)
    else:
        names = _privileges(p)
        if names is None:
            p.expect("ON")
        elif not p.accept("ON"):
            return _revoke_roles(p, at, names, only_option=False)
    kind, name = grant_object(p)
    p.expect("FROM")
    return GrantPrivileges(at, "REVOKE", names or (), kind, name, principal(p), only_option)


def _revoke_roles(p: Parser, at: int, roles: _Names, *, only_option: bool) -> Statement:
    p.expect("FROM")
    subjects = p.comma_list(lambda: principal(p))
    return GrantRoles(at, "REVOKE", roles, subjects, only_option, _parse_grantor(p), _in_catalog(p))


def deny(p: Parser) -> Statement:
    at = p.expect("DENY")
    names = _privileges(p)
    p.expect("ON")
    kind, name = grant_object(p)
    p.expect("TO")
    return GrantPrivileges(at, "DENY", names or (), kind, name, principal(p))


def effective_policy(p: Parser, at: int) -> Statement:
    """``SHOW EFFECTIVE POLICY [FOR …] ON t``, from behind POLICY."""
    who: Principal | None = None
    groups: _Names = ()
    if p.accept("FOR"):
        if p.looking_at("GROUP"):
            who = Principal(p.expect("GROUP"), "GROUP", p.identifier())
        else:
            who = principal(p)
            groups = p.take_bracketed_list(p.identifier) if p.accept("GROUPS") else ()
    p.expect("ON")
    return ShowEffectivePolicy(at, grant_object(p)[1], who, groups)


def _privileges(p: Parser) -> _Names | None:
    """None: ALL PRIVILEGES, which can be nothing else; of a list, only what stands behind it
    tells whether they are privileges or roles."""
    return None if p.accept("ALL", "PRIVILEGES") else _names(p)


def _names(p: Parser) -> _Names:
    return p.comma_list(lambda: _privilege(p))


def _privilege(p: Parser) -> Identifier:
    at = p.here
    word = p.accept_any(*_PRIVILEGES)
    return Identifier(at, word) if word is not None else p.identifier()


def grant_object(p: Parser) -> tuple[str, Name]:
    """``t``, ``TABLE t``, or any other word for what it is and a name."""
    place = p.mark()
    kind = p.accept_any(*_KINDS) or p.identifier().name.upper()
    if p.looking_at_any(".", "TO", "FROM") or not p.is_identifier():
        p.rewind(place)
        kind = ""
    return kind, p.name()


def _parse_grantor(p: Parser) -> Principal | None:
    if not p.accept("GRANTED"):
        return None
    p.expect("BY")
    return _grantor(p)


def _grantor(p: Parser) -> Principal:
    at = p.here
    word = p.accept_any("CURRENT_USER", "CURRENT_ROLE")
    return Principal(at, word, Identifier(at, word)) if word is not None else principal(p)


def _in_catalog(p: Parser) -> Identifier | None:
    return p.identifier() if p.accept("IN") else None
