"""TLS files: read, checked, and taken up again when they change."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes

from sqe.errors import ErrorCode, SqeError, UserError
from sqe.http.tls import Tls
from sqe.settings import TlsSettings

_log = logging.getLogger(__name__)
_AGAIN_S = 1.0
_STOP_S = 5.0


class TlsFiles:
    """Paths that are not absolute are in the home."""

    def __init__(self, settings: TlsSettings, home: Path) -> None:
        self._settings = settings
        self._home = home

    def read(self) -> Tls | None:
        """None without a certificate in the settings. INVALID_SETTINGS, naming the setting and
        the file, if what is there would not work."""
        settings = self._settings
        if settings.certificate is None or settings.key is None:
            return None
        certificate = self._read("certificate", settings.certificate)
        key = self._read("key", settings.key)
        public = _check_certificate(
            certificate, self._file_name("certificate", settings.certificate)
        )
        if _public_key_of(key, self._file_name("key", settings.key)) != _raw(public):
            raise _setting_error(
                self._file_name("key", settings.key),
                f"is not the key of {self._path(settings.certificate)}",
            )
        authorities = None
        if settings.client_authorities is not None:
            authorities = self._read("client_authorities", settings.client_authorities)
            _certificates(
                authorities, self._file_name("client_authorities", settings.client_authorities)
            )
        return Tls(certificate, key, authorities)

    def _path(self, path: Path) -> Path:
        return self._home / path.expanduser()

    def _file_name(self, setting: str, path: Path) -> str:
        return f"tls.{setting}: {self._path(path)}"

    def _read(self, setting: str, path: Path) -> bytes:
        try:
            return self._path(path).read_bytes()
        except OSError as error:
            raise _setting_error(
                self._file_name(setting, path), f"cannot be read: {error.strerror}"
            ) from error


class TlsWatch:
    """Looks at the files now and then and hands over what is new and good. What is not good is
    logged, and the certificate in use stays. ``reload`` may raise: it is asked again."""

    def __init__(
        self, files: TlsFiles, in_use: Tls, reload: Callable[[Tls], None], every_s: float
    ) -> None:
        self._files = files
        self._in_use = in_use
        self._reload = reload
        self._every_s = self._next_s = every_s
        self._complaint = ""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._watch, name="tls-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_STOP_S)

    @property
    def in_use(self) -> Tls:
        return self._in_use

    def look(self) -> None:
        """One look, as the thread does it every ``every_s``. Never raises."""
        reloading = False
        try:
            files = self._files.read()
            if files is not None and files != self._in_use:
                reloading = True
                self._reload(files)
                reloading, self._in_use = False, files
                _log.info("the TLS certificate was changed")
            self._complaint = ""
        except Exception as error:  # noqa: BLE001  the server must go on with what it has
            complaint = str(error) if isinstance(error, SqeError) else type(error).__name__
            if complaint != self._complaint:
                _log.error("changed TLS files are not used: %s", complaint)
            self._complaint = complaint
        # Half way through a change nobody may be listening: that cannot wait.
        self._next_s = min(_AGAIN_S, self._every_s) if reloading else self._every_s

    def _watch(self) -> None:
        while not self._stop.wait(self._next_s):
            self.look()


def valid_until(tls: Tls) -> datetime:
    return x509.load_pem_x509_certificates(tls.certificate)[0].not_valid_after_utc


def _check_certificate(pem: bytes, name: str) -> CertificatePublicKeyTypes:
    """The public key of the first certificate, which is the server's own, if it is valid today."""
    own = _certificates(pem, name)[0]
    now = datetime.now(UTC)
    if now < own.not_valid_before_utc:
        raise _setting_error(
            name, f"is not valid before {own.not_valid_before_utc:%Y-%m-%d %H:%M} UTC"
        )
    if now > own.not_valid_after_utc:
        raise _setting_error(name, f"expired on {own.not_valid_after_utc:%Y-%m-%d %H:%M} UTC")
    return own.public_key()


def _certificates(pem: bytes, name: str) -> list[x509.Certificate]:
    try:
        return x509.load_pem_x509_certificates(pem)
    except ValueError as error:
        raise _setting_error(name, "has no certificate in PEM form") from error


def _public_key_of(pem: bytes, name: str) -> bytes:
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except TypeError:
        raise _setting_error(name, "is protected by a password, which SQE cannot ask for") from None
    except Exception:  # noqa: BLE001  its text might quote the key
        raise _setting_error(name, "has no private key in PEM form") from None
    return key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _raw(key: CertificatePublicKeyTypes) -> bytes:
    return key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _setting_error(name: str, what: str) -> UserError:
    return UserError(ErrorCode.INVALID_SETTINGS, f"{name} {what}.")
