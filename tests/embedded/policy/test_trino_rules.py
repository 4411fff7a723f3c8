"""The rules of docs/guides/policies-trino-rules.md on real rows: its table is what people see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sqe.errors import ErrorCode
from sqe.model.identity import Identity
from sqe.settings import Settings
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]
PAGE = Path(__file__).parents[3] / "docs" / "guides" / "policies-trino-rules.md"
EMP = "SELECT * FROM lake.hr.emp ORDER BY name"


def rules() -> Any:
    (block,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return json.loads(block)


def as_user(lake: Lake, user: str, engine: str = "auto", group: str = "staff") -> Lake:
    session = lake.server.gateway.open_session(Identity(user, frozenset({group})))
    session.set_property("sqe.engine", engine)
    return Lake(lake.server, session)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rules.json"


@pytest.fixture
def root(another: Another, tmp_path: Path, path: Path) -> Iterator[Lake]:
    path.write_text(json.dumps(rules()))
    policy = {"file": {"path": str(path)}, "cache_s": 30}
    lake = another(Settings.model_validate({"home": tmp_path, "policy": policy}))
    root = as_user(lake, "root", "spark")
    root.all(
        "CREATE SCHEMA hr",
        "CREATE TABLE hr.emp AS SELECT * FROM VALUES ('ann', 'bob', 10, '111'),"
        " ('bob', 'eve', 20, '222') AS v(name, manager, salary, ssn)",
    )
    yield root


@pytest.mark.parametrize("engine", ["auto", "spark"])
def test_each_sees_what_the_page_says(root: Lake, engine: str) -> None:
    assert root.rows(EMP) == [("ann", "bob", 10, "111"), ("bob", "eve", 20, "222")]
    bob = as_user(root, "bob", engine)
    assert bob.rows(EMP) == [("ann", "bob", None), ("bob", "eve", 20)]
    assert as_user(root, "ann", engine).rows(EMP) == [("ann", "bob", 10)]
    mallory = as_user(root, "mallory", engine)
    assert mallory.fails(EMP).code is ErrorCode.ACCESS_DENIED
    there, not_there = mallory.fails(EMP), mallory.fails(EMP.replace("emp", "nix"))
    assert str(there).replace("emp", "nix") == str(not_there)
    assert as_user(root, "bob", engine, "guests").fails(EMP).code is ErrorCode.ACCESS_DENIED
    assert bob.fails("DELETE FROM hr.emp").code is ErrorCode.ACCESS_DENIED


def test_a_change_of_the_file_holds_for_the_next_query(root: Lake, path: Path) -> None:
    ann = as_user(root, "ann")
    assert len(ann.rows(EMP)) == 1
    changed = rules()
    changed["tables"][1]["user"] = "mallory|ann"
    path.write_text(json.dumps(changed))
    assert ann.fails(EMP).code is ErrorCode.ACCESS_DENIED
    path.write_text("{")
    assert ann.fails(EMP).code is ErrorCode.ACCESS_DENIED
    path.write_text(json.dumps(rules()))
    assert len(ann.rows(EMP)) == 1
