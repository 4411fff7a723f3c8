"""Roles and privileges: read to their end, so that mistakes are told, and then refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.sql.trino.nodes import Name, Statement
from sqe.sql.trino.statements.nodes import RefusedStatement
from sqe.sql.trino.statements.parsing.clauses import principal

if TYPE_CHECKING:
    from sqe.sql.trino.parser import Parser

_PRIVILEGES = ("CREATE", "SELECT", "DELETE", "INSERT", "UPDATE")
_KINDS = ("SCHEMA", "TABLE")


def create_role(p: Parser, at: int) -> Statement:
    p.identifier()
    if p.accept("WITH"):
        p.expect("ADMIN")
        _grantor(p)
    return RefusedStatement(at, "CREATE ROLE", _in_catalog(p))


def drop_role(p: Parser, at: int) -> Statement:
    p.accept("IF", "EXISTS")
    p.identifier()
    return RefusedStatement(at, "DROP ROLE", _in_catalog(p))


def grant(p: Parser) -> Statement:
    at = p.expect("GRANT")
    if _privileges(p):
        p.expect("ON")
    elif not p.accept("ON"):
        return _grant_roles(p, at)
    name = grant_object(p)
    p.expect("TO")
    principal(p)
    if p.accept("WITH"):
        p.expect("GRANT")
        p.expect("OPTION")
    return RefusedStatement(at, "GRANT", name)


def _grant_roles(p: Parser, at: int) -> Statement:
    p.expect("TO")
    p.comma_list(lambda: principal(p))
    if p.accept("WITH"):
        p.expect("ADMIN")
        p.expect("OPTION")
    _granted_by(p)
    return RefusedStatement(at, "GRANT", _in_catalog(p))


def revoke(p: Parser) -> Statement:
    at = p.expect("REVOKE")
    if p.accept("GRANT", "OPTION", "FOR"):
        _privileges(p)
        p.expect("ON")
    elif p.accept("ADMIN", "OPTION", "FOR"):
        _privileges_or_roles(p)
        return _revoke_roles(p, at)
    elif _privileges(p):
        p.expect("ON")
    elif not p.accept("ON"):
        return _revoke_roles(p, at)
    name = grant_object(p)
    p.expect("FROM")
    principal(p)
    return RefusedStatement(at, "REVOKE", name)


def _revoke_roles(p: Parser, at: int) -> Statement:
    p.expect("FROM")
    p.comma_list(lambda: principal(p))
    _granted_by(p)
    return RefusedStatement(at, "REVOKE", _in_catalog(p))


def deny(p: Parser) -> Statement:
    at = p.expect("DENY")
    _privileges(p)
    p.expect("ON")
    name = grant_object(p)
    p.expect("TO")
    principal(p)
    return RefusedStatement(at, "DENY", name)


def _privileges(p: Parser) -> bool:
    """Whether they can be nothing else; of a list, only what stands behind it tells."""
    if p.accept("ALL", "PRIVILEGES"):
        return True
    _privileges_or_roles(p)
    return False


def _privileges_or_roles(p: Parser) -> None:
    p.comma_list(lambda: _privilege(p))


def _privilege(p: Parser) -> None:
    if p.accept_any(*_PRIVILEGES) is None:
        p.identifier()


def grant_object(p: Parser) -> Name:
    """``t``, ``TABLE t``, or any other word for what it is and a name."""
    place = p.mark()
    if p.accept_any(*_KINDS) is None:
        p.identifier()
    if p.looking_at_any(".", "TO", "FROM") or not p.is_identifier():
        p.rewind(place)
    return p.name()


def _granted_by(p: Parser) -> None:
    if p.accept("GRANTED"):
        p.expect("BY")
        _grantor(p)


def _grantor(p: Parser) -> None:
    if p.accept_any("CURRENT_USER", "CURRENT_ROLE") is None:
        principal(p)


def _in_catalog(p: Parser) -> Name:
    return (p.identifier(),) if p.accept("IN") else ()
