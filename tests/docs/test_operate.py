"""The commands of the guide to operating SQE and of the runbook do what the pages say."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sqe.http.serving import HttpThread
from sqe.server.build import build
from sqe.server.health import health_app
from sqe.settings import Settings
from tests.docs.console import sessions
from tests.unit.backup.homes import make_home
from tests.unit.observe.test_deploy import DEPLOY, test_a_query_names_what_there_is

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
PAGES = [GUIDES / "operate.md", GUIDES / "runbook.md"]
COMMANDS = [
    pytest.param(command.strip(), expected, id=f"{page.stem}: {command.strip()}")
    for page in PAGES
    for session in sessions(page.read_text())
    for command, expected in session
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("sqe")
    given = {"home": home, "flight": {"port": 0}, "trino": {"port": 0}}
    server = build(Settings.model_validate(given))
    http = HttpThread(health_app(server))
    http.start()
    server.listen()
    server.listen_trino()
    yield http.url
    http.stop()
    server.close()


@pytest.mark.parametrize(("command", "expected"), COMMANDS)
def test_a_command_does_what_the_page_says(
    command: str, expected: str, address: str, tmp_path: Path
) -> None:
    if command.startswith("curl") and shutil.which("curl") is None:
        pytest.skip("There is no curl.")
    environment = {
        **os.environ,
        "SQE_HOME": str(tmp_path / "home"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        shlex.split(command.replace("http://127.0.0.1:8480", f"--fail {address}")),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == expected if expected else done.stdout


def test_the_commands_for_a_backup_make_one(tmp_path: Path) -> None:
    page = PAGES[0].read_text()
    _, _, after = page.partition("## Back it up")
    script = after.split("```bash\n")[1].split("```")[0]
    for folder in ("/var/lib/", "/backups/"):
        script = script.replace(folder, f"{tmp_path}/")
    make_home(tmp_path / "sqe")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-ec", script],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("2 tables") == 3
    assert (tmp_path / "sqe-again" / "lake.db").exists()


def test_the_queries_of_the_guide_name_metrics_that_there_are() -> None:
    rows = [line.split(" | ") for line in PAGES[0].read_text().splitlines() if "sqe_" in line]
    queries = [row[1].strip(" |`") for row in rows if len(row) == 2 and row[0].endswith("?")]
    assert len(queries) == 6
    for query in queries:
        test_a_query_names_what_there_is(query)


def test_the_unit_starts_what_there_is_and_waits_for_the_drain() -> None:
    unit = (DEPLOY / "systemd" / "sqe.service").read_text()
    lines = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line and line[0] != "#")
    assert lines["ExecStart"].endswith(" serve")
    assert lines["ExecStartPre"].endswith(" config check")
    assert int(lines["TimeoutStopSec"]) > Settings().serve.drain_s + 5
    example = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    (scraped,) = example["scrape_configs"]
    assert scraped["static_configs"][0]["targets"] == [f"127.0.0.1:{Settings().serve.port}"]
