"""A server that has made enough sessions is replaced, and nobody notices."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.engines.spark.server import SparkServer
from sqe.server.build import build
from sqe.settings import Settings
from tests.embedded.pipe.lake import Lake, until
from tests.small_spark import small_spark

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

POISON = "AKIAPOISONPOISON"


@pytest.fixture
def lake(tmp_path: Path, jar_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lake]:
    """Whose server is worn after two sessions, and in whose environment somebody left keys."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.setenv(name, POISON)
    spark = small_spark(jar_cache, recycle_after_sessions=2)
    server = build(Settings(home=tmp_path / "home", spark=spark))
    yield Lake.open(server)
    server.close()


def spark_of(lake: Lake) -> SparkServer:
    assert lake.server.spark is not None
    return lake.server.spark


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_worn_server_is_replaced_while_a_query_runs_in_it(lake: Lake) -> None:
    spark = spark_of(lake)
    slow = lake.server.gateway.fetch(lake.submit("SELECT id FROM range(3000000)"))
    first = spark.pid
    assert first is not None
    environ = Path(f"/proc/{first}/environ").read_bytes()
    assert POISON.encode() not in environ and b"AWS_EC2_METADATA_DISABLED=true" in environ

    assert lake.another_session().value("SELECT 1") == 1
    assert until(lambda: spark.generation == 2, 120)
    lake.session.set_property("sqe.time_zone", "Asia/Tokyo")
    assert lake.value("SELECT current_timezone()") == "Asia/Tokyo"
    assert not gone(first), "its query still runs"
    with slow as result:
        assert sum(batch.num_rows for batch in result) == 3_000_000
    assert until(lambda: gone(first), 60)
    assert spark.pid is not None and spark.pid != first
    assert lake.value("SELECT 2") == 2
