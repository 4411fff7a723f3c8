"""What a server needs to speak TLS, for Python's event loop too."""

from __future__ import annotations

import ssl
import tempfile
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM. With ``client_authorities`` every client must show a certificate signed by one."""

    certificate: bytes
    key: bytes = field(repr=False)
    client_authorities: bytes | None = None


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
