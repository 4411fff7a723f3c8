"""What SQE knows of a type of policy source. ``server/policies.py`` lists all types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from sqe.model.names import RelationName
from sqe.policy.rule_set import RuleFile, RuleSet
from sqe.policy.source import PolicySource
from sqe.settings import Settings
from sqe.store.database import Database

_S = TypeVar("_S")


@dataclass(frozen=True)
class SourceParts:
    """What sources and their tools are made from. ``tables``: those of SQE's own catalogs, looked
    up when they are asked for."""

    settings: Settings
    store: Database
    tables: Callable[[], Iterable[RelationName]] = tuple


@dataclass(frozen=True)
class SourceType(Generic[_S]):
    """``name``: of the source, and of its field in ``PolicySources``, whose value ``make`` takes.
    Wrong rules raise INVALID_SETTINGS there. A source whose rules may change notices it by
    itself: its ``version`` is another one then.

    For administrators' tools, where its rules can be read:
    ``rules``: those of the settings, to be checked.
    ``read``: those of a file of its form; None: it is of another form. ValueError: it is broken.
    ``texts``: what can be written out, by a name for it.

    ``in_store``: its rules are in SQE's own database, which the doctor does not open."""

    name: str
    make: Callable[[_S, SourceParts], PolicySource]
    rules: Callable[[_S, SourceParts], RuleSet] | None = None
    read: Callable[[RuleFile], RuleSet | None] | None = None
    texts: Mapping[str, Callable[[SourceParts], str]] = field(default_factory=dict)
    in_store: bool = False
