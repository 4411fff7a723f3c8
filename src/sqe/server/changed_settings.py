"""Settings that are taken up while a server runs, and those that hold from its next start on."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from sqe.audit.events import Events, RuleEvent
from sqe.errors import SqeError
from sqe.server.change import Change
from sqe.settings import Settings, SettingsSource
from sqe.settings.watched import Files, Watched

_log = logging.getLogger(__name__)
_LOOK_S = 1.0
_STOP_S = 5.0
_CHANGED = "settings_changed"
# The sections that are taken up, and what in them is not.
_SECTIONS: dict[str, frozenset[str]] = {
    "auth": frozenset(),
    "policy": frozenset({"sql", "administrators", "administrator_groups", "hash_keys"}),
    "catalogs": frozenset(),
    "limits": frozenset({"statement_bytes", "nesting", "view_depth", "finished_queries"}),
}
Prepare = Callable[[Settings], Change]


class ChangedSettings:
    """``in_force`` are the settings that hold. All of a change is taken up, or nothing of it."""

    def __init__(
        self,
        in_force: Settings,
        prepares: Sequence[Prepare],
        restarts: Callable[[Settings], list[str]],
        events: Events,
    ) -> None:
        """``prepares`` make what a change needs, each for its part. ``restarts``: what else of
        settings holds from the next start on."""
        self.in_force = in_force
        self.waiting: list[str] = []  # keys in the file that hold from the next start on
        self._prepares = prepares
        self._restarts = restarts
        self._events = events

    def take_up(self, new: Settings) -> None:
        """INVALID_SETTINGS, and then what held before holds."""
        wanted = _with_changeable(self.in_force, new)
        changed = list(list_changes(self.in_force, wanted))
        waiting = [*list_changes(wanted, new), *self._restarts(wanted)]
        if changed:
            self._apply(wanted)
            keys = ", ".join(changed)
            _log.info("changed settings are in force: %s", keys)
            self._events.note_change(RuleEvent("", time.time(), keys, _CHANGED))
        if waiting and waiting != self.waiting:
            _log.warning("these settings hold from the next start on: %s", ", ".join(waiting))
        self.waiting = waiting

    def _apply(self, wanted: Settings) -> None:
        changes: list[Change] = []
        try:
            for prepare in self._prepares:
                changes.append(prepare(wanted))
        except BaseException:
            for change in changes:
                change.discard()
            raise
        for change in changes:
            change.apply()
        self.in_force = wanted


class SettingsWatch:
    """Looks at the file each second, and when it is told to. A file that is wrong changes
    nothing; ``problem`` says what is wrong."""

    def __init__(self, source: SettingsSource, changed: ChangedSettings) -> None:
        def read(files: Files) -> None:
            (content,) = files.values()
            try:
                changed.take_up(source.parse(content))
            except SqeError:
                raise
            except Exception as error:
                _log.exception("changed settings could not be taken up")
                raise ValueError(f"a defect of SQE ({type(error).__name__})") from error

        assert source.path is not None  # noqa: S101  nothing to watch
        self._watched: Watched[None] = Watched(source.path, read)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="settings-watch", daemon=True)
        self._thread.start()

    def look(self) -> None:
        _ = self._watched.version

    @property
    def problem(self) -> str:
        return self._watched.problem

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(_STOP_S)

    def _watch(self) -> None:
        while not self._stop.wait(_LOOK_S):
            self.look()


def _with_changeable(old: Settings, new: Settings) -> Settings:
    """The new settings, as far as they can be taken up."""
    sections: dict[str, Any] = {}
    for name, fixed in _SECTIONS.items():
        before, section = getattr(old, name), getattr(new, name)
        kept = {key: getattr(before, key) for key in fixed}
        sections[name] = section.model_copy(update=kept) if kept else section
    return old.model_copy(update=sections)


def list_changes(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """The keys that differ, as people write them; no value of any."""
    if isinstance(old, BaseModel) and type(old) is type(new):
        for name in type(old).model_fields:
            yield from list_changes(getattr(old, name), getattr(new, name), _below(place, name))
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if key in old and key in new:
                yield from list_changes(old[key], new[key], _below(place, key))
            else:
                yield _below(place, key)
    elif old != new:
        yield place


def _below(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
