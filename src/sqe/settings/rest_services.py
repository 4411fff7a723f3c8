"""What is known of services that speak the Iceberg REST protocol: their address, what they call a
warehouse, and what they expect where the settings say nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

_NAME = r"[^/\s:]+"


@dataclass(frozen=True, slots=True)
class RestService:
    """``path``: behind an address that is given without one. ``warehouse`` in words, and as a
    pattern; ``optional``: it may be left out. ``defaults`` of other settings. ``host``: the
    pattern of all its addresses, where it is run by its maker."""

    path: str
    warehouse: str
    pattern: str = _NAME
    optional: bool = False
    defaults: Mapping[str, Any] = field(default_factory=dict)
    host: str = ""


SERVICES: Mapping[str, RestService] = {
    "polaris": RestService("/api/catalog", "the name of a catalog in Polaris"),
    "nessie": RestService(
        "/iceberg",
        "the name of a warehouse in Nessie's settings, and not its location",
        optional=True,
        defaults={"delegation": "vended-credentials,remote-signing"},
    ),
    # It gives each table a folder named by an id.
    "lakekeeper": RestService(
        "/catalog",
        "the name of a warehouse, or project-id/name",
        pattern=rf"(?:[0-9A-Fa-f-]{{36}}/)?{_NAME}",
        defaults={"unique_locations": False},
    ),
    "gravitino": RestService(
        "/iceberg", "the name of a catalog; unset: the server's default", optional=True
    ),
    "unity": RestService(
        "/api/2.1/unity-catalog/iceberg-rest",
        "the name of a catalog in Unity",
        defaults={"unique_locations": False},
    ),
    "horizon": RestService(
        "/polaris/api/catalog",
        "the name of a database in Snowflake",
        defaults={"unique_locations": False},
        host=r".+\.snowflakecomputing\.com",
    ),
}


def fill_in(values: Any) -> Any:
    """The settings of a catalog with what its service expects; what is said stays."""
    service = SERVICES.get(str(values.get("service"))) if isinstance(values, dict) else None
    if service is None:
        return values
    filled = {**service.defaults, **values}
    uri = values.get("uri")
    if isinstance(uri, str) and urlsplit(uri).path in ("", "/"):
        filled["uri"] = uri.rstrip("/") + service.path
    return filled


def check_service(name: str, uri: str, warehouse: str) -> None:
    """ValueError says what the service wants instead."""
    service = SERVICES[name]
    if service.host and not re.fullmatch(service.host, urlsplit(uri).hostname or ""):
        raise ValueError(f"{urlsplit(uri).hostname} is not an address of {name}")
    if not warehouse and service.optional:
        return
    if not re.fullmatch(service.pattern, warehouse):
        raise ValueError(f"warehouse must be {service.warehouse}")
