"""The guides of foreign drivers: each snippet runs as it stands, against a server of our own."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sqe.auth.hashing import hash_password
from sqe.engines.spark.java import Java
from sqe.model.identity import Secret
from sqe.model.password_hash import ScryptCost
from tests.embedded.flight.serving import Serving, make_lakehouse
from tests.flight_clients.cache import fetch
from tests.flight_clients.golang import NoGo, program
from tests.flight_clients.jdbc import DRIVER

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
PASSWORD = "correct horse"
# So that it is built once, not for every port.
ADDRESS = ('"grpc+tcp://localhost:32010"', 'os.Getenv("FLIGHT_URI")')


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    password = hash_password(Secret(PASSWORD), ScryptCost(p=1)).write()
    users = {"ann": {"password": password}}
    home = make_lakehouse(tmp_path_factory.mktemp("drivers home"))
    with Serving.start(home, auth={"users": users}) as serving:
        yield str(serving.port)


@pytest.fixture(autouse=True)
def _password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQE_PASSWORD", PASSWORD)


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (GUIDES / page).read_text(), re.DOTALL)


@pytest.mark.parametrize("page", ["adbc.md", "pandas-polars.md"])
def test_python(page: str, port: str) -> None:
    names: dict[str, Any] = {}
    printed = io.StringIO()
    for code in blocks(page, "python"):
        with contextlib.redirect_stdout(printed):
            exec(code.replace("32010", port), names)
    assert printed.getvalue() == "".join(blocks(page, "text"))


@pytest.mark.java
@pytest.mark.timeout(300)
def test_java(port: str, java: Java, tmp_path: Path) -> None:
    if shutil.which("javac", path=str(java.executable.resolve().parent)) is None:
        pytest.skip("Java programs cannot be compiled: there is no JDK 17 or 21 (javac)")
    (source,), (session,) = blocks("jdbc.md", "java"), blocks("jdbc.md", "console")
    (tmp_path / "Example.java").write_text(source.replace("32010", port))
    command, _, expected = session.removeprefix("$ java ").partition("\n")
    (jar,) = fetch("jdbc", java, DRIVER)
    words = command.replace(jar.name, str(jar)).split(" ")
    done = subprocess.run(
        [str(java.executable), *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == expected, done.stderr


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_go(port: str) -> None:
    (source,), (expected,) = blocks("go.md", "go"), blocks("go.md", "text")
    try:
        built = program(source.replace(*ADDRESS))
    except NoGo as why:
        pytest.skip(str(why))
    done = subprocess.run(
        [str(built)],
        env={**os.environ, "FLIGHT_URI": f"grpc+tcp://localhost:{port}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == expected, done.stderr
