"""What ``sqe doctor`` looks at. Each check says what it found and what to do about it."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sqe.cli.progress import readable_bytes
from sqe.errors import SqeError

if TYPE_CHECKING:
    from sqe.settings import Settings

_GIB = 1 << 30
_PACKAGES = ("pyspark", "pyarrow", "pyiceberg", "sqlglot", "duckdb", "grpcio", "click")


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: Literal["ok", "warn", "fail"]
    found: str
    todo: str = ""


def all_checks(settings: Settings) -> Iterator[Check]:
    """A check that itself breaks is a failed check, never a traceback."""
    for name, look in _CHECKS.items():
        try:
            yield from look(settings)
        except SqeError as error:
            yield Check(name, "fail", error.message, error.hint)
        except Exception as error:  # noqa: BLE001 - the doctor must finish the round
            yield Check(name, "fail", f"{type(error).__name__}: {error}", "Please report this.")


def _python(settings: Settings) -> Iterator[Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    good = sys.version_info >= (3, 11)
    yield Check("python", "ok" if good else "fail", version, "" if good else "Use 3.11 or newer.")


def _packages(settings: Settings) -> Iterator[Check]:
    versions, missing = [], []
    for name in _PACKAGES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        todo = f"Run: pip install {' '.join(missing)}"
        yield Check("packages", "fail", f"missing: {', '.join(missing)}", todo)
    else:
        yield Check("packages", "ok", ", ".join(versions))


def _java(settings: Settings) -> Iterator[Check]:
    if settings.spark.remote.get_secret_value():
        yield Check("java", "ok", "not needed: spark.remote is set")
        return
    from sqe.server.run import describe_java

    yield Check("java", "ok", describe_java(settings))


def _jars(settings: Settings) -> Iterator[Check]:
    from sqe.server.run import list_jars

    for jar in list_jars(settings):
        state, todo = {
            "verified": ("ok", ""),
            "missing": ("warn", "Fetched at Spark's first start; that needs the network once."),
        }.get(jar.state, ("fail", "Delete the file; SQE fetches it again."))
        yield Check("jars", state, f"{jar.name}: {jar.state}", todo)  # type: ignore[arg-type]


def _home(settings: Settings) -> Iterator[Check]:
    home = settings.home
    existing = next(path for path in (home, *home.parents) if path.exists())
    if not os.access(existing, os.W_OK):
        yield Check("home", "fail", f"{existing} is not writable", "Set SQE_HOME or its rights.")
        return
    new = "" if home.exists() else " (made at first use)"
    yield Check("home", "ok", f"{home}{new}")
    free = shutil.disk_usage(existing).free
    low = free < 2 * _GIB
    todo = "Spark needs room to spill; free some." if low else ""
    yield Check("disk", "warn" if low else "ok", f"{readable_bytes(free)} free", todo)


def _catalog(settings: Settings) -> Iterator[Check]:
    """Counted in the file itself, so that it works while another process has the home open."""
    from sqe.store.database import STORE_FILE

    databases = settings.home.glob("*.db") if settings.home.is_dir() else ()
    files = sorted(path for path in databases if path.name != STORE_FILE)
    if not files:
        yield Check("catalog", "ok", "empty (made at first use)")
    for path in files:
        yield _count(path)


def _count(path: Path) -> Check:
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=2)) as db:
            tables = db.execute(
                "SELECT count(*), count(DISTINCT table_namespace) FROM iceberg_tables"
            ).fetchone()
            named = db.execute(
                "SELECT count(DISTINCT namespace) FROM iceberg_namespace_properties"
            ).fetchone()
    except sqlite3.Error as error:
        todo = "Restore the file from a backup, or move it away to start anew."
        return Check("catalog", "fail", f"{path.name} cannot be read: {error}", todo)
    schemas = max(named[0], tables[1])
    return Check("catalog", "ok", f"{path.name}: {schemas} schemas, {tables[0]} tables and views")


def _access(settings: Settings) -> Iterator[Check]:
    """Whether the protocols may listen where the settings say, and with what."""
    from datetime import UTC, datetime, timedelta

    from sqe.server.listening import check_listening
    from sqe.server.tls import TlsFiles, valid_until

    if settings.flight.enabled:
        check_listening(settings, settings.flight.host)
    if settings.trino.enabled:
        check_listening(settings, settings.trino.host, "trino")
    auth, tls = settings.auth, TlsFiles(settings.tls, settings.home).read()
    users = f"{len(auth.users)} users" if auth.users else "no users"
    anonymous = ", anonymous on this machine" if auth.anonymous_allowed else ""
    if tls is None:
        yield Check("access", "ok", f"{users}{anonymous}, no TLS")
        return
    until = valid_until(tls)
    soon = until - datetime.now(UTC) < timedelta(days=14)
    todo = "Renew the certificate; a running server takes it up by itself." if soon else ""
    summary = f"{users}{anonymous}, TLS until {until:%Y-%m-%d}"
    yield Check("access", "warn" if soon else "ok", summary, todo)


def _policy(settings: Settings) -> Iterator[Check]:
    """Whether the rules can be read, and a server of policies answers. The store is left alone."""
    from sqe.model.identity import Identity
    from sqe.model.rules import SYSTEM, Privilege
    from sqe.server.policies import SOURCE_TYPES, policies_of
    from sqe.store.database import Database

    policies = policies_of(settings, Database(settings.home))
    try:
        in_store = {entry.name for entry in SOURCE_TYPES if entry.in_store}
        for source in policies.policy.sources:
            if source.name not in in_store:
                source.permits(Identity("sqe-doctor"), Privilege.EXECUTE, SYSTEM)
        names = ", ".join(policy_source.name for policy_source in policies.policy.sources)
        yield Check("policy", "ok", f"sources: {names}")
    finally:
        policies.close()


def _port(settings: Settings) -> Iterator[Check]:
    yield _check_port(settings.serve.host, settings.serve.port, "--port")
    if settings.flight.enabled:
        yield _check_port(settings.flight.host, settings.flight.port, "--flight-port")
    if settings.trino.enabled:
        yield _check_port(settings.trino.host, settings.trino.port, "--trino-port")


def _check_port(host: str, port: int, option: str) -> Check:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            todo = f"Another `sqe serve` may run; or choose another with {option}."
            return Check("port", "warn", f"{host}:{port}: {error.strerror}", todo)
    return Check("port", "ok", f"{host}:{port} is free")


def _memory(settings: Settings) -> Iterator[Check]:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    low = total < 3 * _GIB
    todo = "Spark wants 3 GiB or more; expect slow queries." if low else ""
    yield Check("memory", "warn" if low else "ok", readable_bytes(total), todo)


_CHECKS: dict[str, Callable[[Settings], Iterator[Check]]] = {
    "python": _python,
    "packages": _packages,
    "java": _java,
    "jars": _jars,
    "home": _home,
    "catalog": _catalog,
    "access": _access,
    "policy": _policy,
    "port": _port,
    "memory": _memory,
}
