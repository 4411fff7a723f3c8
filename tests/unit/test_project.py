"""The project's own promises: locks, verbs, layers, and nothing of anyone's machine."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sqe
from dev.suites import read_suites

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "clients" / "python"
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
HEAVY = {
    "duckdb",
    "grpc",
    "numpy",
    "pandas",
    "pyarrow",
    "pyiceberg",
    "pyspark",
    "sqlalchemy",
    "sqlglot",
    "starlette",
}
# Written so that this file does not match itself.
HOSTS = re.compile("|".join(["pypi" + r"\.org", "python" + r"hosted\.org", "repo1?" + r"\.maven"]))
MACHINE = re.compile(r"(?<![\w.*}-])/(?:" + "|".join(["work", "root", "home"]) + r")/\w")
NOT_OURS = {".git", ".venv", ".hypothesis", "__pycache__", "build", "dist", "results"}


def project(folder: Path = ROOT) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text())


def files() -> Iterator[Path]:
    """Every text file that a commit could hold."""
    folders = [ROOT]
    while folders:
        for path in sorted(folders.pop().iterdir()):
            if path.name in NOT_OURS or path.name.endswith(("_cache", ".egg-info")):
                continue
            if path.is_dir() and not path.is_symlink():
                folders.append(path)
            elif path.is_file():
                yield path


def matches(pattern: re.Pattern[str]) -> list[str]:
    found = []
    for path in files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        name = path.relative_to(ROOT)
        found += [f"{name}:{n}: {line}" for n, line in enumerate(lines, 1) if pattern.search(line)]
    return found


def requirements(lock: Path) -> list[str]:
    """Each requirement of a lock file, with its continuation lines."""
    return re.findall(r"^\S.*?(?:\\\n.*?)*$", lock.read_text(), re.MULTILINE)


def test_there_are_locks_for_running_developing_bootstrapping_clients_and_the_site() -> None:
    names = {"base", "bootstrap", "console", "dbt", "dev", "site", "superset"}
    assert {lock.stem for lock in LOCKS} == names


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_locked_package_has_one_version_and_hashes(lock: Path) -> None:
    for requirement in requirements(lock):
        assert re.match(r"[a-z0-9._-]+(?:\[[a-z,]+\])?==\S+", requirement), requirement
        assert "--hash=sha256:" in requirement, requirement


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_locks_hold_no_addresses_and_no_options(lock: Path) -> None:
    assert "://" not in lock.read_text()
    assert not re.findall(r"^(?:-|.* @ )", lock.read_text(), re.MULTILINE)


def test_the_locks_agree_with_each_other() -> None:
    base, dev = (
        {requirement.split(" \\")[0] for requirement in requirements(ROOT / "requirements" / name)}
        for name in ("base.lock", "dev.lock")
    )
    assert base <= dev


@pytest.mark.parametrize("folder", [ROOT, CLIENT], ids=["engine", "client"])
def test_the_locks_name_every_direct_dependency(folder: Path) -> None:
    declared = project(folder)["project"]
    extras = [name for group in declared["optional-dependencies"].values() for name in group]
    locks = (ROOT / "requirements" / name for name in ("dev.lock", "console.lock"))
    locked = "\n".join(lock.read_text() for lock in locks)
    for dependency in declared["dependencies"] + extras:
        name = re.split(r"[^\w-]", dependency)[0].replace("_", "-").lower()
        ours = name == "sqe-client"
        assert ours or re.search(rf"^{name}==", locked, re.MULTILINE), f"{name}: run `make lock`"


def test_pyproject_holds_no_addresses() -> None:
    assert "://" not in (ROOT / "pyproject.toml").read_text()


def test_no_file_names_a_registry() -> None:
    assert matches(HOSTS) == []


def test_no_file_names_a_path_of_someones_machine() -> None:
    assert matches(MACHINE) == []


def test_bare_make_prints_every_verb() -> None:
    make = shutil.which("make")
    assert make, "these tests are run by make"
    answer = subprocess.run([make, "-C", ROOT], capture_output=True, text=True, check=True).stdout
    verbs = set(re.findall(r"^ *make ([a-z-]+) ", answer, re.MULTILINE))
    phony = re.findall(r"^\.PHONY: help (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert verbs == {"help", *phony[0].split()}
    assert {"setup", "demo", "serve", "test", "lint", "check", "docs"} <= verbs


def test_the_layers_name_every_package_and_nothing_else() -> None:
    contracts = project()["tool"]["importlinter"]["contracts"]
    layers = next(contract for contract in contracts if contract["type"] == "layers")
    assert layers["exhaustive"]
    named = {name for layer in layers["layers"] for name in re.findall(r"\w+", layer)}
    present = {
        path.stem
        for path in (ROOT / "src" / "sqe").iterdir()
        if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py")))
    }
    assert present - {"__init__"} <= named


def test_the_version_is_said_once() -> None:
    for name, folder in {"sqe": ROOT, "sqe-client": CLIENT}.items():
        assert importlib.metadata.version(name) == sqe.__version__
        assert "version" in project(folder)["project"]["dynamic"]
    # But for this: a dependency cannot be computed.
    assert f"sqe-client=={sqe.__version__}" in project()["project"]["dependencies"]


@pytest.mark.parametrize("module", ["sqe", "sqe.cli.main"])
def test_importing_does_not_load_heavy_packages(module: str) -> None:
    code = f"import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert HEAVY & set(answer.stdout.split()) == set()


def test_tests_do_not_see_the_developers_environment(isolated_home: Path) -> None:
    assert Path.home() == isolated_home
    assert not list(isolated_home.iterdir())


def test_each_test_is_in_one_suite() -> None:
    config = project()["tool"]["pytest"]["ini_options"]
    apart = [path for suite in read_suites() if not suite.on_stack for path in suite.paths]
    assert {one for one in apart if one.count("/") == 1} == set(config["testpaths"])
    moved = [path for suite in read_suites() for path in suite.left_out]
    assert sorted(moved) == sorted(one for one in apart if one.count("/") > 1)
    assert all((ROOT / one).is_dir() for one in apart)
