"""How the server of Iceberg's REST protocol listens and what it allows."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.http.tls import Tls
from sqe.model.identity import Identity


@dataclass(frozen=True, slots=True)
class IcebergOptions:
    """``catalogs``: the only ones that are served; none named: all. ``enforcing_users`` and
    ``enforcing_groups``: whose engines are believed when they say what they carry out."""

    host: str = "127.0.0.1"
    port: int = 0
    tls: Tls | None = None
    plain_credentials: bool = False  # take them without TLS from other machines
    default_catalog: str = "lake"
    catalogs: frozenset[str] = frozenset()
    local_files: bool = False
    enforcing_users: frozenset[str] = frozenset()
    enforcing_groups: frozenset[str] = frozenset()
    token_s: float = 3600.0

    def believes(self, identity: Identity) -> bool:
        named = identity.user in self.enforcing_users
        return named or not self.enforcing_groups.isdisjoint(identity.groups)

    def serves(self, catalog: str) -> bool:
        return not self.catalogs or catalog in self.catalogs
