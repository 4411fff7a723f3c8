"""Iceberg's own suites for catalogs, run by Java against SQE's REST endpoint.

``tests/java`` has the few lines that point them here, and the list of tests that fail with the
reason for each.
"""

from __future__ import annotations

import os
import subprocess
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Catalog
from sqe.catalog.rest.routes import catalog_app
from sqe.engines.spark.java import Java
from sqe.errors import AccessError, ErrorCode
from sqe.http.serving import HttpThread
from sqe.testing import Options, PolarisLikeCatalog, StaticTokens
from tests.flight_clients.cache import artifact, fetch

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(600)]

JAVA = Path(__file__).parents[2] / "java"
CLASSES = ("SqeCatalogTests", "SqeViewCatalogTests", "SqeFormatTests")
COMPILER = "org.eclipse.jdt"


@dataclass(frozen=True)
class Suites:
    command: tuple[str, ...]  # Java
    class_path: str


@pytest.fixture(scope="module")
def suites(java: Java, tmp_path_factory: pytest.TempPathFactory) -> Suites:
    lines = (JAVA / "jars.txt").read_text().splitlines()
    pins = [line.split() for line in lines if not line.startswith("#")]
    artifacts = [artifact(coordinate, digest) for coordinate, digest in pins]
    found = fetch("iceberg-suites", java, *artifacts)
    is_compiler = [one.group == COMPILER for one in artifacts]
    jars = os.pathsep.join(str(path) for path, no in zip(found, is_compiler, strict=True) if not no)
    command = (str(java.executable), "-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    compiled = tmp_path_factory.mktemp("classes")
    compiling = [*command, "-jar", str(found[is_compiler.index(True)]), "-17", "-nowarn"]
    sources = sorted((JAVA / "src").glob("*.java"))
    compiling += ["-d", str(compiled), "-cp", jars, *map(str, sources)]
    subprocess.run(compiling, check=True)
    return Suites(command, f"{compiled}{os.pathsep}{jars}")


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A server that keeps an empty catalog for each bearer token, and where it keeps them."""
    opened: dict[str, EmbeddedCatalog] = {}
    lock = threading.Lock()

    def open_catalog(bearer: str | None) -> Catalog:
        if not bearer or not bearer.replace("-", "").isalnum():
            raise AccessError(ErrorCode.AUTHENTICATION_FAILED, "No such session.")
        with lock:
            if bearer not in opened:
                home = tmp_path / bearer
                opened[bearer] = EmbeddedCatalog(home / "catalog.db", home / "warehouse")
            return opened[bearer]

    server = HttpThread(catalog_app(open_catalog))
    server.start()
    yield tmp_path, server.url
    server.stop()
    for catalog in opened.values():
        catalog.close()


@pytest.fixture
def polaris(tmp_path: Path) -> Iterator[PolarisLikeCatalog]:
    """The test catalog that plays Polaris; the suites make catalogs in it over its admin port."""
    tokens = StaticTokens()
    tokens.add("admin-token", "root")
    catalog = PolarisLikeCatalog(tmp_path, tokens, Options(purge=True), admin_port=0)
    catalog.admin.add_principal("root", ["admin"])
    with catalog:
        yield catalog


def compare(failed: dict[str, str], file: str) -> None:
    """Exactly what the file says may fail, and nothing in it passes by now."""
    lines = (JAVA / file).read_text().splitlines()
    expected = {line.split("#")[0].strip() for line in lines} - {""}
    wrong = sorted(failed.keys() ^ expected)
    assert not wrong, "\n".join(f"{name}: {failed.get(name, 'it passes')}" for name in wrong)


def failures(
    suites: Suites, tmp_path: Path, properties: dict[str, str], classes: tuple[str, ...]
) -> dict[str, str]:
    """What failed and why, once it is sure that the suites ran."""
    reports = tmp_path / "reports"
    command = [*suites.command, *(f"-Dsqe.{name}={value}" for name, value in properties.items())]
    command += ["-cp", suites.class_path]
    command += ["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"]
    command += ["--details=none", f"--reports-dir={reports}"]
    for name in classes:
        command += ["--select-class", name]
    subprocess.run(command, capture_output=True, timeout=500)
    report = ElementTree.parse(reports / "TEST-junit-jupiter.xml").getroot()
    failed: dict[str, str] = {}
    ran = 0
    for case in report.iter("testcase"):
        ran += case.find("skipped") is None
        for problem in (*case.iter("failure"), *case.iter("error")):
            name = f"{case.get('classname')}.{str(case.get('name')).partition('(')[0]}"
            failed[name] = str(problem.get("message"))[:300]
    assert ran > 140
    return failed


def test_iceberg_accepts_the_embedded_catalog(
    suites: Suites, homes: tuple[Path, str], tmp_path: Path
) -> None:
    folder, url = homes
    properties = {"uri": url, "homes": str(folder)}
    failed = failures(suites, tmp_path, properties, (*CLASSES, "SqeJdbcCatalogTests"))
    compare(failed, "expected_failures.txt")


def test_iceberg_accepts_the_catalog_that_plays_polaris(
    suites: Suites, polaris: PolarisLikeCatalog, tmp_path: Path
) -> None:
    properties = {
        "uri": polaris.url,
        "admin": polaris.admin_url,
        "token": "admin-token",
        "homes": str(tmp_path),
    }
    failed = failures(suites, tmp_path, properties, CLASSES)
    compare(failed, "expected_failures_polaris.txt")


@pytest.mark.parametrize("file", ["expected_failures.txt", "expected_failures_polaris.txt"])
def test_every_expected_failure_has_a_reason(file: str) -> None:
    for line in (JAVA / file).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            assert len(line.partition("#")[2].strip()) > 20, line
