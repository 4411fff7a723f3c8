"""What waits to be fetched. A ticket is unguessable, its owner's alone, and good for a while."""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from sqe.errors import ErrorCode, ResourceError, UserError

_T = TypeVar("_T")


@dataclass(slots=True)
class _Entry(Generic[_T]):
    value: _T
    owner: str
    until: float
    once: bool
    session_id: str
    on_end: Callable[[_T, bool], None] = field(repr=False)

    @property
    def being_read(self) -> bool:
        return self.until == math.inf

    def end(self) -> None:
        self.on_end(self.value, self.being_read)


class Tickets(Generic[_T]):
    """Thread-safe. Another's ticket, one that is used up and one that never was look the same."""

    def __init__(self, seconds: float, most: int) -> None:
        """``most``: of one owner at a time."""
        self._seconds = seconds
        self._most = most
        self._counts: Counter[str] = Counter()
        self._entries: dict[bytes, _Entry[_T]] = {}
        self._changed = threading.Condition()
        self._closed = False
        self._reaper: threading.Thread | None = None

    def issue(
        self,
        value: _T,
        owner: str,
        session_id: str,
        on_end: Callable[[_T, bool], None],
        *,
        once: bool,
    ) -> bytes:
        """``once``: it can be read once, and is its reader's from then on. ``on_end`` is told the
        value, and whether somebody is reading it, when it expires or is taken away."""
        handle = secrets.token_bytes(32)
        entry = _Entry(value, owner, time.monotonic() + self._seconds, once, session_id, on_end)
        with self._changed:
            if self._counts[owner] >= self._most:
                raise ResourceError(
                    ErrorCode.TOO_MANY_QUERIES,
                    f"{self._most:,} results or prepared statements of {owner} are kept already.",
                    hint="Read or cancel results, and close statements that are not used any more.",
                )
            self._entries[handle] = entry
            self._counts[owner] += 1
            if self._reaper is None and not self._closed:
                self._reaper = threading.Thread(
                    target=self._reap, name="flight-tickets", daemon=True
                )
                self._reaper.start()
            self._changed.notify_all()
        return handle

    def read(self, handle: bytes, owner: str) -> _T:
        """The value, for one read. Its reader drops it in the end; until then it can be looked at,
        and does not expire."""
        with self._changed:
            entry = self._entry(handle, owner)
            if entry.once and entry.being_read:
                raise _unknown_ticket()
            if entry.once:
                entry.until = math.inf
            return entry.value

    def look(self, handle: bytes, owner: str) -> _T:
        """The value, without using a read up."""
        with self._changed:
            return self._entry(handle, owner).value

    def renew(self, handle: bytes, owner: str) -> float:
        """Starts its time again; answers when it is over, in seconds from now."""
        with self._changed:
            entry = self._entry(handle, owner)
            entry.until = max(entry.until, time.monotonic() + self._seconds)
            return self._seconds

    def drop(self, handle: bytes, owner: str) -> None:
        """Whoever has it is done with it."""
        with self._changed:
            entry = self._entries.get(handle)
            if entry is not None and entry.owner == owner:
                self._take(handle)

    def end(self, handle: bytes, owner: str) -> None:
        """As if it had expired now."""
        with self._changed:
            self._entry(handle, owner)
            entry = self._take(handle)
        entry.end()

    def drop_session(self, session_id: str) -> None:
        with self._changed:
            gone = [k for k, e in self._entries.items() if e.session_id == session_id]
            entries = [self._take(key) for key in gone]
        for entry in entries:
            entry.end()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            entries = [self._take(key) for key in list(self._entries)]
            self._changed.notify_all()
        for entry in entries:
            entry.end()

    def __len__(self) -> int:
        with self._changed:
            return len(self._entries)

    def _take(self, handle: bytes) -> _Entry[_T]:
        entry = self._entries.pop(handle)
        self._counts[entry.owner] -= 1
        if not self._counts[entry.owner]:
            del self._counts[entry.owner]
        return entry

    def _entry(self, handle: bytes, owner: str) -> _Entry[_T]:
        entry = self._entries.get(handle)
        if entry is None or entry.owner != owner or entry.until < time.monotonic():
            raise _unknown_ticket()
        return entry

    def _reap(self) -> None:
        while True:
            with self._changed:
                if self._closed:
                    return
                now = time.monotonic()
                late = [key for key, entry in self._entries.items() if entry.until <= now]
                entries = [self._take(key) for key in late]
                if not entries:
                    next_end = min((e.until for e in self._entries.values()), default=math.inf)
                    self._changed.wait(_seconds(next_end, now))
                    continue
            for entry in entries:
                entry.end()


def _seconds(end: float, now: float) -> float | None:
    """None: for as long as nothing changes."""
    return None if end == math.inf else max(0.0, end - now)


def _unknown_ticket() -> UserError:
    return UserError(
        ErrorCode.QUERY_NOT_FOUND,
        "The ticket or handle is unknown, used up or expired.",
        hint="Run the statement again.",
    )
