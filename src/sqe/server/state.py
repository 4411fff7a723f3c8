"""How a server is: what it tells whoever asks whether it is well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from sqe.errors import SqeError
from sqe.server.listening import Section

if TYPE_CHECKING:
    from sqe.audit.events import Events
    from sqe.engines.local.lazy import LazyLocalEngine
    from sqe.engines.spark.server import SparkServer
    from sqe.engines.spark.sessions import SparkSessions
    from sqe.gateway.gateway import Gateway
    from sqe.policy.policy import Policy
    from sqe.server.catalogs import SettingsCatalogs
    from sqe.server.changed_settings import ChangedSettings
    from sqe.server.listener import Front
    from sqe.sessions.store import SessionStore
    from sqe.settings import Settings
    from sqe.store.database import Database


@dataclass(frozen=True, slots=True)
class Part:
    """``reason`` says in words why it is ready or not; it names nothing of anybody's."""

    name: str
    ready: bool
    reason: str


@dataclass(frozen=True)
class ServerState:
    """Of the parts that the server has. ``fronts`` are those that listen, and grow."""

    settings: Settings
    gateway: Gateway
    sessions: SessionStore
    store: Database
    catalogs: SettingsCatalogs
    events: Events
    local: LazyLocalEngine
    policy: Policy
    spark: SparkServer | None
    spark_sessions: SparkSessions
    warming: Callable[[], bool]
    fronts: Sequence[Front]
    changed: ChangedSettings
    settings_problem: Callable[[], str]

    @property
    def spark_state(self) -> str:
        if self.spark is None:
            return "remote"
        if self.spark.alive:
            return "ready"
        return "starting" if self.warming() else "stopped"

    def status(self) -> dict[str, Any]:
        return {
            "spark": self.spark_state,
            "running_queries": len(self.gateway.live_states()),
            "sessions": self.sessions.count,
        }

    def parts(self) -> list[Part]:
        """What must be well for new queries to be welcome, and Spark, which may still start."""
        draining = self.gateway.draining
        taking = "SQE is stopping" if draining else "new queries are taken"
        parts = [Part("queries", not draining, taking), self._store_part()]
        if self.events.may_refuse:
            parts.append(self._audit_part())
        for section in get_args(Section):
            if getattr(self.settings, section).enabled:
                listens = any(front.section == section for front in self.fronts)
                parts.append(Part(section, listens, "listens" if listens else "not yet listening"))
        broken = [name for name, count in self.broken_files().items() if count]
        words = "the files that are watched are right"
        if broken:
            words = f"wrong, so that what they said before holds: {', '.join(broken)}"
        parts.append(Part("files", True, words))
        waiting = ", ".join(self.changed.waiting)
        words = f"hold from the next start on: {waiting}" if waiting else "are in force"
        parts.append(Part("settings", True, words))
        parts.append(Part("spark", True, self.spark_state))
        return parts

    @property
    def listening(self) -> bool:
        """Everything that the settings ask for listens."""
        return all(part.ready for part in self.parts() if part.name in get_args(Section))

    def broken_files(self) -> dict[str, int]:
        """1 for each watched file that is wrong now, 0 for one that is right."""
        problems = {
            "resource_groups": self.gateway.admission.problem,
            "settings": self.settings_problem(),
        }
        for source in self.policy.sources:
            problem = getattr(source, "problem", None)
            if isinstance(problem, str):
                problems[source.name] = problem
        return {name: int(bool(problem)) for name, problem in problems.items()}

    def certificate_end(self) -> float | None:
        """When the first certificate in use ends, in seconds since 1970."""
        ends = [end for front in self.fronts if (end := front.certificate_end) is not None]
        return min(ends) if ends else None

    def _audit_part(self) -> Part:
        """Asking tries to write again: a server that is not ready is sent no queries that would."""
        try:
            self.events.check()
        except SqeError as error:
            return Part("audit", False, error.code.meaning)
        return Part("audit", True, "is written")

    def _store_part(self) -> Part:
        try:
            self.store.check()
        except SqeError as error:
            return Part("store", False, error.code.meaning)
        return Part("store", True, "answers")
