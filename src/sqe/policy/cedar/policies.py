"""A set of Cedar policies, read from files and checked against SQE's schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqe.errors import ErrorCode, UserError
from sqe.policy.cedar.annotations import Limits, limits_of, refuse_limits
from sqe.policy.cedar.entities import NAMESPACE, Json, Uid, actions, find_misspelled, schema_text
from sqe.settings.watched import Files

if TYPE_CHECKING:
    import cedarpy

_KINDS = tuple(f"{NAMESPACE}::{name}" for name in ("User", "Group", "Role"))


@dataclass(frozen=True, slots=True)
class Written:
    """One policy. ``scope``: the resource that it names, if it names one; ``exact``: that one and
    not what is in it, of the principal and of the resource. ``always``: for all of its scope."""

    label: str
    permits: bool
    limits: Limits
    scope: Uid | None
    principal: Uid | None
    exact: tuple[bool, bool]
    actions: tuple[str, ...]  # none: all
    always: bool


@dataclass(frozen=True, slots=True)
class Policies:
    judged: cedarpy.PolicySet
    by_id: Mapping[str, Written]


@dataclass(frozen=True, slots=True)
class Known:
    """The entities' file: groups and roles as Cedar has them, and what each user is in."""

    graph: cedarpy.Entities
    parents: Mapping[str, tuple[Json, ...]]


def library() -> Any:
    try:
        import cedarpy
    except ImportError:
        raise UserError(
            ErrorCode.INVALID_SETTINGS,
            "policy.cedar needs the package cedarpy, which is not installed.",
            hint="Install sqe[cedar].",
        ) from None
    return cedarpy


def read_policies(files: Files) -> Policies:
    """ValueError in words that say the file and the policy."""
    cedar = library()
    texts: list[str] = []
    policies: dict[str, Written] = {}
    for name, content in sorted(files.items()):
        text = _text(name, content)
        try:
            parsed = json.loads(cedar.policies_to_json_str(text))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if parsed["templates"]:
            raise ValueError(f"{name}: templates have nothing to link them, so there may be none")
        for number in range(len(parsed["staticPolicies"])):
            policy = parsed["staticPolicies"][f"policy{number}"]
            policies[f"policy{len(policies)}"] = _read_policy(name, number, policy)
        texts.append(text)
    whole = "\n".join(texts)
    for wrong in cedar.validate_policies(whole, schema_text()).errors:
        label = policies[wrong.policy_id].label if wrong.policy_id in policies else ""
        raise ValueError(f"{label}: {wrong.error}" if label else wrong.error)
    return Policies(cedar.PolicySet.from_str(whole), policies)


def read_entities(files: Files) -> Known:
    """``attrs`` and ``tags`` are SQE's to give; the file says only who is in what."""
    cedar = library()
    ((name, content),) = files.items()
    entities = json.loads(_text(name, content))
    if not isinstance(entities, list):
        raise ValueError(f"{name}: not a list of entities")
    parents: dict[str, tuple[Json, ...]] = {}
    others = actions()
    for entity in entities:
        if not isinstance(entity, dict) or set(entity) - {"uid", "parents", "attrs", "tags"}:
            raise ValueError(f"{name}: an entity has a uid and parents")
        if entity.get("attrs") or entity.get("tags"):
            raise ValueError(f"{name}: attributes and tags of entities are SQE's to give")
        uid, above = _uid(name, entity.get("uid")), entity.get("parents") or []
        if not isinstance(above, list):
            raise ValueError(f"{name}: the parents are a list")
        listed = tuple(_uid(name, parent) for parent in above)
        if uid["type"] == _KINDS[0]:
            parents[uid["id"]] = listed
        else:
            others.append({"uid": uid, "attrs": {}, "parents": list(listed)})
    return Known(cedar.Entities.from_json_str(json.dumps(others)), parents)


def know_nobody() -> Known:
    return Known(library().Entities.from_json_str(json.dumps(actions())), {})


def _text(name: str, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{name}: not UTF-8") from None


def _uid(name: str, value: Any) -> Json:
    uid = value.get("__entity", value) if isinstance(value, dict) else {}
    kind, text = uid.get("type"), uid.get("id")
    if kind not in _KINDS or not isinstance(text, str):
        raise ValueError(f"{name}: entities and their parents are {', '.join(_KINDS)}")
    return {"type": kind, "id": text}


def _read_policy(name: str, number: int, policy: Json) -> Written:
    annotations = policy.get("annotations") or {}
    label = f"{name}, policy {annotations.get('id') or number + 1}"
    permits = policy["effect"] == "permit"
    who, what = policy["principal"], policy["resource"]
    exact = who["op"] == "==", what["op"] == "=="
    wrong = find_misspelled(policy)
    try:
        if wrong:
            raise ValueError(f"names are in lower case here, as {wrong.lower()}")
        limits = limits_of(annotations, named=exact[1]) if permits else Limits()
        if not permits:
            refuse_limits(annotations)
    except ValueError as error:
        raise ValueError(f"{label}: {error}") from None
    return Written(
        label,
        permits,
        limits,
        _scope(what),
        _scope(who),
        exact,
        _actions(policy["action"]),
        not policy.get("conditions") and "is" not in (who["op"], what["op"]),
    )


def _scope(constraint: Json) -> Uid | None:
    """The entity of ``==``, ``in`` or ``is … in``."""
    inside = constraint.get("in") or {}
    entity = constraint.get("entity") or inside.get("entity")
    return (entity["type"], entity["id"]) if entity else None


def _actions(constraint: Json) -> tuple[str, ...]:
    action = constraint.get("entity")
    many = constraint.get("entities") or ([action] if action else [])
    return tuple(entity["id"] for entity in many)
