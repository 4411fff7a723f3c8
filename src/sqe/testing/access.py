"""Who may do what: principals, their roles, and grants, as Polaris keeps them.

principal -> principal role -> catalog role -> privilege on a catalog, namespace, table or view.
There are only permissions, no prohibitions, and one applies to everything below its object.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from sqe.catalog.protocol import Namespace
from sqe.model.identity import Identity
from sqe.testing.answers import PolarisError, Unauthenticated
from sqe.testing.privileges import ENOUGH, Privilege

ROLE_PREFIX = "PRINCIPAL_ROLE:"
ALL_ROLES = "ALL"


@dataclass(frozen=True, slots=True)
class Target:
    """An object of a catalog. No name: the namespace; no namespace either: the catalog."""

    catalog: str
    namespace: Namespace = ()
    name: str = ""
    is_view: bool = False

    def covers(self, other: Target) -> bool:
        if self.name:
            return self == other
        depth = len(self.namespace)
        return self.catalog == other.catalog and other.namespace[:depth] == self.namespace


@dataclass(frozen=True, slots=True)
class CatalogGrant:
    privilege: Privilege
    on: Target


@dataclass(frozen=True, slots=True)
class CatalogCaller:
    """A principal with the roles that its token has activated."""

    name: str
    roles: frozenset[str] = frozenset()


Need = tuple[Privilege, Target]


class Access:
    """Thread-safe; a change holds from the next request on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._principals: dict[str, frozenset[str]] = {}
        self._usage: dict[str, set[tuple[str, str]]] = defaultdict(set)
        self._grants: dict[tuple[str, str], set[CatalogGrant]] = defaultdict(set)

    def add_principal(self, name: str, roles: Iterable[str]) -> None:
        """Makes the principal, or gives it these principal roles instead of those it has."""
        with self._lock:
            self._principals[name] = frozenset(roles)

    def remove_principal(self, name: str) -> None:
        with self._lock:
            self._principals.pop(name, None)

    def grant(self, role: str, privileges: Iterable[Privilege], on: Target) -> None:
        """To a principal role, by the catalog role of the same name."""
        with self._lock:
            self._usage[role].add((on.catalog, role))
            self._grants[on.catalog, role] |= {
                CatalogGrant(privilege, on) for privilege in privileges
            }

    def revoke(self, role: str, privileges: Iterable[Privilege], on: Target) -> None:
        with self._lock:
            self._grants[on.catalog, role] -= {
                CatalogGrant(privilege, on) for privilege in privileges
            }

    def activate(self, identity: Identity) -> CatalogCaller:
        """The principal behind an authenticated identity. The token's roles select among those
        that the principal has; none of them at all is a login that may do nothing."""
        asked = {r[len(ROLE_PREFIX) :] for r in identity.roles if r.startswith(ROLE_PREFIX)}
        with self._lock:
            granted = self._principals.get(identity.user)
        if granted is None:
            raise Unauthenticated(f"no principal {identity.user!r}")
        if ALL_ROLES in asked:
            return CatalogCaller(identity.user, granted)
        if not asked <= granted:
            raise Unauthenticated(f"{identity.user!r} does not have the roles of its token")
        return CatalogCaller(identity.user, frozenset(asked))

    def may(self, caller: CatalogCaller, privilege: Privilege, target: Target) -> bool:
        enough = ENOUGH[privilege]
        with self._lock:
            return any(
                grant.privilege in enough and grant.on.covers(target)
                for role in caller.roles
                for usage in self._usage.get(role, ())
                if usage[0] == target.catalog
                for grant in self._grants.get(usage, ())
            )

    def require(self, caller: CatalogCaller, operation: str, *needs: Need) -> None:
        """All of them, or Polaris's 403."""
        if all(self.may(caller, privilege, target) for privilege, target in needs):
            return
        catalogs = {target.catalog for _, target in needs}
        raise PolarisError(
            403,
            "ForbiddenException",
            f"Principal '{caller.name}' with activated PrincipalRoles '{_java_set(caller.roles)}'"
            f" and activated grants via '{_java_set(self._active(caller, catalogs))}'"
            f" is not authorized for op {operation}",
        )

    def _active(self, caller: CatalogCaller, catalogs: set[str]) -> set[str]:
        with self._lock:
            used = {
                name
                for role in caller.roles
                for catalog, name in self._usage.get(role, ())
                if catalog in catalogs
            }
        return used | caller.roles


def _java_set(names: Iterable[str]) -> str:
    """As Java prints a set."""
    return f"[{', '.join(sorted(names))}]"
