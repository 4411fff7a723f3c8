"""What listens for clients, with all that a server needs around it."""

from __future__ import annotations

from typing import Protocol

from sqe.gateway.gateway import Gateway
from sqe.http.tls import Tls
from sqe.server.access import Access
from sqe.server.listening import Section, check_listening
from sqe.server.tls import TlsFiles, TlsWatch, valid_until
from sqe.settings import Settings


class ProtocolServer(Protocol):
    """One protocol's server."""

    def start(self) -> int:
        """The port it listens on."""
        ...

    def reload(self, tls: Tls) -> None: ...
    def drain(self, seconds: float) -> None:
        """Waits that long for clients to fetch the rest of what they are owed."""
        ...

    def stop(self) -> None: ...


class Front:
    """Listens from ``start`` to ``stop``; meanwhile changed certificates are taken up."""

    section: Section  # of the settings: its host and port
    schemes: tuple[str, str]  # in the address, without TLS and with it

    def __init__(self, settings: Settings, gateway: Gateway, access: Access) -> None:
        self._settings = settings
        self._gateway = gateway
        self._access = access
        self._server: ProtocolServer | None = None
        self._watch: TlsWatch | None = None
        self._host = ""

    def make(self, host: str, port: int, tls: Tls | None) -> ProtocolServer:
        raise NotImplementedError

    def start(self, host: str | None = None, port: int | None = None) -> str:
        """Where it listens, as clients write it. INVALID_SETTINGS if it must not or cannot."""
        settings = self._settings
        section = getattr(settings, self.section)
        host = self._host = section.host if host is None else host
        self.check(settings)
        files = TlsFiles(settings.tls, settings.home)
        tls = files.read()
        server = self.make(host, section.port if port is None else port, tls)
        number = server.start()
        self._server = server
        if tls is not None:
            self._watch = TlsWatch(files, tls, server.reload, settings.tls.check_s)
            self._watch.start()
        return f"{self.schemes[tls is not None]}://{host_in_address(host)}:{number}"

    def check(self, settings: Settings) -> None:
        """INVALID_SETTINGS if it must not listen where it does with these settings."""
        check_listening(settings, self._host, self.section)

    @property
    def certificate_end(self) -> float | None:
        """Of the certificate in use, in seconds since 1970; None without TLS."""
        if self._watch is None:
            return None
        return valid_until(self._watch.in_use).timestamp()

    def drain(self, seconds: float) -> None:
        if self._server is not None:
            self._server.drain(seconds)

    def stop(self) -> None:
        if self._server is None:
            return
        if self._watch is not None:
            self._watch.stop()
        self._server.stop()
        self._server = None


def host_in_address(host: str) -> str:
    """As addresses have it."""
    return f"[{host}]" if ":" in host else host
