"""Tests do not see the developer's environment: no settings, no credentials, an empty home."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.engines.spark.java import Java, find_java
from tests.flight_clients.cache import CACHE
from tests.left_out import (  # noqa: F401 - pytest finds its hooks here
    GATHERED,
    pytest_collectreport,
    pytest_runtest_logreport,
    pytest_terminal_summary,
)
from tests.rotation import pytest_addoption as pytest_addoption
from tests.rotation import pytest_configure as pytest_configure
from tests.rotation import rotation as rotation
from tests.small_spark import JARS

FOREIGN = (
    GATHERED,  # a run inside of a test has a list of its own
    "SQE_",
    "AWS_",
    "AZURE_",
    "GOOGLE_",
    "HADOOP_",
    "ICEBERG_",
    "OTEL_",
    "PYICEBERG_",
    "PYSPARK_",
    "SPARK_",
    "TRINO_",
)

# What a test run itself is told: where the corpora are.
OURS = ("SQE_CORPORA",)


def _isolate(patch: pytest.MonkeyPatch, home: Path) -> None:
    for name in list(os.environ):
        if name.startswith(FOREIGN) and name not in OURS:
            patch.delenv(name)
    for name, folder in {
        "HOME": home,
        "SQE_HOME": home / "sqe",
        "XDG_CACHE_HOME": home / "cache",
        "XDG_CONFIG_HOME": home / "config",
        "XDG_DATA_HOME": home / "data",
        "XDG_STATE_HOME": home / "state",
        "SQE_TEST_CACHE": CACHE,  # for processes of the tests' own
    }.items():
        patch.setenv(name, str(folder))


@pytest.fixture(scope="session", autouse=True)
def _isolated_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """For fixtures that live longer than one test, such as a Spark server."""
    with pytest.MonkeyPatch.context() as patch:
        _isolate(patch, tmp_path_factory.mktemp("home"))
        yield


@pytest.fixture(autouse=True)
def isolated_home(_isolated_session: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home of this test's own."""
    home = tmp_path / "home"
    home.mkdir()
    _isolate(monkeypatch, home)
    return home


@pytest.fixture(scope="session")
def java(_isolated_session: None) -> Java:
    """The one that runs Spark; it comes with the locked packages where the machine has none."""
    return find_java()


@pytest.fixture(scope="session")
def jar_cache() -> Path:
    """The shared folder of Spark's jars: give it to settings as ``spark.jars``."""
    JARS.mkdir(parents=True, exist_ok=True)
    return JARS
