"""Iceberg's own suites for catalogs, run by Java against SQE's REST endpoint.

``tests/java`` has the few lines that point them here, and the list of tests that fail with the
reason for each. The jars come from Maven once, into ``SQE_TEST_CACHE``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Catalog
from sqe.catalog.rest.routes import catalog_app
from sqe.catalog.rest.serving import HttpThread
from sqe.errors import AccessError, ErrorCode

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(600)]

JAVA = Path(__file__).parents[2] / "java"
CLASSES = ("SqeCatalogTests", "SqeViewCatalogTests", "SqeJdbcCatalogTests", "SqeFormatTests")
# Read before the tests' environment takes the developer's home away.
CACHE = Path(os.environ.get("SQE_TEST_CACHE") or Path.home() / ".cache" / "sqe-test")


@pytest.fixture(scope="module")
def jars() -> Path:
    """The folder of jars that pom.xml names."""
    for tool in ("java", "javac", "mvn"):
        if shutil.which(tool) is None:
            pytest.skip(f"Iceberg's suites need {tool}, which is not installed")
    pom = JAVA / "pom.xml"
    folder = CACHE / f"iceberg-suites-{hashlib.sha256(pom.read_bytes()).hexdigest()[:12]}"
    if not folder.exists():
        coming = folder.with_name(f"{folder.name}.{os.getpid()}")
        copy = ["mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
        made = subprocess.run(
            [*copy, f"-DoutputDirectory={coming}"], capture_output=True, text=True, timeout=500
        )
        if made.returncode != 0:
            shutil.rmtree(coming, ignore_errors=True)
            pytest.skip(f"Maven could not fetch the jars of Iceberg's suites: {made.stdout[-500:]}")
        coming.rename(folder)
    return folder


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


def expected_failures() -> set[str]:
    lines = (JAVA / "expected_failures.txt").read_text().splitlines()
    return {line.split("#")[0].strip() for line in lines} - {""}


def run_suites(jars: Path, homes: Path, url: str, tmp_path: Path) -> Path:
    classes, reports = tmp_path / "classes", tmp_path / "reports"
    sources = sorted((JAVA / "src").glob("*.java"))
    subprocess.run(["javac", "-d", classes, "-cp", f"{jars}/*", *sources], check=True)
    command = ["java", "-Xmx1g", "-XX:TieredStopAtLevel=1", f"-Dsqe.uri={url}"]
    command += [f"-Dsqe.homes={homes}", "-cp", f"{classes}{os.pathsep}{jars}/*"]
    command += ["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"]
    command += ["--details=none", f"--reports-dir={reports}"]
    for name in CLASSES:
        command += ["--select-class", name]
    subprocess.run(command, capture_output=True, timeout=500)
    return reports / "TEST-junit-jupiter.xml"


def test_iceberg_accepts_the_embedded_catalog(
    jars: Path, homes: tuple[Path, str], tmp_path: Path
) -> None:
    report = ElementTree.parse(run_suites(jars, *homes, tmp_path)).getroot()
    failed: dict[str, str] = {}
    ran = 0
    for case in report.iter("testcase"):
        ran += case.find("skipped") is None
        for problem in (*case.iter("failure"), *case.iter("error")):
            name = f"{case.get('classname')}.{str(case.get('name')).partition('(')[0]}"
            failed[name] = str(problem.get("message"))[:300]
    assert ran > 140
    assert set(failed) == expected_failures(), failed


def test_every_expected_failure_has_a_reason() -> None:
    lines = (JAVA / "expected_failures.txt").read_text().splitlines()
    for line in lines:
        if line.strip() and not line.startswith("#"):
            assert len(line.partition("#")[2].strip()) > 20, line
