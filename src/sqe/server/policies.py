"""Where decisions come from, by the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqe.audit.events import RuleEvent
from sqe.errors import SqeError
from sqe.model.observer import UNOBSERVED, Observer
from sqe.policy.cedar.entry import CEDAR
from sqe.policy.file_rules.entry import FILE
from sqe.policy.grants.entry import SQL
from sqe.policy.opa.entry import OPA
from sqe.policy.policy import Policy
from sqe.policy.read_restrictions import ReadRestrictions
from sqe.policy.source import AllowAll, ChangedWithSql, PolicySource
from sqe.policy.source_type import SourceParts, SourceType
from sqe.server.change import Change
from sqe.settings import Settings
from sqe.store.database import Database

if TYPE_CHECKING:
    from sqe.policy.grants.book import GrantBook

# In the order in which they are asked and explained. A new type of source is a line here, and its
# settings are one more in `settings/policy.py`.
SOURCE_TYPES: tuple[SourceType[Any], ...] = (SQL, FILE, CEDAR, OPA)


def list_configured_types(settings: Settings) -> Iterator[tuple[SourceType[Any], Any]]:
    """With the settings of each."""
    for entry in SOURCE_TYPES:
        value = getattr(settings.policy, entry.name)
        if value:
            yield entry, value


@dataclass
class Policies:
    """``with_sql``: the source whose rules are changed with SQL; None where the settings do not
    have it."""

    policy: Policy
    with_sql: ChangedWithSql | None = None
    parts: SourceParts | None = None  # None: the sources are not those of the settings
    _gone: list[PolicySource] = field(default_factory=list)  # somebody may be asking them

    def book(self, heard: Callable[[RuleEvent], None] | None) -> GrantBook | None:
        """Where rules are changed. ``heard``: who is told of each change."""
        return self.with_sql.book(heard) if self.with_sql is not None else None

    def prepare(self, settings: Settings) -> Change:
        """Sources whose settings are the same go on. INVALID_SETTINGS where rules are wrong."""
        if self.parts is None or settings.policy == self.parts.settings.policy:
            return Change()
        return self._prepare(self.parts, settings)

    def _prepare(self, before: SourceParts, settings: Settings) -> Change:
        kept = {
            entry.name: source
            for (entry, value), source in zip(
                list_configured_types(before.settings), self.policy.sources, strict=False
            )
            if value == getattr(settings.policy, entry.name)
        }
        made = _make_sources(settings, replace(before, settings=settings), kept)
        new = [source for source in made if source not in kept.values()]
        gone = [source for source in self.policy.sources if source not in made]

        def apply() -> None:
            self.policy.replace(_sources_of(made), settings.policy.cache_s)
            self.parts = replace(before, settings=settings)
            self._gone += gone

        return Change(apply, lambda: _close(new))

    def close(self) -> None:
        """Ends the connections that sources have."""
        _close([*self.policy.sources, *self._gone])


def policies_of(
    settings: Settings,
    store: Database,
    sources: Sequence[PolicySource] | None = None,
    observer: Observer = UNOBSERVED,
) -> Policies:
    """``sources``: instead of those of the settings. What the catalogs demand of their readers is
    always among them, unless there are none at all, which denies everything. Wrong rules refuse
    the start: what they would have allowed or denied is not known."""
    keep_s = settings.policy.cache_s
    if sources is not None:
        asked = [*sources, ReadRestrictions()] if sources else []
        return Policies(Policy(asked, keep_s, observer))
    parts = SourceParts(settings, store)
    made = _make_sources(settings, parts, {})
    with_sql = next((source for source in made if isinstance(source, ChangedWithSql)), None)
    return Policies(Policy(_sources_of(made), keep_s, observer), with_sql, parts)


def _sources_of(made: Sequence[PolicySource]) -> list[PolicySource]:
    return [*(made or [AllowAll()]), ReadRestrictions()]


def _make_sources(
    settings: Settings, parts: SourceParts, kept: Mapping[str, PolicySource]
) -> list[PolicySource]:
    """``kept``: those that are made already, by their names."""
    made: list[PolicySource] = []
    try:
        for entry, value in list_configured_types(settings):
            made.append(kept.get(entry.name) or entry.make(value, parts))
    except SqeError:
        _close([source for source in made if source not in kept.values()])
        raise
    return made


def _close(sources: Sequence[PolicySource]) -> None:
    for source in sources:
        close = getattr(source, "close", None)
        if close is not None:
            close()
