"""The Sparks of tests start with the classes that ``tests.class_archive`` has archived."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.embedded.pipe.lake import Lake
from tests.small_spark import shared_archive

pytestmark = pytest.mark.spark


def test_the_shared_spark_has_its_classes_from_the_archive(
    shared_lake: Lake, jar_cache: Path
) -> None:
    """Java says nothing if it does not take the archive: it is slower, that is all."""
    archive = shared_archive(jar_cache)
    if archive is None or not archive.ready:
        pytest.skip("there is no class archive: `make test` writes it")
    shared_lake.run("SELECT 1")
    assert shared_lake.server.spark is not None
    maps = Path(f"/proc/{shared_lake.server.spark.pid}/maps")
    if not maps.is_file():
        pytest.skip("only Linux says which files a process has mapped")
    assert str(archive.path) in maps.read_text()
