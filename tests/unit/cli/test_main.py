from __future__ import annotations

import subprocess
import sys

import pytest

from sqe import __version__
from tests.unit.cli.fakes import FakeGateway, run

HEAVY = {"pyarrow", "pydantic", "rich", "sqlglot", "pyspark", "duckdb", "starlette", "pyiceberg"}
LIST_MODULES = """
import sys
from sqe.cli.main import cli
cli(sys.argv[1:], standalone_mode=False)
print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["sql", "--help"], ["serve", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", LIST_MODULES, *arguments], capture_output=True, text=True, check=True
    )
    assert "Usage:" in answer.stdout
    assert HEAVY.isdisjoint(answer.stderr.split())


def test_help_names_every_command() -> None:
    result = run(FakeGateway(), "--help")
    for name in ("sql", "shell", "serve", "demo", "doctor"):
        assert f"  {name} " in result.stdout


@pytest.mark.parametrize("name", ["sql", "shell", "serve", "demo", "doctor"])
def test_every_command_has_help(name: str) -> None:
    result = run(FakeGateway(), name, "--help")
    assert result.exit_code == 0
    assert "--help" in result.stdout


def test_the_version_is_the_packages() -> None:
    assert run(FakeGateway(), "--version").stdout == f"sqe {__version__}\n"
