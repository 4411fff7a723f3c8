"""What is known of a catalog before it is asked anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqe.model.identity import Secret


@dataclass(frozen=True, slots=True)
class RestOptions:
    """``uri`` is what clients add ``/v1`` to, without a slash at its end."""

    name: str
    uri: str
    warehouse: str = ""
    headers: Mapping[str, Secret] = field(default_factory=dict)
    delegation: str = ""  # value of X-Iceberg-Access-Delegation; empty: none
    audience: str = ""
    unique_locations: bool = True  # of what is made: below its schema's, where that is told
    shows_token: bool = True  # False: an open server, which is shown no one's
    timeout_s: float = 30.0
    cache_s: float = 30.0
    authorities: Path | None = None
