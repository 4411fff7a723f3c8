"""What a server needs to speak TLS."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM. With ``client_authorities`` every client must show a certificate signed by one."""

    certificate: bytes
    key: bytes = field(repr=False)
    client_authorities: bytes | None = None
