"""A real Prometheus scrapes SQE, and understands every query of the alerts and the dashboard."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping

import pytest

import sqe.client
from dev.stack.messages import StackError
from dev.stack.places import Places
from sqe.http.serving import HttpThread
from sqe.server.build import Server, build
from sqe.server.health import health_app
from sqe.settings import Settings
from tests.stack.prometheus import Programs, Prometheus, programs, scraping
from tests.unit.observe.test_deploy import DEPLOY, QUERIES, RULES

_IN_DASHBOARDS = {"$__rate_interval": "1m", "$instance": ".*"}


@pytest.fixture(scope="module")
def found(stack_environ: Mapping[str, str]) -> Programs:
    try:
        return programs(Places.of(stack_environ).cache)
    except StackError as error:
        pytest.skip(f"There is no Prometheus: {error}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("sqe")
    given = {"home": home, "flight": {"port": 0}, "trino": {"enabled": False}}
    made = build(Settings.model_validate(given))
    yield made
    made.close()


@pytest.fixture(scope="module")
def health(server: Server) -> Iterator[str]:
    http = HttpThread(health_app(server))
    http.start()
    yield http.url
    http.stop()


@pytest.fixture(scope="module")
def prometheus(
    found: Programs, server: Server, health: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Prometheus]:
    folder = tmp_path_factory.mktemp("prometheus")
    with (
        scraping(found, folder, health.removeprefix("http://"), RULES) as running,
        sqe.client.connect(server.listen()) as connection,
    ):
        for _ in range(3):
            assert connection.execute("SELECT 1").fetchall() == [(1,)]
        yield running


def test_it_scrapes_what_sqe_did(prometheus: Prometheus) -> None:
    (up,) = prometheus.wait_for('up{job="sqe"} == 1')
    assert up["metric"]["job"] == "sqe"
    query = 'sqe_queries_total{engine="local",kind="query",protocol="flight",state="finished"} >= 3'
    (series,) = prometheus.wait_for(query)
    assert series["metric"]["error"] == "none"
    assert prometheus.wait_for("sqe_ready == 1")
    assert prometheus.wait_for("process_resident_memory_bytes > 1e6")


@pytest.mark.parametrize("query", QUERIES)
def test_it_understands_the_query(prometheus: Prometheus, query: str) -> None:
    for variable, value in _IN_DASHBOARDS.items():
        query = query.replace(variable, value)
    prometheus.wait_for('up{job="sqe"}')
    prometheus.ask(query)


def test_no_alert_fires_for_a_server_that_is_well(prometheus: Prometheus) -> None:
    prometheus.wait_for("sqe_queries_total")
    assert prometheus.ask('ALERTS{alertstate="firing"}') == []


def test_promtool_is_content_with_the_metrics(found: Programs, server: Server) -> None:
    exposition = server.exposition()
    assert exposition is not None
    done = subprocess.run(
        [found.promtool, "check", "metrics"], input=exposition[0], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.fixture
def promtool(found: Programs) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        command = [str(found.promtool), *arguments]
        folder = DEPLOY / "prometheus"
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_the_example_and_the_alerts_are_right(promtool: Callable[..., str]) -> None:
    assert "SUCCESS" in promtool("check", "config", "prometheus.yml")
    assert "SUCCESS" in promtool("test", "rules", "sqe.rules.test.yml")
