"""Instances that wait for another query of the same session, over the same files."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable

from sqe.engines.local.budget import MemoryBudget
from sqe.engines.local.instance import Instance, InstanceKey
from sqe.engines.local.options import LocalOptions
from sqe.sessions.session import Session

_PART = 8  # of the memory, what all of them may hold
_THREADS = 1024  # of all of them, which sleep
_FEW = 8


class IdleInstances:
    """Thread-safe. Those that were used least recently go first. What they hold is the budget's."""

    def __init__(self, budget: MemoryBudget, options: LocalOptions) -> None:
        self._budget = budget
        self._idle_s = options.reuse_s
        self._most_bytes = options.memory // _PART
        self._most = max(_FEW, _THREADS // options.threads)
        self._lock = threading.Lock()
        self._since: OrderedDict[Instance, float] = OrderedDict()
        self._by_key: dict[InstanceKey, list[Instance]] = {}
        self._held = 0

    @property
    def count(self) -> int:
        return len(self._since)

    @property
    def held(self) -> int:
        """Bytes."""
        return self._held

    def keep(self, instance: Instance) -> None:
        """In place of closing it, if it may wait; its memory is free for others."""
        try:
            instance.measure()
        except Exception:  # noqa: BLE001  then it is good for nothing else
            instance.close()
            self._budget.give_back(instance.memory)
            return
        self._budget.give_back(instance.memory - instance.held)
        large = instance.held > self._most_bytes // 2  # all others would have to go for it
        with self._lock:  # a session that ends meanwhile finds it, or it finds the session ended
            if instance.lasting and not large:
                self._add(instance)
                leaving = self._surplus()
            else:
                leaving = [instance]
        self._close(leaving)

    def take(self, key: InstanceKey, fits: Callable[[Instance], bool]) -> Instance | None:
        """The one that was used last. What it holds goes with it."""
        with self._lock:
            for instance in reversed(self._by_key.get(key, ())):
                if fits(instance):
                    self._remove(instance)
                    return instance
        return None

    def close_oldest(self) -> bool:
        """False if there is none."""
        with self._lock:
            leaving = list(self._since)[:1]
            for instance in leaving:
                self._remove(instance)
        self._close(leaving)
        return bool(leaving)

    def close_expired(self) -> None:
        now, clock = time.monotonic(), time.time()
        self._close_those(
            lambda instance: (
                now - self._since[instance] >= self._idle_s
                or (instance.key is not None and clock >= instance.key.keys_end)
            )
        )

    def close_session(self, session: Session) -> None:
        self._close_those(lambda one: one.key is not None and one.key.session is session)

    def close(self) -> None:
        """From now on it keeps none."""
        self._most = 0
        self._close_those(lambda instance: True)

    def _close_those(self, meant: Callable[[Instance], bool]) -> None:
        with self._lock:
            leaving = [instance for instance in self._since if meant(instance)]
            for instance in leaving:
                self._remove(instance)
        self._close(leaving)

    def _close(self, leaving: Iterable[Instance]) -> None:
        for instance in leaving:
            instance.close()
            self._budget.give_back(instance.held)

    def _surplus(self) -> list[Instance]:
        leaving = []
        while self._since and (len(self._since) > self._most or self._held > self._most_bytes):
            leaving.append(next(iter(self._since)))
            self._remove(leaving[-1])
        return leaving

    def _add(self, instance: Instance) -> None:
        assert instance.key is not None  # noqa: S101  ``lasting`` says so
        self._since[instance] = time.monotonic()
        self._by_key.setdefault(instance.key, []).append(instance)
        self._held += instance.held

    def _remove(self, instance: Instance) -> None:
        assert instance.key is not None  # noqa: S101
        del self._since[instance]
        same = self._by_key[instance.key]
        same.remove(instance)
        if not same:
            del self._by_key[instance.key]
        self._held -= instance.held
