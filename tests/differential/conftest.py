"""One lakehouse with a real Spark, loaded once, for the tests that compare engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.differential.expressions import Palette
from tests.differential.judge import Judge
from tests.differential.palettes import accepted
from tests.differential.relations import with_their_past
from tests.differential.sides import LOCAL, SPARK, Lakehouse, open_lakehouse, pair
from tests.differential.third import DataFusion


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
    opinion = DataFusion(lakehouse.side(SPARK))
    return [Judge(*pair(lakehouse), opinion) for _ in range(2)]


@pytest.fixture(scope="session")
def palette(lakehouse: Lakehouse) -> Palette:
    tables = with_their_past(lakehouse.side(SPARK))
    return accepted(lakehouse.side(LOCAL).takes, tables)
