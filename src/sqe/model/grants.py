"""What GRANT, DENY and policies by name say, as it is kept.

A ``*`` in a part of an object's name stands for any characters; as the last part it stands for
everything below, whatever the depth: ``lake.hr.*``, ``lake.hr.emp_*``, ``*``. Names fit whatever
their case, as everywhere in SQE; names of users, groups and roles fit exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqe.model.decision import RowFilter
from sqe.model.masks import Mask
from sqe.model.names import RelationName
from sqe.model.rules import Object, ObjectKind, Privilege, Subject

# Stands for the masked column in the expression of a mask policy, which fits many columns. Of
# Unicode's private use: whoever reads the user's text refuses it there.
THE_COLUMN = "\ue000"

_DATA = (Privilege.SELECT, Privilege.INSERT, Privilege.UPDATE, Privilege.DELETE)
_THING = (Privilege.CREATE, Privilege.DROP, Privilege.ALTER, Privilege.SHOW)
# What can be held on a kind of object, and what ALL PRIVILEGES means, which leaves out OWN.
PRIVILEGES_ON: dict[ObjectKind, tuple[Privilege, ...]] = {
    ObjectKind.TABLE: (*_DATA, *_THING, Privilege.OWN),
    ObjectKind.SCHEMA: (*_DATA, *_THING, Privilege.EXECUTE, Privilege.OWN),
    ObjectKind.CATALOG: (*_DATA, *_THING, Privilege.EXECUTE, Privilege.OWN),
    ObjectKind.PROCEDURE: (Privilege.EXECUTE,),
    ObjectKind.FUNCTION: (Privilege.EXECUTE,),
    ObjectKind.USER: (Privilege.IMPERSONATE, Privilege.VIEW_QUERY, Privilege.KILL_QUERY),
    ObjectKind.PROPERTY: (Privilege.SET,),
    ObjectKind.SYSTEM: (Privilege.EXECUTE,),
}


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """A column that may be seen, behind a mask if there is one."""

    name: str
    field_id: int | None = None  # Iceberg's, in the table of the grant's ``table_uuid``
    mask: Mask | None = None


@dataclass(frozen=True, slots=True)
class Grant:
    """One privilege of one subject on one object, or that it is denied.

    ``rows`` and ``columns`` limit SELECT on tables; None: all of them. ``through``: the subject
    whose WITH GRANT OPTION it was given by, and whose loss takes it back; None: an administrator
    or an owner gave it. ``until``: from then on there is no such grant, in seconds since 1970.
    """

    to: Subject
    privilege: Privilege
    on: Object
    deny: bool = False
    rows: RowFilter | None = None
    columns: tuple[ColumnRule, ...] | None = None
    table_uuid: str = ""
    grant_option: bool = False
    through: Subject | None = None
    until: float | None = None
    by: str = ""
    at: float = 0.0

    @property
    def limited(self) -> bool:
        return self.rows is not None or self.columns is not None


@dataclass(frozen=True, slots=True)
class GrantRequest:
    """GRANT (or DENY, which takes no limits and no option) as somebody asks for it.

    ``reads``: other tables that its expressions ask. They are read under the policy's own
    authority, so that only administrators may name any.
    """

    privileges: tuple[Privilege, ...]
    on: Object
    to: tuple[Subject, ...]
    rows: RowFilter | None = None
    columns: tuple[ColumnRule, ...] | None = None
    table_uuid: str = ""
    grant_option: bool = False
    reads: tuple[RelationName, ...] = ()
    until: float | None = None


@dataclass(frozen=True, slots=True)
class RevokeRequest:
    """REVOKE as somebody asks for it, of grants and denials. ``table_uuid``: of the table, if the
    object is one that is there."""

    privileges: tuple[Privilege, ...]
    on: Object
    frm: tuple[Subject, ...]
    only_grant_option: bool = False
    table_uuid: str = ""


@dataclass(frozen=True, slots=True)
class RoleGrant:
    """A user, a group or another role has a role. ``admin_option``: and may give it to others."""

    role: str
    to: Subject
    admin_option: bool = False
    by: str = ""
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Role:
    name: str
    by: str = ""
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class RowFilterPolicy:
    """A row filter by name. Where it is put to use, says an Attachment."""

    name: str
    filter: RowFilter
    by: str = ""
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class MaskPolicy:
    """A mask by name. THE_COLUMN in its expression is the column it is on."""

    name: str
    mask: Mask
    by: str = ""
    at: float = 0.0


NamedPolicy = RowFilterPolicy | MaskPolicy


@dataclass(frozen=True, slots=True)
class Attachment:
    """Where a policy by name applies: on an object (table, schema, catalog, with wildcards) or on
    whatever has a tag; one of the two. A mask that is on an object says on which columns. It holds
    for everybody but the exempt."""

    policy: str
    on: Object | None = None
    tag: str = ""
    columns: tuple[ColumnRule, ...] = ()  # their own masks are not looked at
    exempt: tuple[Subject, ...] = ()
    table_uuid: str = ""
    by: str = ""
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Tag:
    """A table, or one of its columns, has a tag. A table's tags are those of all its columns."""

    tag: str
    table: RelationName
    column: str = ""  # none: the table itself
    field_id: int | None = None
    table_uuid: str = ""
    by: str = ""
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class GrantChange:
    """What is kept of every change: who, when, and what in words."""

    by: str
    at: float
    what: str
