"""People, tables and short ways to say what the tests ask."""

from __future__ import annotations

from sqe.model.decision import ColumnFacts, RowFilter, TableFacts
from sqe.model.grants import ColumnRule, GrantRequest, RevokeRequest
from sqe.model.identity import Identity
from sqe.model.masks import Mask
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object, ObjectKind, Privilege, Subject, SubjectKind

ADMIN = Identity("root")
ALICE = Identity("alice", groups=frozenset({"staff"}))
BOB = Identity("bob")
UUID = "11111111-0000-0000-0000-000000000000"
COLUMNS = (
    ColumnFacts("id", "bigint", 1),
    ColumnFacts("name", "string", 2),
    ColumnFacts("salary", "int", 3),
)


def user(name: str) -> Subject:
    return Subject(SubjectKind.USER, name)


def group(name: str) -> Subject:
    return Subject(SubjectKind.GROUP, name)


def role(name: str) -> Subject:
    return Subject(SubjectKind.ROLE, name)


def relation(name: str) -> RelationName:
    catalog, *path, last = name.split(".")
    return RelationName(SchemaName(catalog, tuple(path)), last)


def table(name: str) -> Object:
    return Object(ObjectKind.TABLE, tuple(name.split(".")))


def schema(name: str) -> Object:
    return Object(ObjectKind.SCHEMA, tuple(name.split(".")))


def catalog(name: str) -> Object:
    return Object.catalog(name)


EMP = table("lake.hr.emp")


def facts(
    name: str = "lake.hr.emp",
    privilege: Privilege = Privilege.SELECT,
    columns: tuple[ColumnFacts, ...] = COLUMNS,
    uuid: str = UUID,
) -> TableFacts:
    return TableFacts(relation(name), privilege, columns, uuid)


def to(
    *subjects: Subject,
    privileges: tuple[Privilege, ...] = (Privilege.SELECT,),
    on: Object = EMP,
    rows: str | RowFilter | None = None,
    columns: tuple[ColumnRule, ...] | None = None,
    uuid: str = UUID,
    option: bool = False,
) -> GrantRequest:
    """A grant of SELECT on the table of employees, unless told otherwise."""
    given = RowFilter(rows) if isinstance(rows, str) else rows
    return GrantRequest(privileges, on, subjects, given, columns, uuid, option)


def away(
    *subjects: Subject,
    privileges: tuple[Privilege, ...] = (Privilege.SELECT,),
    on: Object = EMP,
    option: bool = False,
) -> RevokeRequest:
    return RevokeRequest(privileges, on, subjects, option, UUID)


def column(name: str, mask: Mask | None = None) -> ColumnRule:
    ids = {one.name: one.field_id for one in COLUMNS}
    return ColumnRule(name, ids.get(name), mask)
