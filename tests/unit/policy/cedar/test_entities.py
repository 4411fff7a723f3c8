"""What Cedar is told of who asks and what is asked about."""

from __future__ import annotations

import json

import cedarpy
import pytest

from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import SYSTEM, Object, ObjectKind, Privilege
from sqe.policy.cedar.entities import (
    action_id,
    actions,
    find_misspelled,
    object_of_scope,
    objects,
    resource,
    schema_text,
    user,
)

DEEP = Object.table(RelationName(SchemaName("Lake", ("a", "B")), "odd.Name"))
KINDS = {
    "System": ("execute",),
    "Catalog": (
        "select",
        "insert",
        "update",
        "delete",
        "create",
        "drop",
        "alter",
        "own",
        "show",
        "lend",
    ),
    "Procedure": ("execute",),
    "Function": ("execute",),
    "User": ("impersonate", "view_query", "kill_query"),
    "Property": ("set",),
}
GROUPS = {"read": {"select", "show"}, "write": {"insert", "update", "delete"}}


def fits(policy: str) -> bool:
    return bool(cedarpy.validate_policies(policy, schema_text()).validation_passed)


@pytest.mark.parametrize("privilege", Privilege)
def test_the_schema_has_every_privilege_on_its_own_kinds_of_things(privilege: Privilege) -> None:
    word = action_id(privilege)
    for kind in (*KINDS, "Schema", "Table"):
        like = "Catalog" if kind in ("Schema", "Table") else kind
        text = f'permit(principal, action == SQE::Action::"{word}", resource is SQE::{kind});'
        assert fits(text) is (word in KINDS[like]), kind


def test_groups_of_actions_are_the_same_in_the_schema_and_in_the_entities() -> None:
    for name, members in GROUPS.items():
        group = {"type": "SQE::Action", "id": name}
        inside = {one["uid"]["id"] for one in actions() if group in one["parents"]}
        assert inside == members
        text = f'permit(principal, action in SQE::Action::"{name}", resource is SQE::Table);'
        assert fits(text)
        assert not fits(text.replace("Table", "Property"))
    assert {one["uid"]["id"] for one in actions()} == {action_id(one) for one in Privilege}
    assert "in []" not in schema_text() and '"read", "write"' not in schema_text()


def test_everything_fits_the_schema() -> None:
    ann = Identity("ann", frozenset({"g"}), frozenset({"r"}), "https://i", claims=(("c", "v"),))
    known = {"bob": [{"type": "SQE::Role", "id": "r"}]}
    things = [
        DEEP,
        SYSTEM,
        Object.catalog("sea"),
        Object.schema(SchemaName("sea", ("s",))),
        Object.user("bob"),
        Object(ObjectKind.PROPERTY, ("sqe.engine",)),
        Object(ObjectKind.PROCEDURE, ("sea", "system", "p")),
        Object(ObjectKind.FUNCTION, ("sea", "s", "f")),
    ]
    found = [user(ann, known), *objects(things, known)]
    cedarpy.Entities.from_json_str(json.dumps(found), schema_text())
    by_id = {(one["uid"]["type"], one["uid"]["id"]): one for one in found}
    assert by_id["SQE::User", "ann"]["attrs"] == {"name": "ann", "issuer": "https://i"}
    assert by_id["SQE::User", "ann"]["tags"] == {"c": "v"}
    assert by_id["SQE::User", "bob"]["attrs"] == {"name": "bob", "issuer": ""}
    assert by_id["SQE::User", "bob"]["parents"] == known["bob"]
    for kind in ("Procedure", "Function"):
        (one,) = [one for (type_, _), one in by_id.items() if type_ == f"SQE::{kind}"]
        assert [parent["type"] for parent in one["parents"]] == ["SQE::Schema"]
    deep = by_id["SQE::Table", "lake.a.b.`odd.name`"]
    assert deep["attrs"] == {"name": "odd.name", "catalog": "lake"}
    assert deep["parents"] == [{"type": "SQE::Schema", "id": "lake.a.b"}]
    assert by_id["SQE::Schema", "lake.a.b"]["parents"] == [{"type": "SQE::Schema", "id": "lake.a"}]
    assert by_id["SQE::Schema", "lake.a"]["parents"] == [{"type": "SQE::Catalog", "id": "lake"}]
    assert by_id["SQE::Catalog", "lake"]["attrs"] == {"name": "lake"}
    assert by_id["SQE::System", "sqe"]["attrs"] == {}


def test_a_user_and_a_thing_of_one_name_are_two() -> None:
    found = objects([Object.catalog("x"), Object(ObjectKind.PROPERTY, ("x",))], {})
    assert len(found) == 2


def test_a_name_comes_back_from_its_id() -> None:
    found = resource(DEEP)
    back = object_of_scope((found["type"], found["id"]))
    assert back == Object(ObjectKind.TABLE, ("lake", "a", "b", "odd.name"))
    quoted = Object.catalog("a`b")
    assert object_of_scope(("SQE::Catalog", resource(quoted)["id"])) == quoted
    hr = Object.schema(SchemaName("lake", ("hr",)))
    assert object_of_scope(("SQE::Schema", resource(hr)["id"])) == hr
    assert object_of_scope(("SQE::User", "ann")) is None
    assert object_of_scope(("SQE::Property", "a")) is None
    assert object_of_scope(("Other::Table", "t")) is None


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        ({"type": "SQE::Table", "id": "lake.HR.emp"}, "lake.HR.emp"),
        ([{"a": {"b": [{"type": "SQE::Schema", "id": "X"}]}}], "X"),
        *(({"type": f"SQE::{kind}", "id": "X"}, "X") for kind in KINDS if kind != "User"),
        ({"type": "SQE::Table", "id": "lake.hr.emp"}, ""),
        ({"type": "SQE::User", "id": "Ann"}, ""),
        ({"type": "SQE::Group", "id": "Staff"}, ""),
        ({"type": "SQE::Table", "id": 5}, ""),
        ("Text", ""),
    ],
)
def test_names_in_capitals_are_found_wherever_they_are(found: object, wrong: str) -> None:
    assert find_misspelled(found) == wrong
