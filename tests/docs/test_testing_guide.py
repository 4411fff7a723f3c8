"""The guide to the test catalog: its snippets print what it says, and its file can be served."""

from __future__ import annotations

import contextlib
import io
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sqe.testing.configured import ServedFile

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "testing.md"
_PYTHON = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
_TOML = re.compile(r"```toml\n(.*?)```", re.DOTALL)


def test_the_snippets_print_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for code, expected in _PYTHON.findall(PAGE.read_text()):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == expected, code


def test_the_file_of_the_page_is_understood() -> None:
    (text,) = _TOML.findall(PAGE.read_text())
    asked = ServedFile.model_validate(tomllib.loads(text))
    assert asked.catalogs["lake"].s3 is not None
    assert asked.catalogs["lake"].s3.storage().root == "s3://warehouse/lake"
    assert "…" not in repr(asked.catalogs["lake"].s3)
