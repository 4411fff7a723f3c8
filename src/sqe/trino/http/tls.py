"""TLS for the event loop, and what a client's certificate says."""

from __future__ import annotations

import ssl
import tempfile
from pathlib import Path
from typing import Any

from sqe.http.tls import Tls


def context_of(tls: Tls) -> ssl.SSLContext:
    """Python reads certificates from files only, so there are some for a moment."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Path(folder, "certificate.pem"), Path(folder, "key.pem")
        certificate.write_bytes(tls.certificate)
        key.write_bytes(tls.key)
        context.load_cert_chain(certificate, key)
    if tls.client_authorities is not None:
        context.load_verify_locations(cadata=tls.client_authorities.decode("ascii", "replace"))
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def certificate_name(certificate: dict[str, Any] | None) -> str:
    """Its first alternative name, or its common name if it has none; as for Flight SQL."""
    if not certificate:
        return ""
    names = [str(value) for _, value in certificate.get("subjectAltName", ())]
    parts = [pair for part in certificate.get("subject", ()) for pair in part]
    common = [str(value) for kind, value in parts if kind == "commonName"]
    return next(iter(names or common), "")
