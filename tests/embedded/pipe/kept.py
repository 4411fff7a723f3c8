"""The shared server, as commands of the command line see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqe.gateway.gateway import Gateway
from sqe.server.state import Part


@dataclass
class Kept:
    """The tests' server for a command, which may neither start nor stop it."""

    gateway: Gateway

    def start(self, warm_spark: bool) -> None:
        return None

    def listen(self, host: str | None, port: int | None) -> str:
        return ""

    def listen_iceberg(self) -> str:
        return ""

    def listen_trino(self, host: str | None, port: int | None) -> str:
        return ""

    def follow(self, source: object) -> None:
        return None

    def reread_settings(self) -> None:
        return None

    def warm_local(self) -> None:
        return None

    def drain(self, seconds: float) -> None:
        return None

    def close(self, within: float | None = None) -> None:
        return None

    @property
    def listening(self) -> bool:
        return True

    def parts(self) -> list[Part]:
        return []

    def exposition(self, accept: str = "") -> tuple[bytes, str] | None:
        return None

    def status(self) -> dict[str, Any]:
        return {}
