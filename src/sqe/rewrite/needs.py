"""Which privileges a statement needs on the tables and views it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from sqe.binding.bound import (
    BoundAbsent,
    BoundReference,
    BoundStatement,
    BoundTable,
    BoundTarget,
    BoundView,
)
from sqe.catalog.facts import table_facts
from sqe.model.decision import Allow, ColumnFacts, Decision, Deny, Restrict, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import RelationName
from sqe.model.rules import Privilege
from sqe.sql.alter import RenameTable
from sqe.sql.call import ProcedureCall
from sqe.sql.copy import CopyInto
from sqe.sql.statement import Access, Statement, StatementKind
from sqe.sql.traits import EVERY_CHANGE

# Which table or view, what is done with it, and as whom (see ``BoundReference``).
Key = tuple[RelationName, Access, str]
_BY_ACCESS = {
    Access.READ: (Privilege.SELECT,),
    Access.DESCRIBE: (Privilege.SHOW,),
    Access.ALTER: (Privilege.ALTER,),
    Access.DROP: (Privilege.DROP,),
}


@dataclass(frozen=True)
class Need:
    """What one access to one table or view takes. ``seen``: what the user sees of it, which
    limits also what else they may do with it; None where that is what is asked for."""

    key: Key
    facts: tuple[TableFacts, ...]
    seen: TableFacts | None = None

    @property
    def as_user(self) -> str:
        return self.key[2]

    @property
    def asked_facts(self) -> tuple[TableFacts, ...]:
        return (*self.facts, self.seen) if self.seen is not None else self.facts

    def decision(self, answers: Mapping[TableFacts, Decision]) -> Decision:
        decisions = [answers[fact] for fact in self.facts]
        for answer in decisions:
            if isinstance(answer, Deny):
                return answer
        if self.seen is not None:
            seen = answers[self.seen]
            if isinstance(seen, Deny) and seen.unanswered:
                return seen  # nobody could say what is hidden
            decisions.append(seen)
        limits = [answer for answer in decisions if isinstance(answer, Restrict)]
        return (
            limits[-1] if limits else Allow("; ".join(dict.fromkeys(a.reason for a in decisions)))
        )


def key_of(reference: BoundReference) -> Key | None:
    """The key of its decision. None: it is not decided on by itself."""
    name = None if reference.trusted else reference.relation
    return (name, reference.reference.access, reference.as_user) if name is not None else None


def identity_as(identity: Identity, as_user: str) -> Identity:
    """Who is decided on. An owner who is not here has their name only: groups and claims are in a
    token that nobody has shown."""
    return Identity(as_user) if as_user else identity


def needs_of(bound: BoundStatement) -> list[Need]:
    """Every table and stored view the statement touches, for each access and each reader."""
    needs: dict[Key, Need] = {}
    for statement, reference in bound.places():
        table, key = _facts(reference.target), key_of(reference)
        if table is None or key is None:
            continue
        if statement.kind is StatementKind.CREATE_VIEW:
            table = replace(table, view=True)
        wanted = privileges(statement, reference)
        if reference.as_user and Privilege.SELECT in wanted:
            wanted = (*wanted, Privilege.LEND)
        before = needs[key].facts if key in needs else ()
        facts = tuple(replace(table, privilege=privilege) for privilege in wanted)
        seen = replace(table, privilege=Privilege.SELECT)
        facts = tuple(dict.fromkeys([*before, *facts]))
        needs[key] = Need(key, facts, None if seen in facts else seen)
    return list(needs.values())


def need_for(target: BoundTarget, privilege: Privilege) -> Need | None:
    """What a change takes that needs this privilege alone, whatever the statement. None: the
    relation is not decided on by itself."""
    table = _facts(target)
    if table is None:
        return None
    seen = replace(table, privilege=Privilege.SELECT)
    return Need(
        (table.name, Access.WRITE, ""),
        (replace(table, privilege=privilege),),
        None if privilege is Privilege.SELECT else seen,
    )


def privileges(statement: Statement, reference: BoundReference) -> tuple[Privilege, ...]:
    """What is done with the table or view there. A write that is not known takes every right."""
    access, command = reference.reference.access, statement.command
    if isinstance(command, ProcedureCall) and access in (Access.WRITE, Access.ALTER):
        keeps = command.procedure.keeps_rows
        return (Privilege.ALTER,) if keeps else (Privilege.ALTER, *EVERY_CHANGE)
    if access in _BY_ACCESS:
        return _BY_ACCESS[access]
    if access is Access.CREATE:
        # Whether there is one to replace does not matter: the answer must not tell.
        return (Privilege.CREATE, *(Privilege.DROP,) * replaces(statement, reference))
    if isinstance(command, CopyInto):
        return (Privilege.INSERT, *(Privilege.DELETE,) * command.overwrite)
    return _change_privileges(statement)


def replaces(statement: Statement, reference: BoundReference) -> bool:
    """Whether the statement replaces what exists (OR REPLACE and the like): it goes on where there
    is something of the name, and does not leave it as it is."""
    command, tree = statement.command, statement.tree
    if not reference.reference.if_exists or isinstance(command, RenameTable):
        return False
    if getattr(command, "if_not_exists", False):
        return False
    return not (isinstance(tree, exp.Create) and tree.args.get("exists"))


def _change_privileges(statement: Statement) -> tuple[Privilege, ...]:
    tree = statement.tree
    if isinstance(tree, exp.Insert):
        replaces = tree.args.get("overwrite") or tree.args.get("where") is not None
        return (Privilege.INSERT, Privilege.DELETE) if replaces else (Privilege.INSERT,)
    if isinstance(tree, exp.Delete):
        chooses = tree.args.get("where") is not None
        return (Privilege.DELETE, Privilege.SELECT) if chooses else (Privilege.DELETE,)
    if isinstance(tree, exp.Merge):
        return (*_merges(tree), Privilege.SELECT)
    return statement.traits.change_privileges


def _merges(tree: exp.Merge) -> tuple[Privilege, ...]:
    """By its clauses; one that is not known takes every right."""
    privileges: list[Privilege] = []
    whens = tree.args.get("whens")
    for when in whens.expressions if whens is not None else ():
        then = when.args.get("then")
        if isinstance(then, exp.Update):
            privileges.append(Privilege.UPDATE)
        elif isinstance(then, exp.Insert):
            privileges.append(Privilege.INSERT)
        elif isinstance(then, exp.Var) and then.name.upper() == "DELETE":
            privileges.append(Privilege.DELETE)
        else:
            return EVERY_CHANGE
    return tuple(dict.fromkeys(privileges)) or EVERY_CHANGE


def _facts(target: BoundTarget) -> TableFacts | None:
    if isinstance(target, BoundAbsent):
        return TableFacts(target.name, Privilege.SELECT)
    if isinstance(target, BoundView):
        if target.relation is None:
            return None
        columns = tuple(ColumnFacts(column.name, column.type) for column in target.columns)
        uuid = str(target.metadata.get("view-uuid", ""))
        return TableFacts(target.relation, Privilege.SELECT, columns, uuid, view=True)
    if not isinstance(target, BoundTable):
        return None
    return table_facts(target.name, Privilege.SELECT, target.columns, target.loaded)
