"""What the statements about access say. The tables they name are references of the statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqe.model.masks import Mask
from sqe.model.rules import ObjectKind, Privilege, Subject
from sqe.sql.commands import Name
from sqe.sql.statement import NamedCommand, Span, Statement
from sqe.sql.traits import DecidedBy, catalog_change, look

RULE_CHANGE = catalog_change(DecidedBy.GRANT_AUTHORITY)
RULE_LOOK = look(DecidedBy.GRANT_AUTHORITY)


class AccessCommand(NamedCommand):
    """A statement about who may do what."""


class AccessChange(AccessCommand):
    """One that changes the rules made with SQL."""

    # What only takes something away does so also from a table that is gone.
    needs_table: ClassVar[bool] = True


class AccessLook(AccessCommand):
    """One that shows them."""


@dataclass(frozen=True, slots=True)
class Word:
    """A name of one part (a role, a policy, a tag) and its place in the text."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Target:
    """What a privilege is held on. A table that is named without a pattern is the statement's
    only reference, and ``name`` is how it was written."""

    kind: ObjectKind
    name: Name
    pattern: bool = False  # a part of the name holds ``*``

    @property
    def is_reference(self) -> bool:
        return self.kind is ObjectKind.TABLE and not self.pattern


@dataclass(frozen=True, slots=True)
class PolicyText:
    """An expression over a table's row, as written between its brackets."""

    sql: str
    span: Span


@dataclass(frozen=True, slots=True)
class MaskClause:
    """A mask, or the name of one; ``expression`` is where its text stands, if it is one."""

    mask: Mask | Word
    expression: PolicyText | None = None


@dataclass(frozen=True, slots=True)
class RowsClause:
    condition: PolicyText
    check: bool = False


@dataclass(frozen=True, slots=True)
class ColumnClause:
    column: Word
    mask: MaskClause | None = None


@dataclass(frozen=True)
class CreateRole(AccessChange):
    traits = RULE_CHANGE

    role: Word
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropRole(AccessChange):
    traits = RULE_CHANGE

    role: Word
    if_exists: bool = False


@dataclass(frozen=True)
class GrantRole(AccessChange):
    traits = RULE_CHANGE

    roles: tuple[Word, ...]
    subjects: tuple[Subject, ...]
    admin_option: bool = False


@dataclass(frozen=True)
class RevokeRole(AccessChange):
    traits = RULE_CHANGE

    roles: tuple[Word, ...]
    subjects: tuple[Subject, ...]
    only_admin_option: bool = False


@dataclass(frozen=True)
class Grant(AccessChange):
    """``rows`` and ``columns`` limit what SELECT shows; no columns named: all of them."""

    traits = RULE_CHANGE

    privileges: tuple[Privilege, ...]
    on: Target
    subjects: tuple[Subject, ...]
    rows: RowsClause | None = None
    columns: tuple[ColumnClause, ...] = ()
    grant_option: bool = False
    until: float | None = None


@dataclass(frozen=True)
class Revoke(AccessChange):
    traits = RULE_CHANGE
    needs_table = False

    privileges: tuple[Privilege, ...]
    on: Target
    subjects: tuple[Subject, ...]
    only_grant_option: bool = False


@dataclass(frozen=True)
class Deny(AccessChange):
    traits = RULE_CHANGE
    needs_table = False

    privileges: tuple[Privilege, ...]
    on: Target
    subjects: tuple[Subject, ...]


@dataclass(frozen=True)
class CreateRowFilter(AccessChange):
    traits = RULE_CHANGE

    name: Word
    rows: RowsClause
    replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropRowFilter(AccessChange):
    traits = RULE_CHANGE

    name: Word
    if_exists: bool = False


@dataclass(frozen=True)
class CreateColumnMask(AccessChange):
    traits = RULE_CHANGE

    name: Word
    mask: MaskClause
    replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropColumnMask(AccessChange):
    traits = RULE_CHANGE

    name: Word
    if_exists: bool = False


@dataclass(frozen=True)
class AddRowFilter(AccessChange):
    """ALTER TABLE … ADD ROW FILTER: for everybody but ``exempt``."""

    traits = RULE_CHANGE

    name: Word
    exempt: tuple[Subject, ...] = ()


@dataclass(frozen=True)
class RemoveRowFilter(AccessChange):
    traits = RULE_CHANGE
    needs_table = False

    name: Word


@dataclass(frozen=True)
class SetColumnMask(AccessChange):
    traits = RULE_CHANGE

    column: Word
    name: Word
    exempt: tuple[Subject, ...] = ()


@dataclass(frozen=True)
class UnsetColumnMask(AccessChange):
    traits = RULE_CHANGE
    needs_table = False

    column: Word


@dataclass(frozen=True)
class SetTag(AccessChange):
    """Of a column, or of the table itself."""

    traits = RULE_CHANGE

    tag: Word
    column: Word | None = None


@dataclass(frozen=True)
class UnsetTag(AccessChange):
    traits = RULE_CHANGE
    needs_table = False

    tag: Word
    column: Word | None = None


@dataclass(frozen=True)
class ApplyToTag(AccessChange):
    """A row filter for the tables, or a column mask (``mask``) for the columns with the tag."""

    traits = RULE_CHANGE

    mask: bool
    name: Word
    tag: Word
    exempt: tuple[Subject, ...] = ()


@dataclass(frozen=True)
class RemoveFromTag(AccessChange):
    traits = RULE_CHANGE

    mask: bool
    name: Word
    tag: Word


@dataclass(frozen=True)
class ShowRoles(AccessLook):
    traits = RULE_LOOK


@dataclass(frozen=True)
class ShowCurrentRoles(AccessLook):
    traits = RULE_LOOK


@dataclass(frozen=True)
class ShowRoleGrants(AccessLook):
    """Of everybody whom the user may know of, if nobody is named."""

    traits = RULE_LOOK

    subject: Subject | None = None


@dataclass(frozen=True)
class ShowGrants(AccessLook):
    traits = RULE_LOOK

    on: Target | None = None
    subject: Subject | None = None


@dataclass(frozen=True)
class ShowRowFilters(AccessLook):
    traits = RULE_LOOK


@dataclass(frozen=True)
class ShowColumnMasks(AccessLook):
    traits = RULE_LOOK


@dataclass(frozen=True)
class ShowTags(AccessLook):
    """The table is the statement's only reference; without one, of all tables."""

    traits = RULE_LOOK


@dataclass(frozen=True)
class ShowEffectivePolicy(AccessLook):
    """The table is the statement's only reference. Nobody named: of the user who asks."""

    traits = RULE_LOOK

    subject: Subject | None = None
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExplainPolicy(AccessLook):
    """``about`` is looked at and never run. It is bound where it is explained: what is denied to
    the user, or absent, is part of the answer."""

    traits = RULE_LOOK

    about: Statement
