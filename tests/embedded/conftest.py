"""One server with a real Spark for all tests of the pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pytest
from pydantic import SecretStr

from sqe.engines.spark.addresses import EmbeddedAddress
from sqe.server.build import build
from sqe.settings import (
    LoadSettings,
    MaintenanceSettings,
    Settings,
    SparkSettings,
    UnloadSettings,
)
from tests.embedded.pipe.lake import Lake, Rules
from tests.policy.hashing import POLICY
from tests.small_spark import small_spark

SESSION_CONF = {"spark.sql.shuffle.partitions": "2"}


class Another(Protocol):
    def __call__(self, settings: Settings, conf: Mapping[str, str] = SESSION_CONF) -> Lake: ...


@pytest.fixture(scope="session")
def shared_lake(
    _isolated_session: None, tmp_path_factory: pytest.TempPathFactory, jar_cache: Path
) -> Iterator[Lake]:
    settings = Settings(
        home=tmp_path_factory.mktemp("pipe home"),
        load=LoadSettings(folders=(tmp_path_factory.mktemp("loadable"),)),
        unload=UnloadSettings(folders=(tmp_path_factory.mktemp("writable"),)),
        maintenance=MaintenanceSettings(min_snapshot_age_s=0),  # tests cannot wait for old ones
        policy=POLICY,
        spark=small_spark(jar_cache, session_conf=SESSION_CONF),
    )
    rules = Rules()
    server = build(settings, (rules,))
    yield Lake.open(server, rules)
    server.close()


@pytest.fixture(scope="session")
def trino_address(shared_lake: Lake) -> str:
    """Where the shared server speaks Trino's protocol."""
    return shared_lake.server.listen_trino("127.0.0.1", 0)


@pytest.fixture
def lake(shared_lake: Lake) -> Lake:
    """The session that most tests share: they leave its settings and schema alone."""
    return shared_lake


@pytest.fixture
def loadable(shared_lake: Lake, tmp_path: Path) -> Path:
    """A folder of this test's own that COPY may read."""
    folder = shared_lake.server.settings.load.folders[0] / tmp_path.name
    folder.mkdir()
    return folder


@pytest.fixture
def writable(shared_lake: Lake, tmp_path: Path) -> Path:
    """A folder of this test's own that COPY may write to."""
    folder = shared_lake.server.settings.unload.folders[0] / tmp_path.name
    folder.mkdir()
    return folder


@pytest.fixture
def mine(shared_lake: Lake) -> Iterator[Lake]:
    """A session of this test's own, on the shared server."""
    own = shared_lake.another_session()
    yield own
    own.close()


@pytest.fixture
def run(shared_lake: Lake) -> Callable[[str], pa.Table]:
    return shared_lake.run


@pytest.fixture
def another(shared_lake: Lake, tmp_path: Path) -> Iterator[Another]:
    """Servers with settings of their own, and their own home, on the shared Spark."""
    lakes: list[Lake] = []

    def make(settings: Settings, conf: Mapping[str, str] = SESSION_CONF) -> Lake:
        assert shared_lake.server.spark is not None
        url = EmbeddedAddress(shared_lake.server.spark).reach().url.reveal()
        spark = SparkSettings(remote=SecretStr(url), session_conf=dict(conf))
        home = tmp_path / f"home {len(lakes)}"
        server = build(settings.model_copy(update={"home": home, "spark": spark}))
        lakes.append(Lake.open(server))
        return lakes[-1]

    yield make
    for lake in lakes:
        lake.server.close()
