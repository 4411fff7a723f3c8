"""The two wheels: what each holds, and the client alone in an environment without the engine."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from sqe.auth.hashing import hash_password
from sqe.model.identity import Secret
from sqe.model.password_hash import ScryptCost
from tests.embedded.flight.serving import ROWS, Serving, make_lakehouse

ROOT = Path(__file__).parents[3]
PASSWORD = "correct horse"
QUERY = "SELECT s, n FROM shop.types WHERE s IS NOT NULL"
# What the client is there to do without.
ENGINE = {"pyspark", "duckdb", "pyiceberg", "sqlglot", "numpy", "pandas", "grpcio", "starlette"}


@dataclass(frozen=True)
class Wheels:
    engine: Path
    client: Path


@dataclass(frozen=True)
class Environment:
    """A folder with Python, the client, and what it depends on."""

    folder: Path
    size: int  # bytes
    script: importlib.metadata.EntryPoint

    def sqe(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """As the script that pip makes."""
        call = f"import {self.script.module}; {self.script.module}.{self.script.attr}()"
        return self._run("-c", call, *arguments)

    def python(self, code: str) -> str:
        done = self._run("-c", code)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.folder / "bin" / "python"), "-I", *arguments],
            env={**os.environ, "SQE_PASSWORD": PASSWORD, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Wheels:
    made = tmp_path_factory.mktemp("wheels")
    for project in (ROOT, ROOT / "clients" / "python"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(made)]
        subprocess.run(command, cwd=project, check=True, capture_output=True)
    (engine,), (client,) = made.glob("sqe-*.whl"), made.glob("sqe_client-*.whl")
    return Wheels(engine, client)


@pytest.fixture(scope="module")
def thin(wheels: Wheels, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """What pip would install, linked from our own environment: nothing is downloaded."""
    folder = tmp_path_factory.mktemp("thin")
    venv.create(folder, symlinks=True, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheels.client).extractall(packages)
    (client,) = importlib.metadata.distributions(name="sqe-client", path=[str(packages)])
    size = sum(path.stat().st_size for path in packages.rglob("*"))
    always = needed(client)
    size += sum(link(importlib.metadata.distribution(name), packages) for name in always)
    for name in needed(client, "sqlalchemy") - always:
        link(importlib.metadata.distribution(name), packages)
    (script,) = client.entry_points.select(group="console_scripts", name="sqe")
    return Environment(folder, size, script)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one with tables and the user ann."""
    users = {"ann": {"password": hash_password(Secret(PASSWORD), ScryptCost(p=1)).write()}}
    home = make_lakehouse(tmp_path_factory.mktemp("thin home"))
    with Serving.start(home, auth={"users": users}) as serving:
        yield f"127.0.0.1:{serving.port}"


def needed(distribution: importlib.metadata.Distribution, extra: str = "") -> set[str]:
    """The names of what it depends on, and of what those do."""
    found: set[str] = set()
    for line in distribution.requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            found.add(requirement.name.lower())
            found |= needed(importlib.metadata.distribution(requirement.name))
    return found


def link(distribution: importlib.metadata.Distribution, packages: Path) -> int:
    """Its files there; their size without bytecode, which is linked to save the time."""
    size = 0
    for file in distribution.files or ():
        source, place = Path(str(file.locate())), packages / file
        if ".." in file.parts or file.suffix == ".pyc":
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(source)
        size += source.stat().st_size
        if file.suffix == ".py" and Path(cache_from_source(source)).exists():
            compiled = Path(cache_from_source(place))
            compiled.parent.mkdir(exist_ok=True)
            compiled.symlink_to(cache_from_source(source))
    return size


def files_of(wheel: Path) -> set[str]:
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def test_each_file_is_in_one_of_the_wheels(wheels: Wheels) -> None:
    engine, client = files_of(wheels.engine), files_of(wheels.client)
    assert engine & client == set()
    source = ROOT / "src"
    files = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
    assert engine | client == {name for name in files if not name.endswith(".pyc")}


def test_the_engine_needs_the_client_of_its_own_version(wheels: Wheels) -> None:
    name = "-".join(wheels.engine.name.split("-")[:2])
    metadata = zipfile.ZipFile(wheels.engine).read(f"{name}.dist-info/METADATA").decode()
    version = re.search(r"^Version: (.*)$", metadata, re.MULTILINE)
    assert version is not None
    assert f"Requires-Dist: sqe-client=={version[1]}\n" in metadata
    assert wheels.client.name.startswith(f"sqe_client-{version[1]}-")


def test_the_client_brings_nothing_of_the_engine_and_is_as_large_as_the_readme_says(
    thin: Environment,
) -> None:
    code = "import importlib.metadata as m; print(*(d.name.lower() for d in m.distributions()))"
    assert ENGINE & set(thin.python(code).split()) == set()
    said = re.search(r"`sqe-client`.* (\d+) MB", (ROOT / "README.md").read_text())
    assert said is not None
    assert thin.size / 1e6 == pytest.approx(int(said[1]), rel=0.1)


@pytest.mark.xfail(strict=True, reason="pyarrow alone takes 170 MB, its Flight libraries 130")
def test_the_client_takes_less_than_80_mb(thin: Environment) -> None:
    assert thin.size < 80e6


def test_every_module_of_the_client_is_there_without_the_engine(thin: Environment) -> None:
    code = """import importlib, pkgutil, sqe
for module in pkgutil.walk_packages(sqe.__path__, "sqe."):
    if module.name != "sqe.__main__":
        importlib.import_module(module.name)
print("all")"""
    assert thin.python(code) == "all"


def test_help_is_there_and_commands_say_what_they_need(thin: Environment) -> None:
    assert "Run the gateway" in thin.sqe("--help").stdout
    serve = thin.sqe("serve")
    assert serve.returncode == 1
    assert serve.stderr == (
        "error[NOT_SUPPORTED] sqe serve needs the engine, and only sqe-client is installed. "
        "Run: pip install sqe\n"
    )
    alone = thin.sqe("sql", "SELECT 1")
    assert "sqe sql without --server needs the engine" in alone.stderr
    assert "Give --server, or run: pip install sqe" in alone.stderr


@pytest.mark.parametrize("command", ["doctor", "policy lint", "why 1"])
def test_no_command_fails_without_words(thin: Environment, command: str) -> None:
    assert "needs the engine" in thin.sqe(*command.split()).stderr


def test_sql_runs_on_a_server(thin: Environment, server: str) -> None:
    done = thin.sqe("sql", QUERY, "-o", "csv", "--server", f"grpc://{server}", "--user", "ann")
    assert done.stdout == "s,n\nGrüße,12345.6789\n", done.stderr


def test_the_db_api_reaches_a_server_and_says_what_a_home_needs(
    thin: Environment, server: str
) -> None:
    code = f"""import sys, sqe.client
with sqe.client.connect("grpc://{server}", user="ann", password="{PASSWORD}") as lake:
    print(lake.execute("SELECT l FROM shop.types WHERE l > ?", [1]).fetchall())
try:
    sqe.client.connect()
except sqe.client.Error as error:
    print(error)"""
    rows, error = thin.python(code).splitlines()
    assert rows == f"[({2**62},)]"
    assert "needs the engine" in error and "pip install sqe" in error


def test_sqlalchemy_finds_the_dialect(thin: Environment, server: str) -> None:
    code = f"""import sqlalchemy
address = sqlalchemy.URL.create("sqe+flight", "ann", "{PASSWORD}", "{server.split(":")[0]}",
    {server.split(":")[1]}, "lake/shop")
with sqlalchemy.create_engine(address).connect() as lake:
    print(lake.execute(sqlalchemy.text("SELECT count(*) FROM numbers")).scalar())"""
    assert thin.python(code) == str(ROWS)
