"""Settings of object stores, and of whose keys open what is in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from sqe.settings.addresses import service_url
from sqe.settings.secrets import SecretText
from sqe.settings.strict import Strict

_ROLE = re.compile(r"arn:[a-z0-9-]+:iam:[a-z0-9-]*:[A-Za-z0-9-]*:role/[\w+=,.@/-]{1,512}")
_REGION = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_CREDENTIAL = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def _check_role(role: str) -> str:
    if role and not _ROLE.fullmatch(role):
        raise ValueError("it is not the ARN of a role: arn:aws:iam::123456789012:role/name")
    return role


class ObjectStoreSettings(Strict):
    """S3, or a store like it."""

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
        return _check_role(role)


class CredentialSettings(Strict):
    """Keys of an account in the store, and who acts through it."""

    key_id: SecretText = Field(description="the account's access key; better a reference")
    key: SecretText = Field(description="the account's secret key; better a reference")
    role_arn: str = Field("", description="role that the account takes for them")
    users: list[str] = Field(default_factory=list, description="users who act through it")
    groups: list[str] = Field(
        default_factory=list, description="groups whose members act through it, unless named above"
    )

    @field_validator("role_arn")
    @classmethod
    def _role_is_an_arn(cls, role: str) -> str:
        return _check_role(role)


class StorageSettings(ObjectStoreSettings):
    """Whose keys open the files of a warehouse in S3: the catalog hands out none."""

    auth: Literal["user", "mapped"] = Field(
        description="`user`: the user's own token is exchanged for keys "
        "(AssumeRoleWithWebIdentity); `mapped`: they act through the `credentials` that name them, "
        "and each use is in the audit log"
    )
    narrow: bool = Field(
        True,
        description="engines get keys that open one table's folder for 15 minutes (AssumeRole); "
        "false: the credential itself, for stores without STS",
    )
    credentials: dict[str, CredentialSettings] = Field(
        default_factory=dict,
        description="accounts in the store by name, for `mapped`; who is named by none has no "
        "access",
    )

    @field_validator("credentials")
    @classmethod
    def _everybody_has_one(
        cls, credentials: dict[str, CredentialSettings]
    ) -> dict[str, CredentialSettings]:
        check_mapping(credentials)
        return credentials

    @model_validator(mode="after")
    def _fits(self) -> StorageSettings:
        if bool(self.credentials) != (self.auth == "mapped"):
            raise ValueError('credentials are for auth = "mapped", which needs some')
        if self.auth == "user" and not self.narrow:
            raise ValueError('narrow = false is for auth = "mapped"')
        if self.auth == "user" and not (self.endpoint or self.sts_endpoint or self.role_arn):
            raise ValueError("Amazon's store gives keys for a role only: set role_arn")
        if self.auth == "mapped" and self.role_arn:
            raise ValueError("with mapped credentials a role is set for each of them")
        return self


def check_mapping(credentials: Mapping[str, CredentialSettings]) -> None:
    """ValueError where it is not clear who acts through what."""
    for kind in ("users", "groups"):
        named = [who for one in credentials.values() for who in getattr(one, kind)]
        twice = next((who for who in named if named.count(who) > 1), None)
        if twice is not None:
            raise ValueError(f"{twice} is named twice in {kind}")
    for name, one in credentials.items():
        if not _CREDENTIAL.fullmatch(name):
            raise ValueError(f"{name!r} cannot be a name: letters, digits, _, . and -")
        if not one.users and not one.groups:
            raise ValueError(f"nobody acts through {name}: name users or groups")
