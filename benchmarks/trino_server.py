"""A real Trino as the peer: fetched once with Maven, checked, and kept in the cache."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.figure import NotMeasured
from benchmarks.iceberg_tables import open_catalog
from benchmarks.processes import ServerProcess
from sqe.catalog.protocol import Ident

VERSION = "476"
_SHA256 = "cfd5accde17e8ebd251eeeb78aed1f490e77bb3a164d95a0f454bf8a7c1cbd3f"
_NAME = f"trino-server-{VERSION}"
_PLUGINS = ("iceberg",)  # each of the others costs time and memory at the start
_JAVA = 24  # what this Trino needs at least
_BOOT_S = 300
_STOP_S = 30
_TYPES = {"long": "bigint", "int": "integer", "string": "varchar"}  # Iceberg's, as Trino says


@contextmanager
def trino_server(bench: Bench) -> Iterator[ServerProcess]:
    """Its catalog ``lake`` reads files anywhere, as ``local:///…``.

    NotMeasured: there is no Trino to be had here, and why.
    """
    java = newest_java()
    installed = _installed(bench)
    port = _free_port()
    folder = bench.folder()
    _configure(folder, port)
    command = [str(java), "-Xmx2G", "--add-modules=jdk.incubator.vector"]
    command += [f"-Dnode.data-dir={folder}", f"-Dplugin.dir={installed / 'plugin'}"]
    command += [f"-Dconfig={folder / 'config.properties'}", "-cp", f"{installed / 'lib'}/*"]
    log = (folder / "server.log").open("w")
    with (
        log,
        subprocess.Popen(
            [*command, "io.trino.server.TrinoServer"], cwd=folder, stdout=log, stderr=log
        ) as process,
    ):
        try:
            _wait(process, port, folder / "server.log")
            yield ServerProcess(f"http://127.0.0.1:{port}", process.pid)
        finally:
            process.terminate()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()


def register_tables(
    ask: Callable[[str], object], home: Path, schema: str, tables: Iterable[str] = ()
) -> None:
    """Tables of the very files that SQE reads; none named: all of the schema. SQE's own metadata
    cannot be shared: its paths have no scheme, which Trino does not take."""
    catalog = open_catalog(home)
    try:
        names = list(tables) or catalog.list_tables((schema,))
        found = {name: catalog.load_table(Ident((schema,), name)).metadata for name in names}
    finally:
        catalog.close()
    ask(f"CREATE SCHEMA lake.{schema}")
    for name, table in found.items():
        fields = table["schemas"][0]["fields"]
        columns = ", ".join(f"{f['name']} {_TYPES.get(f['type'], f['type'])}" for f in fields)
        ask(f"CREATE TABLE lake.{schema}.{name} ({columns})")
        ask(
            f"ALTER TABLE lake.{schema}.{name} EXECUTE add_files("
            f"location => 'local://{table['location']}/data', format => 'PARQUET')"
        )


def newest_java() -> Path:
    """The first that is new enough: JAVA_HOME's, then those of the system."""
    homes = [Path(os.environ["JAVA_HOME"])] if "JAVA_HOME" in os.environ else []
    for home in [*homes, *sorted(Path("/usr/lib/jvm").glob("*"), reverse=True)]:
        release = home / "release"
        for line in release.read_text().splitlines() if release.is_file() else ():
            name, _, value = line.partition("=")
            major = value.strip('"').split(".")[0]
            if name == "JAVA_VERSION" and major.isdigit() and int(major) >= _JAVA:
                return home / "bin" / "java"
    raise NotMeasured(f"Trino {VERSION} needs Java {_JAVA}, which is not installed")


def _installed(bench: Bench) -> Path:
    """The folder with ``lib`` and ``plugin``, unpacked once."""
    folder = bench.cache / "trino"
    installed = folder / _NAME
    if not installed.exists():
        folder.mkdir(parents=True, exist_ok=True)
        bench.note(f"fetching Trino {VERSION} (821 MB), once")
        archive = fetched(folder, f"io.trino:trino-server:{VERSION}:tar.gz", _SHA256)
        coming = folder / f"{_NAME}.{os.getpid()}"
        coming.mkdir()
        # All of it: the plugins share files as hard links.
        subprocess.run(["tar", "-xzf", archive, "-C", coming], check=True)
        for plugin in (coming / _NAME / "plugin").iterdir():
            if plugin.name not in _PLUGINS:
                shutil.rmtree(plugin)
        (coming / _NAME).rename(installed)
        coming.rmdir()
        archive.unlink()
    return installed


def fetched(folder: Path, coordinate: str, sha256: str) -> Path:
    """A file of Maven's, by group:name:version:type. NotMeasured: it cannot be had."""
    _, name, version, kind = coordinate.split(":")
    maven = shutil.which("mvn")
    if maven is None:
        raise NotMeasured(
            f"{name} {version} is not in the cache, and there is no Maven to fetch it"
        )
    command = [maven, "-q", "-B", "dependency:copy", f"-DoutputDirectory={folder}"]
    command += [f"-Dartifact={coordinate}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotMeasured(f"Maven could not fetch {name} {version}: {done.stdout[-500:]}")
    file = folder / f"{name}-{version}.{kind}"
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != sha256:
        file.unlink()
        raise RuntimeError(f"{file.name} is not the pinned one: its SHA-256 is {digest}")
    return file


def _configure(folder: Path, port: int) -> None:
    (folder / "catalog").mkdir()
    (folder / "config.properties").write_text(
        "node.environment=bench\nnode.id=bench\ncoordinator=true\n"
        "node-scheduler.include-coordinator=true\n"
        f"http-server.http.port={port}\ndiscovery.uri=http://127.0.0.1:{port}\n"
        f"catalog.config-dir={folder / 'catalog'}\n"
    )
    (folder / "catalog" / "lake.properties").write_text(
        "connector.name=iceberg\niceberg.catalog.type=TESTING_FILE_METASTORE\n"
        f"hive.metastore.catalog.dir=local://{folder}/metastore\n"
        "iceberg.add-files-procedure.enabled=true\n"
        "fs.native-local.enabled=true\nlocal.location=/\n"
    )


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + _BOOT_S
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"Trino ended: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/info", timeout=5) as answer:
                if not json.load(answer)["starting"]:
                    return
        except OSError:
            pass
        time.sleep(0.2)
    raise RuntimeError(f"Trino did not start in {_BOOT_S} s")
