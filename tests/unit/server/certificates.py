"""Certificates made on the spot: an authority, and what it signs."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Pair:
    """A certificate and its key, both as PEM."""

    certificate: bytes
    key: bytes = field(repr=False)


class Authority:
    """Signs certificates of servers (for localhost) and of clients."""

    def __init__(self, name: str = "test authority") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named(name)
        builder = _builder(self._name, self._name, self._key.public_key(), 0, 30)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        self.pem = _pem(builder.sign(self._key, hashes.SHA256()))

    def server(self, *, since: float = -1, until: float = 30) -> Pair:
        """``since`` and ``until`` in days from now."""
        names = [
            x509.DNSName("localhost"),
            x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
        ]
        return self._sign("localhost", names, since, until)

    def client(self, common_name: str, *alternative: str) -> Pair:
        return self._sign(common_name, [x509.RFC822Name(name) for name in alternative], -1, 30)

    def _sign(
        self, name: str, alternative: list[x509.GeneralName], since: float, until: float
    ) -> Pair:
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_named(name), self._name, key.public_key(), since, until)
        if alternative:
            builder = builder.add_extension(x509.SubjectAlternativeName(alternative), False)
        return Pair(_pem(builder.sign(self._key, hashes.SHA256())), key_pem(key))


def key_pem(key: ec.EllipticCurvePrivateKey, password: bytes | None = None) -> bytes:
    protection: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if password is not None:
        protection = serialization.BestAvailableEncryption(password)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, protection
    )


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    since: float,
    until: float,
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=since))
        .not_valid_after(now + timedelta(days=until))
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
