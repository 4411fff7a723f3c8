"""The places in object stores that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.settings import LocationSettings, Settings
from sqe.settings.sizes import MB

if TYPE_CHECKING:
    from pathlib import Path

    from sqe.engines.locations.location import Location
    from sqe.engines.locations.locations import Locations


def locations_of(settings: Settings, folder: Path) -> Locations | None:
    """``folder`` is for copies of objects. None where the settings name no place."""
    if not settings.locations:
        return None
    from sqe.engines.locations.locations import Locations  # HTTP is not needed without them

    made = [_location(name, location, settings) for name, location in settings.locations.items()]
    limits = settings.load.download_mb * MB, settings.unload.object_mb * MB
    return Locations(made, folder, *limits)


def _location(name: str, location: LocationSettings, settings: Settings) -> Location:
    from sqe.catalog.storage.bucket_warehouse import token_service
    from sqe.engines.locations.location import Location
    from sqe.model.object_paths import object_path

    what = f"object store of location {name}"
    sts = token_service(f"locations.{name}", what, location, location.prefix, settings)
    return Location(name, object_path(location.prefix), location.audience, location.unload, sts)
