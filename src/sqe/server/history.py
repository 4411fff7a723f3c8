"""The history of queries, by the settings."""

from __future__ import annotations

import hashlib
import socket
from dataclasses import dataclass

from sqe.audit.events import EventSink
from sqe.history.profiles import NO_PROFILES, ProfileRule
from sqe.history.recorder import HistoryLimits, HistoryRecorder
from sqe.settings import Settings
from sqe.settings.history import HistorySettings
from sqe.settings.sizes import MB
from sqe.store.database import Database
from sqe.store.history import HistoryStore

_DAY_S = 86_400.0


def profiles_of(settings: HistorySettings) -> ProfileRule:
    if not settings.enabled or settings.profile == "off":
        return NO_PROFILES
    return ProfileRule(settings.slow_s if settings.profile == "slow" else 0.0)


@dataclass(frozen=True)
class History:
    """Both None where the settings leave it out."""

    store: HistoryStore | None = None
    recorder: HistoryRecorder | None = None

    @property
    def sinks(self) -> list[EventSink]:
        return [self.recorder] if self.recorder is not None else []

    def start(self) -> None:
        """Called when the process begins to serve others: what runs in a command of somebody's own
        is not kept."""
        if self.recorder is not None:
            self.recorder.start()


def history_of(settings: Settings, database: Database) -> History:
    if not settings.history.enabled:
        return History()
    section = settings.history
    limits = HistoryLimits(
        section.delay_s, section.waiting, section.keep_days * _DAY_S, section.keep_mb * MB
    )
    store = HistoryStore(database)
    return History(store, HistoryRecorder(store, _place(settings), limits))


def _place(settings: Settings) -> str:
    """The same for every process of this home, and for no other."""
    place = f"{socket.gethostname()}\0{settings.home.resolve()}"
    return hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:32]
