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
