"""Names and types of columns, against a list that Spark gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.engines.local.compile.asking import compiled

LINES = (Path(__file__).parent / "names.txt").read_text("utf-8").splitlines()
CASES = [tuple(line.rsplit(" => ", 1)) for line in LINES if not line.startswith("#")]


@pytest.mark.parametrize(("expression", "expected"), CASES)
def test_names_and_types_are_sparks(expression: str, expected: str) -> None:
    value = compiled(expression)
    name, _, kind = expected.rpartition(" : ")
    assert (value.name, str(value.type)) == (name, kind)


@pytest.mark.parametrize(
    "expression", ["coalesce(s, '') || t", "1 + length('')", "upper('') = s", "if(b, '', s)"]
)
def test_a_part_without_a_certain_name_leaves_the_whole_without_one(expression: str) -> None:
    assert compiled(expression).name == ""
