"""Where tables are to be that an engine is about to make: a catalog has chosen that, and the commit
that makes the table must not say anything else."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from sqe.model.names import RelationName

_MOST = 10_000
_KEPT_S = 24 * 3600.0  # a load may take long


class StagedTables:
    """Thread-safe. Of each user and name the newest counts."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._locations: OrderedDict[tuple[str, RelationName], tuple[str, float]] = OrderedDict()

    def keep(self, user: str, name: RelationName, location: str) -> None:
        with self._lock:
            self._locations.pop((user, name), None)
            self._locations[user, name] = (location, self._clock())
            while len(self._locations) > _MOST:
                self._locations.popitem(last=False)

    def find(self, user: str, name: RelationName) -> str | None:
        with self._lock:
            location, since = self._locations.get((user, name), ("", 0.0))
        return location if location and self._clock() - since < _KEPT_S else None

    def forget(self, user: str, name: RelationName) -> None:
        with self._lock:
            self._locations.pop((user, name), None)
