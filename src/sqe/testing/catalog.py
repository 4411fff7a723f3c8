"""A catalog that behaves like Polaris, in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from sqe.http.serving import HttpThread
from sqe.testing.access import Access
from sqe.testing.admin import Admin
from sqe.testing.admin_http import admin_app
from sqe.testing.app import Authenticate, Gate
from sqe.testing.faults import Calls, Faults
from sqe.testing.options import Options, Switches


class PolarisLikeCatalog:
    """A server of Iceberg's REST protocol with Polaris's rules, for tests.

    ``authenticate`` says whose a bearer token is (``StaticTokens``, ``oidc_tokens``) or raises an
    AccessError. It listens on the loopback address. What is in ``admin`` can be done before the
    start and while it runs; with an ``admin_port`` (0: any) other processes can do it over HTTP.
    """

    def __init__(
        self,
        home: Path,
        authenticate: Authenticate,
        options: Options | None = None,
        *,
        port: int = 0,
        admin_port: int | None = None,
    ) -> None:
        self._gate = Gate(authenticate, Access(), Switches(options or Options()), Faults(), Calls())
        self._started = False
        self.admin = Admin(self._gate, home)
        self._http = HttpThread(self._gate.app(), port=port)
        self._admin_http: HttpThread | None = None
        if admin_port is not None:
            self._admin_http = HttpThread(admin_app(self.admin), port=admin_port)

    @property
    def url(self) -> str:
        """What clients take as ``uri``."""
        return f"{self._http.url}/api/catalog"

    @property
    def admin_url(self) -> str:
        if self._admin_http is None:
            raise ValueError("it was made without an admin_port")
        return self._admin_http.url

    def start(self) -> Self:
        if self._started:
            return self
        self._started = True
        self._http.start()
        if self._admin_http is not None:
            self._admin_http.start()
        return self

    def stop(self) -> None:
        self._gate.faults.heal()
        for http in (self._http, self._admin_http):
            if http is not None:
                http.stop()
        for lake in self._gate.lakes.values():
            lake.catalog.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
