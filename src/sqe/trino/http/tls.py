"""What a client's certificate says."""

from __future__ import annotations

from typing import Any


def certificate_name(certificate: dict[str, Any] | None) -> str:
    """Its first alternative name, or its common name if it has none; as for Flight SQL."""
    if not certificate:
        return ""
    names = [str(value) for _, value in certificate.get("subjectAltName", ())]
    parts = [pair for part in certificate.get("subject", ()) for pair in part]
    common = [str(value) for kind, value in parts if kind == "commonName"]
    return next(iter(names or common), "")
