"""Rules made with SQL as rows, and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from sqe.model.decision import RowFilter
from sqe.model.grants import (
    Attachment,
    ColumnRule,
    Grant,
    MaskPolicy,
    NamedPolicy,
    Role,
    RoleGrant,
    RowFilterPolicy,
    Tag,
)
from sqe.model.masks import Mask
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object, ObjectKind, Privilege, Subject, SubjectKind

Row = Mapping[str, Any]
Rule = Role | RoleGrant | Grant | NamedPolicy | Attachment | Tag

_MASKS: dict[str, type[Mask]] = {kind.__name__: kind for kind in get_args(Mask)}


@dataclass(frozen=True, slots=True)
class Table:
    """``key``: the columns that tell a row from all others."""

    name: str
    key: tuple[str, ...]
    rule: Callable[[Row], Any]


def table_of(rule: Rule) -> Table:
    return next(table for kind, table in TABLES.items() if isinstance(rule, kind))


def row_of(rule: Rule) -> dict[str, Any]:
    """With an id where the table has one: the same for rules that say the same."""
    row = _columns_of(rule)
    if "id" in table_of(rule).key:
        row_text = json.dumps(row, sort_keys=True)
        row["id"] = hashlib.sha256(row_text.encode()).hexdigest()
    return {**row, "made_by": rule.by, "made_at": rule.at}


def _columns_of(rule: Rule) -> dict[str, Any]:
    match rule:
        case Role():
            return {"name": rule.name}
        case RoleGrant():
            admin = int(rule.admin_option)
            return {"role": rule.role, **_subject_row(rule.to), "admin_option": admin}
        case Grant():
            return _grant_row(rule)
        case RowFilterPolicy():
            return {"name": rule.name, "row_filter": _filter_text(rule.filter), "mask": None}
        case MaskPolicy():
            return {"name": rule.name, "row_filter": None, "mask": _mask_text(rule.mask)}
        case Attachment():
            on = {"object_kind": None, "object": None} if rule.on is None else _object_row(rule.on)
            exempt = sorted((subject.kind.value, subject.name) for subject in rule.exempt)
            columns = json.dumps(_columns(rule.columns))
            place = {"policy": rule.policy, "tag": rule.tag, "table_uuid": rule.table_uuid}
            return {**place, **on, "columns": columns, "exempt": json.dumps(exempt)}
        case Tag():
            name = json.dumps(rule.table.parts)
            column = {"column_name": rule.column, "field_id": rule.field_id}
            return {"tag": rule.tag, "name": name, **column, "table_uuid": rule.table_uuid}


def _grant_row(grant: Grant) -> dict[str, Any]:
    through = grant.through
    # Not in the digest of what has no end: grants of earlier versions keep their ids.
    ends = {} if grant.until is None else {"valid_until": grant.until}
    return {
        **_subject_row(grant.to),
        "privilege": grant.privilege.value,
        **_object_row(grant.on),
        "denied": int(grant.deny),
        "row_filter": None if grant.rows is None else _filter_text(grant.rows),
        "columns": None if grant.columns is None else json.dumps(_columns(grant.columns)),
        "table_uuid": grant.table_uuid,
        "grant_option": int(grant.grant_option),
        "through_kind": None if through is None else through.kind.value,
        "through": None if through is None else through.name,
        **ends,
    }


def _grant(row: Row) -> Grant:
    through = row["through_kind"]
    return Grant(
        to=_subject(row),
        privilege=Privilege(row["privilege"]),
        on=_object(row),
        deny=bool(row["denied"]),
        rows=None if row["row_filter"] is None else _filter(row["row_filter"]),
        columns=None if row["columns"] is None else _column_rules(row["columns"]),
        table_uuid=row["table_uuid"],
        grant_option=bool(row["grant_option"]),
        through=None if through is None else Subject(SubjectKind(through), row["through"]),
        until=row.get("valid_until"),
        **_origin_of(row),
    )


def _policy(row: Row) -> NamedPolicy:
    if row["row_filter"] is not None:
        return RowFilterPolicy(row["name"], _filter(row["row_filter"]), **_origin_of(row))
    return MaskPolicy(row["name"], _mask(json.loads(row["mask"])), **_origin_of(row))


def _attachment(row: Row) -> Attachment:
    return Attachment(
        policy=row["policy"],
        on=None if row["object_kind"] is None else _object(row),
        tag=row["tag"],
        columns=_column_rules(row["columns"]),
        exempt=tuple(Subject(SubjectKind(kind), name) for kind, name in json.loads(row["exempt"])),
        table_uuid=row["table_uuid"],
        **_origin_of(row),
    )


def _tag(row: Row) -> Tag:
    name = relation_of(row["name"])
    column = row["column_name"], row["field_id"]
    return Tag(row["tag"], name, *column, table_uuid=row["table_uuid"], **_origin_of(row))


def relation_of(text: str) -> RelationName:
    catalog, *path, name = json.loads(text)
    return RelationName(SchemaName(catalog, tuple(path)), name)


def _origin_of(row: Row) -> dict[str, Any]:
    return {"by": row["made_by"], "at": row["made_at"]}


def _subject_row(subject: Subject) -> dict[str, Any]:
    return {"subject_kind": subject.kind.value, "subject": subject.name}


def _subject(row: Row) -> Subject:
    return Subject(SubjectKind(row["subject_kind"]), row["subject"])


def _object_row(on: Object) -> dict[str, Any]:
    return {"object_kind": on.kind.value, "object": json.dumps(on.parts)}


def _object(row: Row) -> Object:
    return Object(ObjectKind(row["object_kind"]), tuple(json.loads(row["object"])))


def _filter_text(rows: RowFilter) -> str:
    return json.dumps(asdict(rows), sort_keys=True)


def _filter(text: str) -> RowFilter:
    return RowFilter(**json.loads(text))


def _mask_text(mask: Mask) -> str:
    return json.dumps(_mask_fields(mask), sort_keys=True)


def _mask_fields(mask: Mask) -> dict[str, Any]:
    return {"mask": type(mask).__name__, **asdict(mask)}


def _mask(fields: dict[str, Any]) -> Mask:
    """KeyError for one that is not known: the rules cannot be read then, which denies."""
    return _MASKS[fields["mask"]](**{name: fields[name] for name in fields if name != "mask"})


def _columns(rules: Iterable[ColumnRule]) -> list[dict[str, Any]]:
    return [
        {
            "name": rule.name,
            "field_id": rule.field_id,
            "mask": None if rule.mask is None else _mask_fields(rule.mask),
        }
        for rule in rules
    ]


def _column_rules(text: str) -> tuple[ColumnRule, ...]:
    return tuple(
        ColumnRule(
            item["name"], item["field_id"], None if item["mask"] is None else _mask(item["mask"])
        )
        for item in json.loads(text)
    )


def _role(row: Row) -> Role:
    return Role(row["name"], **_origin_of(row))


def _role_grant(row: Row) -> RoleGrant:
    return RoleGrant(row["role"], _subject(row), bool(row["admin_option"]), **_origin_of(row))


_POLICIES = Table("policies", ("name",), _policy)
TABLES: dict[type[Rule], Table] = {
    Role: Table("roles", ("name",), _role),
    RoleGrant: Table("role_grants", ("role", "subject_kind", "subject"), _role_grant),
    Grant: Table("grants", ("id",), _grant),
    RowFilterPolicy: _POLICIES,
    MaskPolicy: _POLICIES,
    Attachment: Table("policy_places", ("id",), _attachment),
    Tag: Table("tags", ("id",), _tag),
}
