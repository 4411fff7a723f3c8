"""What SQE knows of a type of catalog. ``server/catalogs.py`` lists all types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

from sqe.catalog.configured import Opens
from sqe.model.access_event import UNRECORDED, AccessRecorder
from sqe.model.observer import UNOBSERVED, Observer
from sqe.settings import Settings

_S = TypeVar("_S")


class MadeCatalog(Opens, Protocol):
    """One catalog of the settings. ``close`` when nobody uses it any more."""

    def close(self) -> None: ...


@runtime_checkable
class KeepsAnswers(Protocol):
    """A catalog whose answers are kept for a while."""

    @property
    def cache_looks(self) -> dict[str, tuple[int, int]]:
        """Hits and misses, by what is kept."""
        ...


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who is told of each call, and of each use of a credential."""

    observer: Observer = UNOBSERVED
    recorder: AccessRecorder = UNRECORDED


@dataclass(frozen=True, slots=True)
class CatalogFacts:
    """What everybody who may know of a catalog is told of it. ``address``: without anything
    secret; empty of one that is inside SQE. ``identity``: as whom it knows a user, in words."""

    type: str
    address: str = ""
    identity: str = "none"
    takes_token: bool = False  # it must be shown a token of the user's


@dataclass(frozen=True)
class CatalogType(Generic[_S]):
    """``settings``: the class of its settings. ``make`` takes the catalog's name, its settings,
    all others, and who listens; ``describe`` its settings.

    ``own``: it is SQE's own and the same for everybody. Then administrators' tools look into it
    without a login, and the default schema is made in it. In other catalogs nothing is made that
    no user asked for."""

    settings: type[_S]
    make: Callable[[str, _S, Settings, Listeners], MadeCatalog]
    describe: Callable[[_S], CatalogFacts]
    own: bool = False
