"""Who asks and what is asked about, as Cedar's entities; and the schema they follow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqe.model.identity import Identity
from sqe.model.names import quote
from sqe.model.rules import Object, ObjectKind, Privilege

Json = dict[str, Any]
Uid = tuple[str, str]  # type and id
NAMESPACE = "SQE"
_ACTION = f"{NAMESPACE}::Action"
_TYPES = {
    ObjectKind.SYSTEM: "System",
    ObjectKind.CATALOG: "Catalog",
    ObjectKind.SCHEMA: "Schema",
    ObjectKind.TABLE: "Table",
    ObjectKind.PROCEDURE: "Procedure",
    ObjectKind.FUNCTION: "Function",
    ObjectKind.USER: "User",
    ObjectKind.PROPERTY: "Property",
}
_BY_TYPE = {f"{NAMESPACE}::{name}": kind for kind, name in _TYPES.items()}
_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")
_LOWER = tuple(name for name, kind in _BY_TYPE.items() if kind is not ObjectKind.USER)
_IN_SCHEMAS = (ObjectKind.TABLE, ObjectKind.PROCEDURE, ObjectKind.FUNCTION)
_GROUPS = {
    "read": (Privilege.SELECT, Privilege.SHOW),
    "write": (Privilege.INSERT, Privilege.UPDATE, Privilege.DELETE),
}
_PLACES = ("Catalog", "Schema", "Table")
_RESOURCES = {
    Privilege.EXECUTE: ("System", "Procedure", "Function"),
    Privilege.IMPERSONATE: ("User",),
    Privilege.VIEW_QUERY: ("User",),
    Privilege.KILL_QUERY: ("User",),
    Privilege.SET: ("Property",),
}
_ENTITIES = """\
  entity Role in [Role];
  entity Group in [Group, Role];
  // Claims of the user's token are tags: principal.hasTag("department")
  entity User in [Group, Role] { "name": String, "issuer": String } tags String;
  entity System;
  entity Property { "name": String };
  entity Catalog { "name": String };
  entity Schema in [Catalog, Schema] { "name": String, "catalog": String };
  entity Table in [Schema] { "name": String, "catalog": String };
  entity Procedure in [Schema] { "name": String, "catalog": String };
  entity Function in [Schema] { "name": String, "catalog": String };
"""


def schema_text() -> str:
    """Cedar's schema of everything SQE asks about; policies are checked against it."""
    lines = [f"namespace {NAMESPACE} {{", _ENTITIES.rstrip()]
    lines += [f'  action "{name}";' for name in _GROUPS]
    for privilege in Privilege:
        groups = [f'"{name}"' for name, members in _GROUPS.items() if privilege in members]
        inside = f" in [{', '.join(groups)}]" if groups else ""
        resources = ", ".join(_RESOURCES.get(privilege, _PLACES))
        lines.append(
            f'  action "{action_id(privilege)}"{inside}'
            f" appliesTo {{ principal: [User], resource: [{resources}] }};"
        )
    return "\n".join([*lines, "}", ""])


def action_id(privilege: Privilege) -> str:
    return privilege.value.replace(" ", "_")


def action(privilege: Privilege) -> Json:
    return {"type": _ACTION, "id": action_id(privilege)}


def actions() -> list[Json]:
    """With the groups they are in: without them, ``action in`` a group would fit nothing."""
    return [
        {
            "uid": action(privilege),
            "attrs": {},
            "parents": [
                {"type": _ACTION, "id": name}
                for name, members in _GROUPS.items()
                if privilege in members
            ],
        }
        for privilege in Privilege
    ]


def uid(kind: str, name: str) -> Json:
    return {"type": f"{NAMESPACE}::{kind}", "id": name}


def resource(on: Object) -> Json:
    """``SQE::Table::"lake.hr.emp"``: the name as SQL writes it, back-quoted where it must be, and
    in lower case, as names fit whatever their case."""
    if on.kind is ObjectKind.USER:
        return uid(_TYPES[on.kind], on.parts[0])
    return uid(_TYPES[on.kind], ".".join(map(quote, on.parts)).lower() or "sqe")


def find_misspelled(policy: Any) -> str:
    """A thing that a policy names, anywhere in it, in a way that nothing has; "": none."""
    if isinstance(policy, list):
        return next(filter(None, map(find_misspelled, policy)), "")
    if not isinstance(policy, dict):
        return ""
    kind, name = policy.get("type"), policy.get("id")
    if kind in _LOWER and isinstance(name, str) and name != name.lower():
        return name
    return find_misspelled(list(policy.values()))


def object_of_scope(scope: Uid) -> Object | None:
    """The catalog, schema or table that a policy names; None for everything else."""
    kind = _BY_TYPE.get(scope[0])
    if kind not in (ObjectKind.CATALOG, ObjectKind.SCHEMA, ObjectKind.TABLE):
        return None
    parts = [(part[1] or "").replace("``", "`") or part[2] for part in _PART.finditer(scope[1])]
    return Object(kind, tuple(parts))


def user(identity: Identity, known: Mapping[str, Sequence[Json]]) -> Json:
    """``known``: what the entities' file says someone is in, beside what their login says."""
    login = [uid("Group", group) for group in sorted(identity.groups)]
    login += [uid("Role", role) for role in sorted(identity.roles)]
    return {
        "uid": uid("User", identity.user),
        "attrs": {"name": identity.user, "issuer": identity.issuer},
        "parents": [*login, *known.get(identity.user, ())],
        "tags": dict(identity.claims),
    }


def objects(found: Sequence[Object], known: Mapping[str, Sequence[Json]]) -> list[Json]:
    """Each of them once, with the schemas and catalogs they are in."""
    made: dict[Uid, Json] = {}
    for parent in found:
        for entity in _chain(parent, known):
            made.setdefault((entity["uid"]["type"], entity["uid"]["id"]), entity)
    return list(made.values())


def _chain(on: Object, known: Mapping[str, Sequence[Json]]) -> Iterator[Json]:
    if on.kind is ObjectKind.USER:
        (who,) = on.parts
        attrs = {"name": who, "issuer": ""}
        yield {"uid": resource(on), "attrs": attrs, "parents": list(known.get(who, ()))}
        return
    name = on.parts[-1].lower() if on.parts else ""
    if on.kind is ObjectKind.SCHEMA or on.kind in _IN_SCHEMAS:
        above = Object(ObjectKind.SCHEMA, on.parts[:-1])
        if len(above.parts) < 2:
            above = Object(ObjectKind.CATALOG, on.parts[:1])
        attrs = {"name": name, "catalog": on.parts[0].lower()}
        yield {"uid": resource(on), "attrs": attrs, "parents": [resource(above)]}
        yield from _chain(above, known)
        return
    attrs = {"name": name} if on.parts else {}
    yield {"uid": resource(on), "attrs": attrs, "parents": []}
