"""People whom a section of the settings names, by themselves or by their groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sqe.model.identity import Identity


@dataclass(frozen=True, slots=True)
class Administrators:
    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()

    def has(self, identity: Identity) -> bool:
        return identity.user in self.users or not self.groups.isdisjoint(identity.groups)


NO_ADMINISTRATORS = Administrators()


class NamesAdministrators(Protocol):
    """``[policy]`` names those who make rules and attach catalogs; ``[trino]`` those who see and
    end the queries of others."""

    @property
    def administrators(self) -> Sequence[str]: ...

    @property
    def administrator_groups(self) -> Sequence[str]: ...


def administrators_of(section: NamesAdministrators) -> Administrators:
    return Administrators(
        frozenset(section.administrators), frozenset(section.administrator_groups)
    )
