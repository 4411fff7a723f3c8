"""Where objects of a table are, as its catalog says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

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
