"""Amazon's request signature, version 4: for calls to STS and MinIO, and for remote signing."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from sqe.catalog.embedded.s3 import S3Keys

UNSIGNED = "UNSIGNED-PAYLOAD"


@dataclass(frozen=True, slots=True)
class Signer:
    keys: S3Keys
    region: str
    service: str

    def headers(
        self, method: str, url: str, headers: Mapping[str, str], payload_hash: str
    ) -> dict[str, str]:
        """The headers to send: those given, and host, date, digest and signature."""
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        parts = urlsplit(url)
        sent = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
        sent |= {"host": parts.netloc, "x-amz-date": now, "x-amz-content-sha256": payload_hash}
        names = ";".join(sorted(sent))
        canonical = "\n".join(
            (
                method,
                quote(unquote(parts.path or "/"), safe="/~-._"),
                _query(parts.query),
                "".join(f"{name}:{sent[name]}\n" for name in sorted(sent)),
                names,
                payload_hash,
            )
        )
        scope = f"{now[:8]}/{self.region}/{self.service}/aws4_request"
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{digest}"
        signature = hmac.new(self._key(now[:8]), text.encode(), hashlib.sha256).hexdigest()
        sent["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={self.keys.access_key}/{scope},"
            f" SignedHeaders={names}, Signature={signature}"
        )
        return sent

    def _key(self, day: str) -> bytes:
        key = f"AWS4{self.keys.secret_key.reveal()}".encode()
        for part in (day, self.region, self.service, "aws4_request"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return key


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _query(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    coded = sorted((quote(k, safe="~-._"), quote(v, safe="~-._")) for k, v in pairs)
    return "&".join(f"{key}={value}" for key, value in coded)
