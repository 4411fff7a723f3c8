"""Faults on demand: what the test catalog does wrong, to whom, and how often."""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum


class FaultKind(StrEnum):
    LATENCY = "latency"  # answers ``seconds`` later, or when it is healed
    HANG = "hang"  # does not answer before ``heal``, or for ``seconds`` if they are more than 0
    STATUS = "status"  # answers ``status`` and does nothing
    LOST_ANSWER = "lost-answer"  # does what was asked and answers ``status``
    TRUNCATED = "truncated"  # does what was asked, and sends half of the answer
    UNAUTHENTICATED = "unauthenticated"  # 401, as if the token had just become invalid


@dataclass(slots=True)
class Fault:
    """``endpoint`` (a handler's name, as ``load_table``) and ``principal``: empty is any.

    ``times``: how often it strikes before it is over, 0 for ever. ``every``: it strikes at each
    so-manieth request that it is for; 2 is a catalog that flaps.
    """

    kind: FaultKind
    endpoint: str = ""
    principal: str = ""
    seconds: float = 0.0
    status: int = 503
    times: int = 0
    every: int = 1
    met: int = field(default=0, init=False)
    struck: int = field(default=0, init=False)
    healed: threading.Event = field(default_factory=threading.Event, init=False, repr=False)

    def strikes(self, endpoint: str, principal: str) -> bool:
        if self.endpoint not in ("", endpoint) or self.principal not in ("", principal):
            return False
        if self.times and self.struck >= self.times:
            return False
        self.met += 1
        if self.met % self.every:
            return False
        self.struck += 1
        return True


class Faults:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: dict[str, Fault] = {}

    def inject(self, fault: Fault) -> str:
        """Its id, to heal it by."""
        with self._lock:
            name = uuid.uuid4().hex[:8]
            self._faults[name] = fault
        return name

    def heal(self, name: str = "") -> None:
        """This fault, or all of them. What hangs because of it is answered."""
        with self._lock:
            gone = [name] if name else list(self._faults)
            healed = [
                self._faults.pop(endpoint_fault)
                for endpoint_fault in gone
                if endpoint_fault in self._faults
            ]
        for fault in healed:
            fault.healed.set()

    def list_striking(self, endpoint: str, principal: str) -> list[Fault]:
        with self._lock:
            return [f for f in self._faults.values() if f.strikes(endpoint, principal)]


class Calls:
    """How many requests each endpoint had from each principal. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counted: Counter[tuple[str, str]] = Counter()

    def count(self, endpoint: str, principal: str) -> None:
        with self._lock:
            self._counted[endpoint, principal] += 1

    def count_calls(self, endpoint: str = "", principal: str = "") -> int:
        """Of all endpoints or principals where none is named."""
        with self._lock:
            return sum(
                number
                for (where, who), number in self._counted.items()
                if endpoint in ("", where) and principal in ("", who)
            )

    def counts(self) -> dict[tuple[str, str], int]:
        with self._lock:
            return dict(self._counted)

    def reset(self) -> None:
        with self._lock:
            self._counted.clear()
