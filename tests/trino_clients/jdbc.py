"""Trino's JDBC driver: of the server that SQE speaks like, and a newer one."""

from __future__ import annotations

from tests.flight_clients.cache import artifact

_SHA256 = {
    "476": "a3736d21609a5a317d2ce88b3835e312e9b6f41393c1d4b09f2ad6e7aeb3bb90",
    "484": "46476af2968e6f3234e8b22d7e29c26e6d7213ce88ab546a29c4c318c921cd34",
}
DRIVERS = {
    version: artifact(f"io.trino:trino-jdbc:{version}", digest)
    for version, digest in _SHA256.items()
}
CLASS = "io.trino.jdbc.TrinoDriver"
