"""A server of Trino's protocol with ``tpch.tiny``, on the Spark that the tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.engines.spark.addresses import EmbeddedAddress
from tests.embedded.conftest import SESSION_CONF
from tests.embedded.pipe.lake import Lake
from tests.trino.asking import Client
from tests.trino.corpus import CATALOGS
from tests.trino.serving import Served, serving


@pytest.fixture(scope="module")
def served(shared_lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    assert shared_lake.server.spark is not None
    url = EmbeddedAddress(shared_lake.server.spark).reach().url.reveal()
    given = {"catalogs": CATALOGS, "spark": {"remote": url, "session_conf": SESSION_CONF}}
    home, loadable = (tmp_path_factory.mktemp(name) for name in ("trino corpus", "tpch"))
    with serving(home, given, loadable) as started:
        yield started


@pytest.fixture(scope="module")
def client(served: Served) -> Iterator[Client]:
    opened = served.client()
    yield opened
    opened.close()
