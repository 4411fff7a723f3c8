"""The test catalog as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from sqe.testing import RemoteAdmin
from sqe.testing.configured import serve
from tests.unit.testing.asking import Asker

FILE = """
home = "{home}"
port = 0
admin_port = 0
[oidc]
issuer = "http://127.0.0.1:9/realms/none"
audience = ["polaris"]
[principals]
alice = ["analyst"]
[catalogs.lake]
namespaces = ["sales", ["sales", "eu"]]
[[grants]]
role = "analyst"
catalog = "lake"
privileges = ["NAMESPACE_LIST"]
{more}
"""


def written(tmp_path: Path, more: str = "") -> Path:
    file = tmp_path / "catalog.toml"
    file.write_text(FILE.format(home=tmp_path / "home", more=more))
    return file


@pytest.fixture
def process(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "sqe.testing", "--config", str(written(tmp_path))]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield started
    started.kill()
    started.wait()
    assert started.stdout is not None
    started.stdout.close()


def test_it_says_where_it_is_and_stops_when_told(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    (what, url), (other, admin_url) = (process.stdout.readline().split() for _ in range(2))
    assert (what, other) == ("catalog", "admin")
    answer = Asker(url, None).get("config?warehouse=lake")
    assert (answer.status, answer.body) == (401, b"")
    remote = RemoteAdmin(admin_url)
    assert remote.call("all_calls") == []
    remote.close()
    process.terminate()
    assert process.wait(20) == 0


def test_the_file_makes_what_it_names_once(tmp_path: Path) -> None:
    for _ in range(2):  # the second time it is all there
        with serve(written(tmp_path)) as catalog:
            assert catalog.url.endswith("/api/catalog")


def test_a_wrong_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        serve(written(tmp_path, "[nonsense]"))
