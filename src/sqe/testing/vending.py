"""Storage credentials for one table at a time, from STS."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlencode

from sqe.catalog.s3_place import S3Credentials
from sqe.catalog.sigv4 import SigV4
from sqe.catalog.storage.bucket import Bucket
from sqe.catalog.storage.keys import FixedKeys
from sqe.errors import ErrorCode
from sqe.http.client import Answer, Http, HttpOptions
from sqe.model.identity import Secret
from sqe.testing.answers import PolarisError
from sqe.testing.options import Options
from sqe.testing.policy import session_policy

_SESSION_NAME = "PolarisAwsCredentialsStorageIntegration"
_ROLE = "arn:aws:iam::000000000000:role/polaris"  # MinIO does not look at it
_CACHE_S = 1800.0
_FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class S3Keys:
    access_key: str
    secret_key: Secret


@dataclass(frozen=True, slots=True)
class S3Storage:
    """Credentials are vended in the name of ``keys``, which also write the metadata.

    ``root_keys``: of MinIO's root. They write the metadata instead, and can take away what was
    vended while it is in use: ``keys`` must then be those of another user of MinIO.
    """

    root: str  # s3://bucket/folder
    keys: S3Keys
    endpoint: str
    region: str = "us-east-1"
    root_keys: S3Keys | None = None
    _vended: dict[Hashable, tuple[dict[str, str], float]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    _http: Http = field(
        default_factory=lambda: Http(
            HttpOptions("The test storage", ErrorCode.STORAGE_UNAVAILABLE, total_s=10.0)
        ),
        compare=False,
    )

    @property
    def own_keys(self) -> S3Keys:
        """What the catalog itself reads, writes and signs with."""
        return self.root_keys or self.keys

    def disk(self) -> Bucket:
        keys = S3Credentials(
            prefix=self.root,
            region=self.region,
            endpoint=self.endpoint,
            path_style=True,
            key_id=Secret(self.own_keys.access_key),
            key=self.own_keys.secret_key,
        )
        return Bucket(self.root, FixedKeys(keys), self._http)

    def address(self) -> dict[str, str]:
        """What a client needs besides credentials."""
        return {
            "client.region": self.region,
            "s3.endpoint": self.endpoint,
            "s3.path-style-access": "true",
        }

    def vend(self, locations: list[str], options: Options, *, write: bool) -> dict[str, str]:
        """Keys that open these locations and nothing else, until they end. Who asks for the same
        gets the same, whoever it is, until half of their life is over, or half an hour."""
        key = (*locations, write, options.credential_seconds, options.claimed_seconds)
        kept, until = self._vended.get(key, ({}, 0.0))
        now = time.time()
        if now < until:
            return dict(kept)
        keys = self._assume_role(locations, options, write=write)
        ends = int(keys["s3.session-token-expires-at-ms"]) / 1000
        self._vended[key] = keys, now + min((ends - now) / 2, _CACHE_S)
        return dict(keys)

    def _assume_role(
        self, locations: list[str], options: Options, *, write: bool
    ) -> dict[str, str]:
        fields = {
            "Action": "AssumeRole",
            "Version": "2011-06-15",
            "RoleArn": _ROLE,
            "RoleSessionName": _SESSION_NAME,
            "DurationSeconds": str(options.credential_seconds),
            "Policy": session_policy(locations, write=write),
        }
        answer = self._send_signed("POST", f"{self.endpoint}/", "sts", urlencode(fields).encode())
        text = answer.body.decode(errors="replace")
        if answer.status != 200:
            message = _element(text, "Message") or f"STS answered {answer.status}"
            raise PolarisError(500, "StsException", message)
        ends = datetime.fromisoformat(_element(text, "Expiration")).timestamp()
        if options.claimed_seconds is not None:
            ends = min(ends, time.time() + options.claimed_seconds)
        return {
            "s3.access-key-id": _element(text, "AccessKeyId"),
            "s3.secret-access-key": _element(text, "SecretAccessKey"),
            "s3.session-token": _element(text, "SessionToken"),
            "s3.session-token-expires-at-ms": str(int(ends * 1000)),
        }

    def set_vending(self, *, enabled: bool) -> None:
        """Off: MinIO refuses every credential vended so far, and STS gives no new one."""
        if self.root_keys is None:
            raise ValueError("only who has MinIO's root keys can revoke vended credentials")
        status = "enabled" if enabled else "disabled"
        query = urlencode({"accessKey": self.keys.access_key, "status": status})
        url = f"{self.endpoint}/minio/admin/v3/set-user-status?{query}"
        answer = self._send_signed("PUT", url, "s3", b"", self.root_keys)
        if answer.status != 200:
            raise RuntimeError(f"MinIO answered {answer.status} to a change of a user's status")
        self._vended.clear()

    def _send_signed(
        self, method: str, url: str, service: str, body: bytes, keys: S3Keys | None = None
    ) -> Answer:
        used = keys or self.keys
        signer = SigV4(used.access_key, used.secret_key, self.region, service)
        headers = {"content-type": _FORM} if body else {}
        signed = signer.headers(method, url, headers, hashlib.sha256(body).hexdigest())
        return self._http.call(method, url, signed, body or None)


def _element(xml: str, name: str) -> str:
    match = re.search(f"<{name}>([^<]*)</{name}>", xml)
    return match.group(1) if match else ""
