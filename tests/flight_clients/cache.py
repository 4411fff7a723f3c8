"""Where foreign clients are kept between test runs: jars, Go modules and what is built of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sqe.engines.spark.ivy import Artifact, NotFetched
from sqe.engines.spark.jars import ensure_artifacts
from sqe.engines.spark.java import Java

# Read before the tests' environment takes the developer's home away.
CACHE = Path(os.environ.get("SQE_TEST_CACHE") or Path.home() / ".cache" / "sqe-test")


def artifact(coordinate: str, sha256: str) -> Artifact:
    """``coordinate`` is group:name:version[:classifier]."""
    group, name, version, *classifier = coordinate.split(":")
    return Artifact(group, name, version, sha256, "".join(classifier))


def fetch(folder: str, java: Java, *artifacts: Artifact) -> tuple[Path, ...]:
    """The files, in that folder of the cache. Tests of what cannot be had are left out."""
    try:
        return ensure_artifacts(CACHE / folder, java, {}, artifacts)
    except NotFetched as error:
        pytest.skip(error.message)
