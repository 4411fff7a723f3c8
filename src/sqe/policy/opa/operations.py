"""Which operations of Trino stand for SQE's privileges.

Where SQE has one word for what Trino tells apart, each of Trino's operations must be allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqe.model.rules import ObjectKind, Privilege
from sqe.policy.opa import resources
from sqe.policy.opa.resources import Resource

Parts = Sequence[str]
_Of = Callable[[Parts], Resource]


@dataclass(frozen=True, slots=True)
class Question:
    """``resource``: what it is about; {}: the whole system. ``grantee``: who would get it."""

    operation: str
    resource: Resource
    grantee: str = ""


_ALTER = (
    "AddColumn",
    "AlterColumn",
    "DropColumn",
    "RenameColumn",
    "SetColumnComment",
    "SetTableComment",
)
_SHOW = ("ShowColumns", "ShowCreateTable")
_ON_TABLES = {
    Privilege.INSERT: ("InsertIntoTable",),
    Privilege.DELETE: ("DeleteFromTable",),
    Privilege.DROP: ("DropTable",),
    Privilege.ALTER: _ALTER,
    Privilege.SHOW: _SHOW,
}
_ON_VIEWS = {
    Privilege.CREATE: ("CreateView",),
    Privilege.DROP: ("DropView",),
    Privilege.ALTER: ("CreateView", "SetViewComment"),
    Privilege.SHOW: _SHOW,
}
_OTHERS: Mapping[tuple[ObjectKind, Privilege], tuple[str, _Of]] = {
    (ObjectKind.SYSTEM, Privilege.EXECUTE): ("ExecuteQuery", lambda parts: {}),
    (ObjectKind.SYSTEM, Privilege.SHOW): ("ReadSystemInformation", lambda parts: {}),
    (ObjectKind.SYSTEM, Privilege.ALTER): ("WriteSystemInformation", lambda parts: {}),
    (ObjectKind.CATALOG, Privilege.SHOW): ("ShowSchemas", lambda parts: _catalog(parts)),
    (ObjectKind.SCHEMA, Privilege.SHOW): ("ShowTables", resources.schema),
    (ObjectKind.SCHEMA, Privilege.CREATE): ("CreateSchema", resources.new_schema),
    (ObjectKind.SCHEMA, Privilege.DROP): ("DropSchema", resources.schema),
    (ObjectKind.TABLE, Privilege.SHOW): ("ShowColumns", resources.table),
    (ObjectKind.PROCEDURE, Privilege.EXECUTE): ("ExecuteProcedure", resources.function),
    (ObjectKind.FUNCTION, Privilege.EXECUTE): ("ExecuteFunction", resources.function),
    (ObjectKind.FUNCTION, Privilege.CREATE): ("CreateFunction", resources.function),
    (ObjectKind.FUNCTION, Privilege.DROP): ("DropFunction", resources.function),
    (ObjectKind.FUNCTION, Privilege.SHOW): ("ShowCreateFunction", resources.function),
    (ObjectKind.USER, Privilege.IMPERSONATE): ("ImpersonateUser", lambda p: resources.user(p[0])),
    (ObjectKind.USER, Privilege.VIEW_QUERY): ("ViewQueryOwnedBy", lambda p: resources.owner(p[0])),
    (ObjectKind.USER, Privilege.KILL_QUERY): ("KillQueryOwnedBy", lambda p: resources.owner(p[0])),
}
_LISTED: Mapping[ObjectKind, tuple[str, _Of]] = {
    ObjectKind.CATALOG: ("FilterCatalogs", lambda parts: _catalog(parts)),
    ObjectKind.SCHEMA: ("FilterSchemas", resources.schema),
    ObjectKind.TABLE: ("FilterTables", resources.table),
    ObjectKind.FUNCTION: ("FilterFunctions", resources.function),
    ObjectKind.USER: ("FilterViewQueryOwnedBy", lambda parts: resources.owner(parts[0])),
}


def on_table(privilege: Privilege, table: Parts, columns: Sequence[str]) -> list[Question]:
    """All of them must be allowed; none: nothing that Trino knows."""
    if privilege is Privilege.CREATE:
        return [Question("CreateTable", resources.new_table(table))]
    if privilege is Privilege.UPDATE:  # which of them is not known where it is asked
        return [Question("UpdateTableColumns", resources.table(table, columns))]
    if privilege is Privilege.LEND:
        return [_lend(table, columns)]
    questions = [Question(name, resources.table(table)) for name in _ON_TABLES.get(privilege, ())]
    if privilege is Privilege.ALTER:
        questions.append(Question("SetTableProperties", resources.new_table(table)))
    return questions


def on_view(privilege: Privilege, view: Parts, columns: Sequence[str]) -> list[Question]:
    if privilege is Privilege.LEND:
        return [_lend(view, columns)]
    return [Question(name, resources.table(view)) for name in _ON_VIEWS.get(privilege, ())]


def _lend(relation: Parts, columns: Sequence[str]) -> Question:
    """Trino asks this of the owner of a view, each time that somebody else reads it."""
    return Question("CreateViewWithSelectFromColumns", resources.table(relation, columns))


def on_other(kind: ObjectKind, privilege: Privilege, parts: Parts) -> Question | None:
    """About what is no table or view."""
    if kind is ObjectKind.PROPERTY and privilege is Privilege.SET:
        where = "System" if len(parts) == 1 else "Catalog"
        return Question(f"Set{where}SessionProperty", resources.session_property(parts))
    operation = _OTHERS.get((kind, privilege))
    return Question(operation[0], operation[1](parts)) if operation is not None else None


def question_of_listing(kind: ObjectKind, parts: Parts) -> Question | None:
    """Whether it is shown in lists."""
    operation = _LISTED.get(kind)
    return Question(operation[0], operation[1](parts)) if operation is not None else None


def own_table(table: Parts, user: str, view: bool) -> Question:
    """Who may give a thing to themselves owns it."""
    what = "View" if view else "Table"
    return Question(f"Set{what}Authorization", resources.table(table), user)


def own_schema(schema: Parts, user: str) -> Question:
    return Question("SetSchemaAuthorization", resources.schema(schema), user)


def _catalog(parts: Parts) -> Resource:
    return resources.catalog(parts[0])
