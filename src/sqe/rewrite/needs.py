"""Which privileges a statement needs on the tables and views it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from sqe.catalog.bound import BoundAbsent, BoundReference, BoundStatement, BoundTable, BoundView
from sqe.catalog.schemas import current_schema
from sqe.model.decision import Allow, ColumnFacts, Decision, Deny, Restrict, TableFacts
from sqe.model.names import RelationName
from sqe.model.rules import Privilege
from sqe.sql.analyze import AnalyzeTable
from sqe.sql.statement import Access, Statement, StatementKind

Key = tuple[RelationName, Access]
_EVERY_CHANGE = (Privilege.INSERT, Privilege.UPDATE, Privilege.DELETE)
_BY_ACCESS = {
    Access.READ: (Privilege.SELECT,),
    Access.DESCRIBE: (Privilege.SHOW,),
    Access.ALTER: (Privilege.ALTER,),
    Access.DROP: (Privilege.DROP,),
}
_WRITES = {
    StatementKind.COPY: (Privilege.INSERT,),
    StatementKind.TRUNCATE_TABLE: (Privilege.DELETE,),
    StatementKind.UPDATE: (Privilege.UPDATE, Privilege.SELECT),
    StatementKind.CALL: (Privilege.ALTER,),  # maintenance: the rows stay what they are
}


@dataclass(frozen=True)
class Need:
    """What one access to one table or view takes. ``seen``: what the user sees of it, which
    limits also what else they may do with it; None where that is what is asked for."""

    key: Key
    facts: tuple[TableFacts, ...]
    seen: TableFacts | None = None

    def decision(self, answers: Mapping[TableFacts, Decision]) -> Decision:
        given = [answers[one] for one in self.facts]
        for answer in given:
            if isinstance(answer, Deny):
                return answer
        if self.seen is not None:
            given.append(answers[self.seen])
        limits = [answer for answer in given if isinstance(answer, Restrict)]
        return limits[-1] if limits else Allow("; ".join(dict.fromkeys(a.reason for a in given)))


def needs_of(bound: BoundStatement) -> list[Need]:
    """Every table and stored view the statement touches, for each access."""
    found: dict[Key, Need] = {}
    for statement, reference in _walk(bound):
        table = _facts(reference)
        if table is None:
            continue
        access = reference.reference.access
        wanted = privileges(statement, reference)
        key = (table.name, access)
        before = found[key].facts if key in found else ()
        facts = tuple(replace(table, privilege=privilege) for privilege in wanted)
        seen = replace(table, privilege=Privilege.SELECT)
        facts = tuple(dict.fromkeys([*before, *facts]))
        found[key] = Need(key, facts, None if seen in facts else seen)
    return list(found.values())


def privileges(statement: Statement, reference: BoundReference) -> tuple[Privilege, ...]:
    access = reference.reference.access
    if access in _BY_ACCESS:
        return _BY_ACCESS[access]
    if access is Access.CREATE:
        there = not isinstance(reference.target, BoundAbsent)
        return (Privilege.CREATE, Privilege.DROP) if there else (Privilege.CREATE,)
    if statement.kind in _WRITES:
        return _WRITES[statement.kind]
    tree = statement.tree
    if statement.kind is StatementKind.INSERT and isinstance(tree, exp.Insert):
        replaces = tree.args.get("overwrite") or tree.args.get("where") is not None
        return (Privilege.INSERT, Privilege.DELETE) if replaces else (Privilege.INSERT,)
    if statement.kind is StatementKind.DELETE and isinstance(tree, exp.Delete):
        chooses = tree.args.get("where") is not None
        return (Privilege.DELETE, Privilege.SELECT) if chooses else (Privilege.DELETE,)
    if statement.kind is StatementKind.MERGE and isinstance(tree, exp.Merge):
        return (*_merges(tree), Privilege.SELECT)
    if isinstance(statement.command, AnalyzeTable):
        return (Privilege.ALTER,)
    return _EVERY_CHANGE


def _merges(tree: exp.Merge) -> tuple[Privilege, ...]:
    """By its clauses; one that is not known takes every right."""
    found: list[Privilege] = []
    whens = tree.args.get("whens")
    for when in whens.expressions if whens is not None else ():
        then = when.args.get("then")
        if isinstance(then, exp.Update):
            found.append(Privilege.UPDATE)
        elif isinstance(then, exp.Insert):
            found.append(Privilege.INSERT)
        elif isinstance(then, exp.Var) and then.name.upper() == "DELETE":
            found.append(Privilege.DELETE)
        else:
            return _EVERY_CHANGE
    return tuple(dict.fromkeys(found)) or _EVERY_CHANGE


def _walk(bound: BoundStatement) -> Iterator[tuple[Statement, BoundReference]]:
    """Every reference with the statement it stands in, those of views and inner ones too."""
    for reference in bound.references:
        yield bound.statement, reference
        if isinstance(reference.target, BoundView):
            yield from _walk(reference.target.inner)
    if bound.inner is not None:
        yield from _walk(bound.inner)


def _facts(reference: BoundReference) -> TableFacts | None:
    """None: a temporary view is its tables; information_schema is the catalog's answer."""
    target = reference.target
    if isinstance(target, BoundAbsent):
        return TableFacts(target.name, Privilege.SELECT)
    if isinstance(target, BoundView):
        if target.relation is None:
            return None
        columns = tuple(ColumnFacts(one.name, one.type) for one in target.columns)
        return TableFacts(target.relation, Privilege.SELECT, columns, view=True)
    if not isinstance(target, BoundTable):
        return None
    metadata = target.metadata
    ids = {one["name"]: one["id"] for one in current_schema(metadata)["fields"]} if metadata else {}
    return TableFacts(
        target.name,
        Privilege.SELECT,
        tuple(ColumnFacts(one.name, one.type, ids.get(one.name)) for one in target.columns),
        uuid=str(metadata.get("table-uuid", "")),
        restrictions=target.loaded.restrictions if target.loaded is not None else "",
    )
