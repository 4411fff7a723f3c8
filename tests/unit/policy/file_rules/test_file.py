"""The file: what breaks it, and what holds then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.model.decision import Allow, Deny, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Privilege
from sqe.policy.file_rules.source import FileRules

EMP = TableFacts(RelationName(SchemaName("lake", ("hr",)), "emp"), Privilege.SELECT)
NOBODY: dict[str, Any] = {"tables": []}
EVERYBODY: dict[str, Any] = {"tables": [{"privileges": ["SELECT"]}]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rules.json"


def write(path: Path, content: Any) -> None:
    other = path.with_name("other")
    other.write_text(content if isinstance(content, str) else json.dumps(content))
    other.replace(path)


def rule(section: str, **keys: Any) -> dict[str, Any]:
    return {section: [keys]}


BROKEN = [
    ("", "Expecting value"),
    ("[]", "valid dictionary"),
    ("1", "valid dictionary"),
    ('{"tables": []} x', "Extra data"),
    ('{"tables": [], "tables": []}', "twice"),
    ("[" * 100_000, "nested"),
    ({"table": []}, "table: Extra inputs"),
    ({"tables": {}}, "tables: "),
    (rule("tables"), "tables.0.privileges: Field required"),
    (rule("tables", privileges=["READ"]), "tables.0.privileges"),
    (rule("tables", privileges=["select"]), "tables.0.privileges"),
    (rule("tables", privileges=[], users="ann"), "tables.0.users: Extra inputs"),
    (rule("tables", privileges=[], user=["ann"]), "tables.0.user"),
    (rule("tables", privileges=[], user="("), "not a regular expression"),
    (rule("tables", privileges=[], user="a{99999999999}"), "not a regular expression"),
    (rule("tables", privileges=[], user="(" * 9999 + ")" * 9999), "not a regular expression"),
    (rule("tables", privileges=[], table=r"\p{Alpha}"), "does not read as Java"),
    (rule("tables", privileges=[], filter=1), "tables.0.filter"),
    (rule("tables", privileges=[], filter_environment={"role": "x"}), "filter_environment.role"),
    (rule("tables", privileges=[], columns=[{"mask": "1"}]), "columns.0.name"),
    (rule("tables", privileges=[], columns=[{"name": "a", "allow": "no"}]), "columns.0.allow"),
    (rule("tables", privileges=[], columns=[{"name": "a"}, {"name": "A"}]), "more than one"),
    (rule("catalogs", catalog="lake"), "catalogs.0.allow: Field required"),
    (rule("catalogs", allow="write"), "catalogs.0.allow"),
    (rule("schemas", owner="yes"), "schemas.0.owner"),
    (rule("queries", allow="execute"), "queries.0.allow"),
    (rule("queries", allow=["execute"], queryOwner="x"), "queryOwner cannot allow execute"),
    (rule("impersonation", original_user="a"), "new_user"),
    (rule("impersonation", original_user="(a)", new_user="$2"), "does not have"),
    (rule("impersonation", original_user="a", new_user="${n}"), "does not have"),
    (rule("impersonation", original_user="a", new_user="b$"), "does not have"),
    (rule("authorization", original_user="a"), "new_user or new_role"),
    (rule("functions", privileges=["EXECUTE"], function_kinds=["TABLE"]), "function_kinds"),
    (rule("procedures", privileges=["OWNERSHIP"]), "procedures.0.privileges"),
    (rule("principals", principal="(.*)", principal_to_user="$1", allow=True), "SQE has none"),
]


@pytest.mark.parametrize(("content", "words"), BROKEN)
def test_a_broken_file_is_refused_at_the_start(path: Path, content: Any, words: str) -> None:
    write(path, content)
    with pytest.raises(UserError) as raised:
        FileRules(path)
    assert raised.value.code is ErrorCode.INVALID_SETTINGS
    assert str(path) in raised.value.message and words in raised.value.message


def test_no_file_is_refused_at_the_start(path: Path) -> None:
    with pytest.raises(UserError, match=r"rules\.json"):
        FileRules(path)


def test_a_change_holds_from_the_next_question_on(path: Path) -> None:
    write(path, NOBODY)
    source = FileRules(path)
    before = source.version()
    assert isinstance(source.decide(Identity("ann"), EMP), Deny)
    write(path, EVERYBODY)
    assert isinstance(source.decide(Identity("ann"), EMP), Allow)
    assert source.version() != before


@pytest.mark.parametrize("content", ["{", '{"table": []}', None])
def test_a_file_that_breaks_leaves_the_last_good_one(path: Path, content: str | None) -> None:
    write(path, EVERYBODY)
    source = FileRules(path)
    good = source.version()
    if content is None:
        path.unlink()
    else:
        write(path, content)
    assert isinstance(source.decide(Identity("ann"), EMP), Allow)
    assert source.version() == good
    assert source.problem
    write(path, NOBODY)
    assert isinstance(source.decide(Identity("ann"), EMP), Deny)
    assert not source.problem


def test_every_section_of_trinos_documentation_is_read(path: Path) -> None:
    write(
        path,
        {
            "catalogs": [{"user": "a", "role": "b", "group": "c", "catalog": "d", "allow": "all"}],
            "schemas": [{"catalog": "d", "schema": "e", "owner": True}],
            "tables": [{"table": "t", "privileges": ["SELECT"], "columns": None, "filter": None}],
            "functions": [{"function": "f", "privileges": ["EXECUTE", "OWNERSHIP"]}],
            "procedures": [{"procedure": "p", "privileges": ["GRANT_EXECUTE"]}],
            "queries": [{"queryOwner": "x", "allow": ["View", "KILL"]}],
            "impersonation": [{"original_user": "a", "new_user": "b", "allow": None}],
            "system_information": [{"role": "admin", "allow": ["read", "write"]}],
            "system_session_properties": [{"property": "p", "allow": True}],
            "catalog_session_properties": [{"catalog": "d", "property": "p", "allow": False}],
            "authorization": [
                {
                    "original_user": "a",
                    "original_group": "b",
                    "original_role": "c",
                    "new_user": "d",
                },
                {"original_role": "admin", "new_role": "r", "allow": False},
                {"originalUser": "a", "originalGroup": "b", "originalRole": "c", "newUser": "d"},
                {"newRole": "r"},
            ],
        },
    )
    assert not FileRules(path).problem
