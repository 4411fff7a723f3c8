"""Iceberg's REST protocol."""

from __future__ import annotations

from dataclasses import replace

from sqe.http.tls import Tls
from sqe.protocols.iceberg_rest.options import IcebergOptions
from sqe.protocols.iceberg_rest.routes import ROOT
from sqe.protocols.iceberg_rest.server import IcebergServer
from sqe.server.listener import Front
from sqe.server.listening import Section
from sqe.settings import Settings


class IcebergFront(Front):
    section: Section = "iceberg"
    schemes = ("http", "https")

    def start(self, host: str | None = None, port: int | None = None) -> str:
        return f"{super().start(host, port)}/{ROOT}"

    def make(self, host: str, port: int, tls: Tls | None) -> IcebergServer:
        options = replace(_options(self._settings, host, port), tls=tls)
        return IcebergServer(self._gateway, self._access.authenticators, options)


def _options(settings: Settings, host: str, port: int) -> IcebergOptions:
    iceberg = settings.iceberg
    return IcebergOptions(
        host=host,
        port=port,
        plain_credentials=iceberg.allow_plain_http_credentials,
        default_catalog=settings.default_catalog,
        catalogs=frozenset(iceberg.catalogs),
        local_files=iceberg.local_files,
        enforcing_users=frozenset(iceberg.enforcing_users),
        enforcing_groups=frozenset(iceberg.enforcing_groups),
        token_s=iceberg.token_s,
    )
