"""Whether a server would start with these settings. Nothing is started, made or asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sqe.errors import SqeError
from sqe.server.access import Access
from sqe.server.build import UPLOADS
from sqe.server.catalogs import make_others
from sqe.server.listening import check_listening
from sqe.server.locations import locations_of
from sqe.server.policies import policies_of
from sqe.server.tls import TlsFiles
from sqe.server.traces import tracer_of
from sqe.settings import Settings
from sqe.store.database import Database


@dataclass(frozen=True, slots=True)
class CheckedPart:
    """``error``: what a start would end with."""

    name: str
    error: SqeError | None = None


def check_parts(settings: Settings) -> Iterator[CheckedPart]:
    """Every part, whatever is wrong with the ones before it."""
    for name, check in _CHECKS.items():
        try:
            check(settings)
        except SqeError as error:
            yield CheckedPart(name, error)
        else:
            yield CheckedPart(name)


def _addresses(settings: Settings) -> None:
    if settings.flight.enabled:
        check_listening(settings, settings.flight.host)
    if settings.trino.enabled:
        check_listening(settings, settings.trino.host, "trino")


def _certificates(settings: Settings) -> None:
    TlsFiles(settings.tls, settings.home).read()


def _users(settings: Settings) -> None:
    Access(settings, Database(settings.home, settings.store.secret)).close()


def _policies(settings: Settings) -> None:
    policies_of(settings, Database(settings.home, settings.store.secret)).close()


def _catalogs(settings: Settings) -> None:
    for catalog in make_others(settings).values():
        catalog.close()


def _locations(settings: Settings) -> None:
    locations = locations_of(settings, settings.home / UPLOADS)
    if locations is not None:
        locations.close()


def _traces(settings: Settings) -> None:
    tracer_of(settings).close()


_CHECKS: Mapping[str, Callable[[Settings], None]] = {
    "addresses": _addresses,
    "certificates": _certificates,
    "users": _users,
    "policies": _policies,
    "catalogs": _catalogs,
    "locations": _locations,
    "traces": _traces,
}
