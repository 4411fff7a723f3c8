"""What a connection to a server is told: its URL, a credential, TLS material."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from sqe.errors import ErrorCode, UserError
from sqe.model.hosts import is_own_machine
from sqe.model.identity import Secret

if TYPE_CHECKING:
    import pyarrow.flight as flight

DEFAULT_PORT = 32010
_SCHEMES = {"grpc": False, "grpc+tcp": False, "grpc+tls": True}
_NAMES = ("user", "password", "token", "tls_ca", "tls_cert", "tls_key", "tls_host", "plaintext")


@dataclass(frozen=True, slots=True)
class FlightOptions:
    host: str
    port: int
    tls: bool
    user: str = ""
    password: Secret | None = None
    token: Secret | Callable[[], Secret] | None = None  # a function gives the current one
    tls_host: str = ""
    tls_ca: bytes | None = field(default=None, repr=False)
    tls_cert: bytes | None = field(default=None, repr=False)
    tls_key: bytes | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def location(self) -> str:
        return f"grpc+{'tls' if self.tls else 'tcp'}://{self.address}"

    @property
    def credential(self) -> Secret | None:
        """The ``authorization`` header of the first call."""
        if self.password is not None:
            plain = f"{self.user}:{self.password.reveal()}".encode()
            return Secret(f"Basic {base64.b64encode(plain).decode()}")
        return bearer(self.token) if isinstance(self.token, Secret) else None

    @property
    def header_source(self) -> Callable[[], Secret] | None:
        """The ``authorization`` header of a call, where it may be another one each time."""
        token = self.token
        return None if token is None or isinstance(token, Secret) else lambda: bearer(token())

    def connect(self, **how: Any) -> flight.FlightClient:
        import pyarrow.flight as flight

        return flight.FlightClient(
            self.location,
            tls_root_certs=self.tls_ca,
            cert_chain=self.tls_cert,
            private_key=self.tls_key,
            override_hostname=self.tls_host or None,
            **how,
        )

    @classmethod
    def of(cls, url: str, given: Mapping[str, Any]) -> FlightOptions:
        """Checks everything that can be known without the server."""
        for name in given:
            if name not in _NAMES:
                raise _option_error(
                    f"connect() has no option {name}.", f"It has {', '.join(_NAMES)}."
                )
        parts = _parts(url)
        user, password, token = (given.get(name) for name in ("user", "password", "token"))
        options = cls(
            host=parts.hostname or "",
            port=parts.port or DEFAULT_PORT,
            tls=_SCHEMES[parts.scheme],
            user=user or "",
            password=_secret(password),
            token=token if callable(token) else _secret(token),
            tls_host=given.get("tls_host") or "",
            tls_ca=_file(given.get("tls_ca")),
            tls_cert=_file(given.get("tls_cert")),
            tls_key=_file(given.get("tls_key")),
        )
        options._check(plaintext=bool(given.get("plaintext")))
        return options

    def _check(self, *, plaintext: bool) -> None:
        if self.token is not None and (self.user or self.password is not None):
            raise _option_error("Give user and password, or a token, not both.")
        if bool(self.user) != (self.password is not None):
            raise _option_error("A user needs a password, and a password a user.")
        if (self.tls_cert is None) != (self.tls_key is None):
            raise _option_error("A client's certificate needs tls_cert and tls_key.")
        if not self.tls and (self.tls_ca or self.tls_cert or self.tls_host):
            raise _option_error("TLS options need a URL that begins with grpc+tls://.")
        secret = self.password is not None or self.token is not None
        if secret and not self.tls and not plaintext and not is_own_machine(self.host):
            raise _option_error(
                f"A credential would go to {self.host} unencrypted.",
                "Use grpc+tls://; or, where the network is trusted, plaintext=True.",
            )


def bearer(token: Secret) -> Secret:
    return Secret(f"Bearer {token.reveal()}")


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        valid = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    # What is wrong is not repeated: somebody may have put a password into it.
    if not valid or parts.scheme not in _SCHEMES or parts.path not in ("", "/"):
        raise _option_error("The URL of a server is grpc://host:port or grpc+tls://host:port.")
    if parts.username is not None or parts.password is not None:
        raise _option_error("A URL gets written down; give user= and password= instead.")
    if parts.query or parts.fragment:
        raise _option_error("Options are given by name, not in the URL.")
    return parts


def _secret(value: Any) -> Secret | None:
    if value is None or isinstance(value, Secret):
        return value
    return Secret(str(value))


def _file(value: Any) -> bytes | None:
    """The bytes themselves, or of the file."""
    if value is None or isinstance(value, bytes):
        return value
    try:
        return Path(value).expanduser().read_bytes()
    except OSError as error:
        raise _option_error(f"{value} cannot be read: {error.strerror}.") from error


def _option_error(message: str, hint: str = "") -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, message, hint=hint)
