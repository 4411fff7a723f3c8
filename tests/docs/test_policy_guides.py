"""What the guides to policies show is what SQE takes."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from sqe.cli.policy_cases import read_cases
from sqe.model.decision import Allow, ColumnFacts, Restrict, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Privilege
from sqe.policy.cedar.source import CedarSource
from sqe.policy.policy import Policy
from sqe.settings import Settings

GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def blocks(page: str, language: str) -> list[str]:
    text = (GUIDES / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def source(tmp_path: Path) -> CedarSource:
    (policies,) = blocks("policies-cedar.md", "cedar")
    (entities,) = blocks("policies-cedar.md", "json")
    (tmp_path / "hr.cedar").write_text(policies)
    (tmp_path / "entities.json").write_text(json.dumps(json.loads(entities)))
    return CedarSource(tmp_path, tmp_path / "entities.json")


def test_the_cedar_policies_decide_as_the_page_says(source: CedarSource) -> None:
    emp = TableFacts(
        RelationName(SchemaName("lake", ("hr",)), "emp"),
        Privilege.SELECT,
        (ColumnFacts("dept", "string", 1), ColumnFacts("ssn", "string", 2)),
    )
    policy = Policy([source])
    staff = policy.decide(Identity("zoe", frozenset({"staff"})), [emp])[emp]
    assert isinstance(staff, Restrict) and set(staff.masks) == {"ssn"}
    assert isinstance(policy.decide(Identity("ann"), [emp])[emp], Allow)


def test_the_settings_are_taken(tmp_path: Path) -> None:
    for text in blocks("policies-cedar.md", "toml"):
        Settings.model_validate({"home": tmp_path, **tomllib.loads(text)})


def test_the_cases_are_understood(tmp_path: Path) -> None:
    (text,) = blocks("policies-testing.md", "yaml")
    file = tmp_path / "cases.yaml"
    file.write_text(text)
    assert [case.user for case in read_cases(file)] == ["ann", "bob", "zoe"]
