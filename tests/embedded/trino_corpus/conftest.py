"""A lakehouse with ``tpch.tiny``, on the Spark that the tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from sqe.engines.spark.addresses import EmbeddedAddress
from sqe.model.identity import Identity
from sqe.server.build import build
from sqe.settings import LoadSettings, Settings, SparkSettings
from tests.embedded.conftest import SESSION_CONF
from tests.embedded.pipe.lake import Lake
from tests.trino.asking import Asker
from tests.trino.corpus import CATALOGS
from tests.trino.tpch import make_tiny


@pytest.fixture(scope="module")
def askers(
    shared_lake: Lake, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Asker]]:
    """One whose queries go where they go, and one that Spark answers alone."""
    assert shared_lake.server.spark is not None
    url = EmbeddedAddress(shared_lake.server.spark).reach().url.reveal()
    folder: Path = tmp_path_factory.mktemp("tpch")
    settings = Settings(
        home=tmp_path_factory.mktemp("trino corpus"),
        catalogs=CATALOGS,
        load=LoadSettings(folders=(folder,)),
        spark=SparkSettings(remote=SecretStr(url), session_conf=dict(SESSION_CONF)),
    )
    server = build(settings)
    found = {}
    for engine in ("auto", "spark"):
        session = server.gateway.open_session(Identity(user="lab"))
        found[engine] = Asker(server.gateway, session.id)
        session.set_property("sqe.engine", engine)
    make_tiny(found["auto"], folder)
    yield found
    server.close()
