"""What a user may do with tables and views through an engine of their own.

SQE cannot watch such an engine: who has a table's metadata and its keys has all of its rows. So a
table is served only to users who see all of it, and a change of rows takes every right to change
rows: nobody can tell from a snapshot what became of the rows that were there.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from sqe.access.scopes import check_scopes
from sqe.access.statement_guard import StatementGuard
from sqe.access.stored_relation import decide_access, relation_of_loaded
from sqe.access.view_disclosure import ViewDisclosure
from sqe.binding.bound import BoundAbsent, BoundTarget
from sqe.catalog.facts import table_facts
from sqe.catalog.materialized import is_materialized
from sqe.catalog.protocol import Catalog, Ident, Json, Loaded
from sqe.catalog.schemas import columns_of
from sqe.errors import ABSENT, AccessError, ErrorCode, SqeError, UserError
from sqe.model.decision import Allow, Decision, Deny, Restrict
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object, Privilege
from sqe.policy.policy import denial
from sqe.policy.read_restrictions import ReadRestrictions
from sqe.sql.statement import Access

_ROWS = ("add-snapshot", "set-snapshot-ref", "remove-snapshot-ref", "remove-snapshots")
_NAMES = {
    Access.READ: Privilege.SELECT,
    Access.WRITE: Privilege.UPDATE,
    Access.ALTER: Privilege.ALTER,
    Access.DROP: Privilege.DROP,
    Access.CREATE: Privilege.CREATE,
}


@dataclass(frozen=True)
class OutsideUser:
    """``enforces``: their engine says that it carries out read restrictions, and is believed.
    ``local_files``: it may be told of files on this machine's disk."""

    identity: Identity
    enforces: bool = False
    local_files: bool = False


@dataclass(frozen=True)
class OutsideRights:
    guard: StatementGuard

    def check_may_use(self, user: OutsideUser, label: str, *, writes: bool) -> None:
        """ACCESS_DENIED where the user may run nothing, or the credential is not for that."""
        self.guard.access.check_may_run(user.identity)
        check_scopes(user.identity, label, writes=writes)

    def names(self, user: OutsideUser) -> list[str]:
        return self.guard.access.catalogs.names(user.identity)

    def open_visible(self, user: OutsideUser, catalog: str) -> Catalog:
        """Its lists have only what the user may know of."""
        return self.guard.access.catalogs.open(catalog, user.identity)

    def open_whole(self, user: OutsideUser, catalog: str) -> Catalog:
        return self.guard.access.whole.open(catalog, user.identity)

    def read_table(self, user: OutsideUser, name: RelationName) -> Loaded:
        """A table that the user sees all of; one that they see a part of comes with what their
        engine has to carry out. TABLE_NOT_FOUND for what they may not know of, too."""
        loaded = self._load(user, name, view=False)
        decision = self._decide(user, relation_of_loaded(name, loaded, False), Access.READ)
        if isinstance(decision, Allow):
            return replace(loaded, restrictions="")
        if (
            isinstance(decision, Restrict)
            and user.enforces
            and self._catalogs_own(user, name, loaded)
        ):
            return loaded
        raise _refusal(name, decision, Access.READ)

    def read_whole(self, user: OutsideUser, name: RelationName) -> Loaded:
        """One that they see all of, whatever their engine carries out."""
        return self.read_table(replace(user, enforces=False), name)

    def read_view(self, user: OutsideUser, name: RelationName) -> Loaded:
        """A view is its query: it is served to users to whom DESCRIBE would show that."""
        loaded = self._load(user, name, view=True)
        decision = self._decide(user, relation_of_loaded(name, loaded, True), Access.READ)
        views = ViewDisclosure(self.guard)
        if not isinstance(decision, Allow):
            raise _refusal(name, decision, Access.READ)
        if not views.readable(user.identity, name) or not views.readable_alone(user.identity, name):
            raise _refusal(name, Deny("its query"), Access.READ)
        return loaded

    def check_create(self, user: OutsideUser, name: RelationName) -> None:
        self._require(user, name, BoundAbsent(name), Access.CREATE)

    def check_change(
        self, user: OutsideUser, name: RelationName, *accesses: Access, view: bool = False
    ) -> Loaded:
        """The table or view as it is, which the user sees all of."""
        loaded = self.read_view(user, name) if view else self.read_whole(user, name)
        if is_materialized(loaded.metadata):
            message = f"{name} is a materialized view: only SQE changes it."
            raise UserError(ErrorCode.NOT_SUPPORTED, message)
        for access in accesses:
            self._require(user, name, relation_of_loaded(name, loaded, view), access)
        return loaded

    def check_schema(self, user: OutsideUser, privilege: Privilege, schema: SchemaName) -> None:
        self.guard.access.check_schema(user.identity, privilege, schema)

    def _load(self, user: OutsideUser, name: RelationName, *, view: bool) -> Loaded:
        """What is hidden and what is not there are answered alike."""
        ident = Ident(name.schema.path, name.name)
        [seen] = self._see(user, [Object.table(name)])
        catalog = self.open_whole(user, name.catalog)
        try:
            if seen:
                return catalog.load_view(ident) if view else catalog.load_table(ident)
        except SqeError as error:
            if error.code not in ABSENT:
                raise
        kind, code = ("View", ErrorCode.VIEW_NOT_FOUND) if view else _TABLE
        raise UserError(code, f"{kind} does not exist: {ident}")

    def _see(self, user: OutsideUser, objects: Collection[Object]) -> list[bool]:
        policy = self.guard.access.policy
        return policy.visible(user.identity, [*objects]) if policy.ruled else [True] * len(objects)

    def _decide(self, user: OutsideUser, target: BoundTarget, access: Access) -> Decision:
        return decide_access(self.guard.access.policy, user.identity, target, access)

    def _require(
        self, user: OutsideUser, name: RelationName, target: BoundTarget, access: Access
    ) -> None:
        decision = self._decide(user, target, access)
        if not isinstance(decision, Allow):
            raise _refusal(name, decision, access)

    def _catalogs_own(self, user: OutsideUser, name: RelationName, loaded: Loaded) -> bool:
        """Nothing but what the catalog itself demands restricts the user, in the words that it has
        said: those are made for engines."""
        facts = table_facts(name, Privilege.SELECT, columns_of(loaded.metadata), loaded)
        answers = self.guard.access.policy.answers(user.identity, facts)
        return all(
            isinstance(answer, Allow)
            or (isinstance(answer, Restrict) and source == ReadRestrictions.name)
            for source, answer in answers
        )


_TABLE = ("Table", ErrorCode.TABLE_NOT_FOUND)


def accesses_of(request: Json) -> list[Access]:
    """What a commit to a table does to it."""
    actions = [update.get("action") for update in request.get("updates") or ()]
    rows = any(action in _ROWS for action in actions)
    other = any(action not in _ROWS for action in actions)
    return [*([Access.WRITE] * rows), *([Access.ALTER] * other)]


def _refusal(name: RelationName, decision: Decision, access: Access) -> AccessError:
    if isinstance(decision, Restrict):
        return AccessError(
            ErrorCode.ACCESS_DENIED,
            f"You see only a part of {name}, and an engine of your own would see all of it.",
            hint="Query it through SQE, by Flight SQL or Trino's protocol.",
        )
    why = decision if isinstance(decision, Deny) else None
    return denial(_NAMES[access], Object.table(name), why)
