"""``make fresh``: a machine with make, Python and the system's basics."""

from __future__ import annotations

import subprocess
from pathlib import Path

from dev.fresh import make_environment

MACHINE = {
    "HOME": "/nowhere",
    "JAVA_HOME": "/usr/lib/jvm/some",
    "PIP_INDEX_URL": "https://packages.example/simple",
    "PIP_CACHE_DIR": "/nowhere/pip",
    "UV_CACHE_DIR": "/nowhere/uv",
    "https_proxy": "http://proxy.example:3128",
    "SQE_HOME": "/nowhere/lake",
}


def test_only_where_packages_come_from_is_kept(tmp_path: Path) -> None:
    environment = make_environment(tmp_path / "machine", MACHINE)
    own = {"HOME", "PATH", "TERM", "TMPDIR", "SQE_CORPORA"}
    assert environment.keys() - own == {"PIP_INDEX_URL", "https_proxy"}
    assert list(Path(environment["HOME"]).iterdir()) == []


def test_there_is_python_and_no_java_maven_go_or_node(tmp_path: Path) -> None:
    environment = make_environment(tmp_path / "machine", MACHINE)
    programs = {path.name for path in Path(environment["PATH"]).iterdir()}
    assert {"make", "python3", "sh"} <= programs
    assert programs.isdisjoint({"java", "javac", "mvn", "go", "node", "uv", "pip"})
    said = subprocess.run(
        ["python3", "-c", "import venv; print('works')"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == "works\n"


def test_other_users_reach_what_is_theirs_in_the_temporary_folder(tmp_path: Path) -> None:
    """The tests' PostgreSQL runs as nobody where root runs them."""
    (tmp_path / "machine").mkdir(mode=0o700)
    environment = make_environment(tmp_path / "machine", MACHINE)
    assert Path(environment["TMPDIR"]).stat().st_mode & 0o777 == 0o711
