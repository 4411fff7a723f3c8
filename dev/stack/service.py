"""What the stack knows of each of its services."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from dev.stack.processes import Command


class Service(Protocol):
    """A program of the stack. The methods are called in this order, each once."""

    @property
    def name(self) -> str: ...

    @property
    def needs(self) -> tuple[str, ...]:
        """Services that are up and provisioned before this one is started."""

    @property
    def port(self) -> int: ...

    def prepare(self) -> None:
        """Fetches and builds what is not in the cache. Minutes the first time, nothing later."""

    def command(self, folder: Path) -> Command:
        """How it is started; it may write its settings into the folder, which is its own."""

    def ready(self) -> bool:
        """It answers."""

    def provision(self) -> None:
        """Makes what everybody expects to find. Doing it twice is no harm."""


def answers(url: str) -> bool:
    """It is there and well."""
    try:
        return status(url) == 200
    except OSError:
        return False


def status(
    url: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    method: str | None = None,
) -> int:
    """The status of the answer; OSError if there is none."""
    request = urllib.request.Request(url, body, dict(headers or {}), method=method)
    try:
        with _opener.open(request, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def content(request: urllib.request.Request) -> bytes:
    with _opener.open(request, timeout=60) as answer:
        return bytes(answer.read())


# Loopback is never reached through a proxy, whatever the environment says.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
