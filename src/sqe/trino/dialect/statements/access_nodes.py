"""The trees of statements about roles and privileges."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.trino.dialect.nodes import Identifier, Name, Statement
from sqe.trino.dialect.statements.nodes import Principal


@dataclass(frozen=True, slots=True)
class AccessStatement(Statement):
    """``verb``: GRANT, REVOKE, DENY, CREATE ROLE or DROP ROLE."""

    verb: str


@dataclass(frozen=True, slots=True)
class RoleStatement(AccessStatement):
    """``admin``: who is named as the new role's first administrator."""

    role: Identifier
    if_exists: bool = False
    admin: Principal | None = None
    catalog: Identifier | None = None


@dataclass(frozen=True, slots=True)
class GrantRoles(AccessStatement):
    """``option``: WITH ADMIN OPTION, or of REVOKE only that."""

    roles: tuple[Identifier, ...]
    principals: tuple[Principal, ...]
    option: bool = False
    grantor: Principal | None = None
    catalog: Identifier | None = None


@dataclass(frozen=True, slots=True)
class GrantPrivileges(AccessStatement):
    """``privileges``: none is ALL PRIVILEGES. ``kind`` is the word in front of the name, if any.
    ``option``: WITH GRANT OPTION, or of REVOKE only that."""

    privileges: tuple[Identifier, ...]
    kind: str
    name: Name
    principal: Principal
    option: bool = False


@dataclass(frozen=True, slots=True)
class ShowEffectivePolicy(Statement):
    """SQE's own. ``who``: nobody is the user who asks; ``groups``: that this somebody is in."""

    name: Name
    who: Principal | None = None
    groups: tuple[Identifier, ...] = ()
