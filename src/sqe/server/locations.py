"""The places in object stores that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.errors import ErrorCode, UserError
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
    from sqe.catalog.s3_place import S3Place
    from sqe.engines.locations.location import Location
    from sqe.http.client import Http, HttpOptions
    from sqe.model.object_paths import object_path

    authorities = location.authorities
    if authorities is not None:
        authorities = settings.in_home(authorities)
        if not authorities.is_file():
            raise UserError(
                ErrorCode.INVALID_SETTINGS, f"locations.{name}.authorities: no file {authorities}."
            )
    options = HttpOptions(
        f"The object store of location {name}",
        ErrorCode.STORAGE_UNAVAILABLE,
        total_s=location.timeout_s,
        authorities=authorities,
    )
    place = S3Place(location.prefix, location.region, location.endpoint, location.path_style)
    return Location(
        name=name,
        prefix=object_path(location.prefix),
        place=place,
        sts=location.sts_endpoint or location.endpoint or _amazon_sts(location.region),
        role_arn=location.role_arn,
        audience=location.audience,
        unload=location.unload,
        http=Http(options),
    )


def _amazon_sts(region: str) -> str:
    china = ".cn" if region.startswith("cn-") else ""
    return f"https://sts.{region}.amazonaws.com{china}"
