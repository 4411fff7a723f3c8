"""The grammar that the guide shows is the one that is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sqe.sql.access.commands import AccessCommand
from sqe.sql.parse import parse

PAGE = Path(__file__).parents[3] / "docs" / "guides" / "policies.md"
STATEMENTS = [
    statement.strip()
    for block in re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL)
    for statement in block.split(";\n")
    if statement.strip()
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_statement_of_the_guide_is_one_about_access(statement: str) -> None:
    assert isinstance(parse(statement).command, AccessCommand)


def test_the_guide_shows_every_kind_of_statement() -> None:
    kinds = {type(parse(statement).command).__name__ for statement in STATEMENTS}
    known = {kind for base in AccessCommand.__subclasses__() for kind in base.__subclasses__()}
    assert {kind.__name__ for kind in known} == kinds
