"""Every promise of the threat model names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threat-model.md").read_text()
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


def test_it_names_tests() -> None:
    assert len(NAMED) > 20


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_a_test_that_it_names_is_there(file: str, test: str) -> None:
    assert f"def {test}(" in (ROOT / file).read_text()


def test_every_row_of_its_tables_is_shown_by_a_test() -> None:
    tables = [part for part in PAGE.split("\n## ") if "| shown by |" in part]
    rows = [line for part in tables for line in part.splitlines() if line.startswith("| ")]
    proven = [row for row in rows if "| shown by |" not in row]
    assert proven
    assert [row for row in proven if "::test_" not in row] == []
