"""Where objects of a table are and the keys to them, as its catalog says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlsplit

from sqe.catalog.sigv4 import NO_BODY, SigV4
from sqe.model.identity import Secret

_S3 = ("s3://", "s3a://", "s3n://")


def s3_url(location: str) -> str | None:
    """The location as DuckDB spells it; None for one that is not in S3."""
    for scheme in _S3:
        if location.startswith(scheme):
            return "s3://" + location.removeprefix(scheme)
    return None


@dataclass(frozen=True)
class S3Place:
    """Where the objects under a prefix are."""

    prefix: str
    region: str
    endpoint: str  # empty: Amazon's own
    path_style: bool

    @property
    def tls(self) -> bool:
        return not self.endpoint.lower().startswith("http://")

    @property
    def host(self) -> str:
        if not self.endpoint:
            china = ".cn" if self.region.startswith("cn-") else ""
            return f"s3.{self.region}.amazonaws.com{china}"
        return urlsplit(self.endpoint).netloc if "://" in self.endpoint else self.endpoint

    def url(self, path: str) -> str:
        """The HTTP address of s3://bucket/key."""
        bucket, _, key = path.removeprefix("s3://").partition("/")
        scheme, name = "https" if self.tls else "http", quote(key, safe="/")
        if self.path_style:
            return f"{scheme}://{self.host}/{bucket}/{name}"
        return f"{scheme}://{bucket}.{self.host}/{name}"


def place_of(prefix: str, config: Mapping[str, str]) -> S3Place:
    return S3Place(
        prefix=prefix,
        region=config.get("client.region") or config.get("s3.region") or "us-east-1",
        endpoint=config.get("s3.endpoint", ""),
        path_style=config.get("s3.path-style-access", "false").lower() == "true",
    )


@dataclass(frozen=True)
class S3Credentials(S3Place):
    """Credentials for the objects under a prefix. ``expires_at``: in seconds since 1970."""

    key_id: Secret
    key: Secret
    token: Secret | None = None
    expires_at: float | None = None

    def sign(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        digest: str = NO_BODY,
        now: datetime | None = None,
    ) -> dict[str, str]:
        """The headers of a request; ``digest`` is its body's."""
        token = {"x-amz-security-token": self.token.reveal()} if self.token is not None else {}
        signer = SigV4(self.key_id.reveal(), self.key, self.region)
        return signer.headers(method, url, {**(headers or {}), **token}, digest, now)


def keys_of_config(prefix: str, config: Mapping[str, str]) -> S3Credentials | None:
    """None if the config of a table, as Iceberg has it, holds no keys."""
    key_id, key = config.get("s3.access-key-id"), config.get("s3.secret-access-key")
    if not key_id or not key:
        return None
    token = config.get("s3.session-token")
    ends = config.get("s3.session-token-expires-at-ms", "")
    return S3Credentials(
        **vars(place_of(prefix, config)),
        key_id=Secret(key_id),
        key=Secret(key),
        token=Secret(token) if token else None,
        expires_at=int(ends) / 1000 if ends.isdecimal() else None,
    )
