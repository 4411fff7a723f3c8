"""What administrators ask about policies, outside of any query: why, what, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from sqe.catalog.facts import table_facts
from sqe.catalog.protocol import Ident, Namespace
from sqe.catalog.schemas import columns_of
from sqe.errors import AccessError, SqeError
from sqe.model.decision import Decision, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.java_regex import problem_of_replacement
from sqe.model.masks import HashMask, Mask, RegexMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.query import Column
from sqe.model.rules import Object, ObjectKind, Privilege
from sqe.policy.named import identity_of
from sqe.policy.policy import combine
from sqe.policy.rule_set import Finding, RuleSet
from sqe.policy.source_type import SourceParts
from sqe.policy.words import as_json, in_words
from sqe.rewrite.expressions import spark_expression
from sqe.rewrite.masks import mask_sql
from sqe.rewrite.unfit import Unfit
from sqe.server.attached import settings_with_attached
from sqe.server.catalogs import SettingsCatalogs, own_catalogs
from sqe.server.policies import SOURCE_TYPES, Policies, list_configured_types, policies_of
from sqe.settings import Settings
from sqe.store.database import Database

_LISTED = 2000  # tables that are looked at by one check


@dataclass(frozen=True)
class Explained:
    """``known``: whether the table could be looked at, so that its columns are known."""

    facts: TableFacts
    answers: Sequence[tuple[str, Decision]]
    known: bool

    @property
    def decision(self) -> Decision:
        return combine([answer for _, answer in self.answers])

    def words(self) -> Iterator[str]:
        yield f"{self.facts.privilege.value} on {self.facts.name}: {in_words(self.decision)}"
        width = max(len(name) for name, _ in self.answers)
        for name, answer in self.answers:
            yield f"  {name.ljust(width)}  {in_words(answer)} ({answer.reason})"
        if not self.known:
            yield "  (its columns are not known here: there is no such table in SQE's own catalogs)"

    def json(self) -> dict[str, Any]:
        return {
            "table": str(self.facts.name),
            "privilege": self.facts.privilege.value,
            **as_json(self.decision),
            "known": self.known,
            "sources": [{"source": name, **as_json(answer)} for name, answer in self.answers],
        }


class PolicyTools:
    """Reads the home's own store, files and catalogs; nobody logs in. ``close`` when done."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings_with_attached(settings)
        self._store = Database(settings.home, settings.store.secret)
        self._policies: Policies = policies_of(settings, self._store)
        self._opened: SettingsCatalogs | None = None

    def close(self) -> None:
        self._policies.close()
        self._store.close()
        if self._opened is not None:
            self._opened.close()

    @cached_property
    def _catalogs(self) -> SettingsCatalogs:
        self._opened = SettingsCatalogs(self._settings)
        return self._opened

    def explain(self, identity: Identity, parts: Sequence[str], privilege: Privilege) -> Explained:
        """``parts``: of the table's name; the settings' defaults come before them."""
        *path, name = parts
        if not path:
            path = [self._settings.default_schema]
        if len(path) == 1 or path[0] not in self._settings.catalogs:
            path = [self._settings.default_catalog, *path]
        relation = RelationName(SchemaName(path[0], tuple(path[1:])), name)
        table = self._table(relation)
        facts = replace(table, privilege=privilege) if table else TableFacts(relation, privilege)
        policy = self._policies.policy
        return Explained(
            facts, policy.answers(policy.with_roles(identity), facts), table is not None
        )

    def text(self, source: str, name: str) -> str:
        """What can be written out of that type of source."""
        entry = next(kind for kind in SOURCE_TYPES if kind.name == source)
        return entry.texts[name](self._parts)

    @property
    def _parts(self) -> SourceParts:
        return SourceParts(self._settings, self._store, self._names)

    def lint(self) -> list[Finding]:
        """Of all rules that the settings name."""
        sets = list(self._rule_sets())
        findings = {finding for rule_set in sets for finding in rule_set.findings}
        findings |= {finding for rule_set in sets for finding in self._absent(rule_set)}
        tables, keys = list(self._tables()), self._settings.policy.hash_keys
        for rule_set in sets:
            for facts in tables:
                for subject in rule_set.named.subjects:
                    identity = identity_of(subject)
                    decision = rule_set.source.decide(identity, facts)
                    if isinstance(decision, Restrict):
                        where = f"{rule_set.source.name}, {facts.name}"
                        findings |= set(_unfit(where, decision, facts, identity, keys))
        return sorted(findings)

    def _rule_sets(self) -> Iterator[RuleSet]:
        for entry, value in list_configured_types(self._settings):
            if entry.rules is not None:
                yield entry.rules(value, self._parts)

    def _absent(self, rules: RuleSet) -> Iterator[Finding]:
        for where, on in rules.places:
            if any("*" in part for part in on.parts) or on.parts[0] not in self._own:
                continue
            if not self._exists(on):
                yield Finding(where, "absent", f"there is no {on}")

    def _exists(self, on: Object) -> bool:
        if on.kind is ObjectKind.CATALOG:
            return on.parts[0] in self._settings.catalogs
        name, *path = on.parts
        catalog = self._catalogs.own[name]
        try:
            if on.kind is ObjectKind.SCHEMA:
                catalog.load_namespace(tuple(path))
            else:
                *namespace, last = path
                names = catalog.list_tables(tuple(namespace)) + catalog.list_views(tuple(namespace))
                return last.lower() in map(str.lower, names)
        except SqeError:
            return False
        return True

    @property
    def _own(self) -> list[str]:
        return own_catalogs(self._settings)

    def _tables(self) -> Iterator[TableFacts]:
        """Of SQE's own catalogs, whose tables can be looked at without a login."""
        count = 0
        for name in self._own:
            catalog = self._catalogs.own[name]
            for namespace in _namespaces(catalog.list_namespaces):
                for table in catalog.list_tables(namespace):
                    table_facts = self._table(RelationName(SchemaName(name, namespace), table))
                    count += 1
                    if table_facts is not None and count <= _LISTED:
                        yield table_facts

    def _names(self) -> Iterator[RelationName]:
        return (facts.name for facts in self._tables())

    def _table(self, name: RelationName) -> TableFacts | None:
        if name.catalog not in self._own:
            return None
        catalog = self._catalogs.own[name.catalog]
        ident = Ident(name.schema.path, name.name)
        for load in (catalog.load_table, catalog.load_view):
            try:
                loaded = load(ident)
            except SqeError:
                continue
            facts = table_facts(name, Privilege.SELECT, columns_of(loaded.metadata), loaded)
            return replace(facts, view=load == catalog.load_view)
        return None


def _namespaces(
    listed: Callable[[Namespace], list[Namespace]], parent: Namespace = ()
) -> Iterator[Namespace]:
    for namespace in listed(parent):
        yield namespace
        yield from _namespaces(listed, namespace)


def _unfit(
    where: str, decision: Restrict, facts: TableFacts, identity: Identity, keys: Container[str]
) -> Iterator[Finding]:
    """What of it could not be carried out. ``keys``: of hashes, by name."""
    there = {column.name.lower(): Column(column.name, column.type) for column in facts.columns}
    for filter_ in decision.filters:
        problem = _problem(filter_, identity)
        if problem:
            yield Finding(where, "filter", f"the filter ({filter_.sql}) cannot be used: {problem}")
    for name in sorted({*decision.masks, *decision.hidden}):
        if name.lower() not in there:
            yield Finding(where, "column", f"there is no column {name}, so nobody may read it")
    for name, mask in decision.masks.items():
        for problem in _mask_problems(mask, there.get(name.lower()), identity, keys):
            yield Finding(where, "mask", f"the mask on {name} cannot be used: {problem}")


def _mask_problems(
    mask: Mask, column: Column | None, identity: Identity, keys: Container[str]
) -> Iterator[str]:
    if isinstance(mask, HashMask) and mask.key not in keys:
        yield f"policy.hash_keys has no key {mask.key}"
    if isinstance(mask, RegexMask):
        problem = problem_of_replacement(mask.pattern, mask.replacement)
        if problem:
            yield problem
    if column is None:
        return
    try:
        mask_sql(mask, column, partial(_check_expression, identity))
    except (AccessError, Unfit) as error:
        yield error.message if isinstance(error, AccessError) else str(error)


def _problem(one: RowFilter, identity: Identity) -> str:
    try:
        _check_expression(identity, one.sql, one.dialect)
    except Unfit as error:
        return str(error)
    return ""


def _check_expression(identity: Identity, sql: str, dialect: str) -> str:
    if dialect == "spark":
        return spark_expression(sql, identity)
    from sqe.trino.dialect.errors import Refused
    from sqe.trino.dialect.parser import parse_expression

    try:
        parse_expression(sql)
    except (Refused, SqeError, ValueError, RecursionError) as error:
        raise Unfit(str(error)) from error
    return sql
