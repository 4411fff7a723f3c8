"""A server without Spark: the local engine and the coordinator answer everything here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.embedded.flight.serving import make_lakehouse
from tests.embedded.trino_http.serving import Serving


@pytest.fixture(scope="session")
def trino_home(_isolated_session: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_lakehouse(tmp_path_factory.mktemp("trino home"))


@pytest.fixture(scope="session")
def shared_trino(trino_home: Path) -> Iterator[Serving]:
    with Serving.start(trino_home) as serving:
        yield serving


@pytest.fixture
def served(shared_trino: Serving) -> Serving:
    """The server that tests share: what one opens it closes."""
    return shared_trino
