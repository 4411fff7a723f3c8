"""Settings of places in object stores: files are read and written there as the user who asks."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field, field_validator, model_validator

from sqe.model.object_paths import has_pattern, object_path
from sqe.settings.object_stores import ObjectStoreSettings


class LocationSettings(ObjectStoreSettings):
    """A folder in S3, or in a store like it. SQE has no keys to it: the token of the user who asks
    is exchanged for keys that last for one statement (AssumeRoleWithWebIdentity)."""

    prefix: str = Field(description="what may be loaded from: s3://bucket/folder/")
    unload: bool = Field(False, description="COPY TO may write there, too")

    @field_validator("prefix")
    @classmethod
    def _prefix_is_a_folder(cls, prefix: str) -> str:
        path = object_path(prefix)
        if has_pattern(path.key):
            raise ValueError("it has a sign of a pattern in it: name the folder alone")
        return str(path.folder)

    @model_validator(mode="after")
    def _amazon_has_roles(self) -> LocationSettings:
        if not (self.endpoint or self.sts_endpoint or self.role_arn):
            raise ValueError("Amazon's store gives keys for a role only: set role_arn")
        return self


def check_locations(locations: Iterable[LocationSettings]) -> None:
    """ValueError where one place has two settings."""
    prefixes = [location.prefix for location in locations]
    twice = next((prefix for prefix in prefixes if prefixes.count(prefix) > 1), None)
    if twice is not None:
        raise ValueError(f"{twice} is there twice")
