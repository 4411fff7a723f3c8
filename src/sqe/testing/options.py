"""What of the test catalog's behaviour can be switched, at the start or while it runs."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Options:
    """The defaults are Polaris's."""

    realm: str = "POLARIS"
    paging: bool = False
    idempotency: bool = False
    purge: bool = False  # DROP TABLE … PURGE; refused by default
    fine_grained_updates: bool = True
    credential_seconds: int = 3600  # what STS is asked for; MinIO gives at least 900
    # Say that vended credentials end this soon, though they live longer: clients refresh often.
    claimed_seconds: float | None = None
    # Polaris has none. On: loads offer only signatures of single requests, never credentials.
    remote_signing: bool = False


class Switches:
    """The options in force. Thread-safe: a request sees one consistent set."""

    def __init__(self, options: Options) -> None:
        self._lock = threading.Lock()
        self._options = options

    @property
    def now(self) -> Options:
        return self._options

    def set(self, **changes: Any) -> None:
        """TypeError for an option that there is not."""
        with self._lock:
            self._options = replace(self._options, **changes)
