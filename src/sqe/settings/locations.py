"""Settings of places in object stores: files are read and written there as the user who asks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from sqe.model.object_paths import has_pattern, object_path
from sqe.settings.addresses import service_url
from sqe.settings.strict import Strict

_ROLE = re.compile(r"arn:[a-z0-9-]+:iam:[a-z0-9-]*:[A-Za-z0-9-]*:role/[\w+=,.@/-]{1,512}")
_REGION = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


class LocationSettings(Strict):
    """A folder in S3, or in a store like it. SQE has no keys to it: the token of the user who asks
    is exchanged for keys that last for one statement (AssumeRoleWithWebIdentity)."""

    prefix: str = Field(description="what may be loaded from: s3://bucket/folder/")
    unload: bool = Field(False, description="COPY TO may write there, too")
    endpoint: str = Field(
        "",
        description="address of the store; https, but for one on this machine; empty: Amazon's",
    )
    region: str = Field("us-east-1", description="region that requests are signed for")
    path_style: bool = Field(
        False, description="the bucket is in the path of addresses, not in the name of the host"
    )
    sts_endpoint: str = Field(
        "", description="address that exchanges tokens for keys; empty: that of the store"
    )
    role_arn: str = Field(
        "", description="role that users take; empty where the store goes by the token alone"
    )
    audience: str = Field(
        "",
        description="exchange the user's token for one with this audience before the store sees it "
        "(RFC 8693)",
    )
    timeout_s: float = Field(30.0, gt=0, description="longest wait for an answer")
    authorities: Path | None = Field(
        None,
        description="PEM file of those who sign the store's certificate, in the home unless "
        "absolute; unset: the system's",
    )

    @field_validator("prefix")
    @classmethod
    def _prefix_is_a_folder(cls, prefix: str) -> str:
        path = object_path(prefix)
        if has_pattern(path.key):
            raise ValueError("it has a sign of a pattern in it: name the folder alone")
        return str(path.folder)

    @field_validator("endpoint", "sts_endpoint")
    @classmethod
    def _address_is_safe(cls, address: str) -> str:
        return service_url(address) if address else ""

    @field_validator("endpoint")
    @classmethod
    def _endpoint_is_a_host(cls, endpoint: str) -> str:
        if urlsplit(endpoint).path:
            raise ValueError("it must be the address of a host, without a path")
        return endpoint

    @field_validator("region")
    @classmethod
    def _region_is_a_name(cls, region: str) -> str:
        if not _REGION.fullmatch(region):
            raise ValueError("it is not the name of a region")
        return region

    @field_validator("role_arn")
    @classmethod
    def _role_is_an_arn(cls, role: str) -> str:
        if role and not _ROLE.fullmatch(role):
            raise ValueError("it is not the ARN of a role: arn:aws:iam::123456789012:role/name")
        return role

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
