"""Amazon's request signature, version 4."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from sqe.model.identity import Secret

NO_BODY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class SigV4:
    """Signs with one set of keys, for one region of one service (s3, sts)."""

    key_id: str
    secret: Secret
    region: str
    service: str = "s3"

    def headers(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        payload_hash: str = NO_BODY,
        now: datetime | None = None,
    ) -> dict[str, str]:
        """The headers to send: those given, and host, date, digest and signature."""
        moment = (now or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
        parts = urlsplit(url)
        sent = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
        sent |= {"host": parts.netloc, "x-amz-date": moment, "x-amz-content-sha256": payload_hash}
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
        scope = f"{moment[:8]}/{self.region}/{self.service}/aws4_request"
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{digest}"
        sent["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={self.key_id}/{scope},"
            f" SignedHeaders={names}, Signature={_mac(self._key(moment[:8]), text).hex()}"
        )
        return sent

    def _key(self, day: str) -> bytes:
        key = f"AWS4{self.secret.reveal()}".encode()
        for part in (day, self.region, self.service, "aws4_request"):
            key = _mac(key, part)
        return key


def _mac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def _query(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    coded = sorted((quote(k, safe="~-._"), quote(v, safe="~-._")) for k, v in pairs)
    return "&".join(f"{key}={value}" for key, value in coded)
