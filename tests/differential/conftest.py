"""One lakehouse with a real Spark, loaded once, for the tests that compare engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.differential.expressions import Palette
from tests.differential.judge import Judge
from tests.differential.palettes import accepted
from tests.differential.sides import LOCAL, Lakehouse, has_local_engine, open_lakehouse, pair


@pytest.fixture(scope="session")
def lakehouse(
    _isolated_session: None, tmp_path_factory: pytest.TempPathFactory, jar_cache: Path
) -> Iterator[Lakehouse]:
    made = open_lakehouse(tmp_path_factory.mktemp("differential"), jar_cache)
    made.load()
    yield made
    made.close()


@pytest.fixture(scope="session")
def judges(lakehouse: Lakehouse) -> list[Judge]:
    """Two, because two queries at a time keep Spark busy."""
    if not has_local_engine(lakehouse):
        pytest.skip("the local engine is not built in yet")
    return [Judge(*pair(lakehouse)) for _ in range(2)]


@pytest.fixture(scope="session")
def palette(lakehouse: Lakehouse, judges: list[Judge]) -> Palette:
    return accepted(lakehouse.side(LOCAL).takes)
