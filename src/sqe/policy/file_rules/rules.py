"""What Trino's rules mean. In each section the first rule that fits decides; none that fits is a
no; a section that is not there is what Trino says it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from sqe.model.decision import Allow, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask
from sqe.model.rules import Privilege
from sqe.policy.file_rules.document import (
    CatalogPropertyRule,
    CatalogRule,
    Document,
    FunctionRule,
    InSchema,
    Mode,
    ProcedureRule,
    PropertyRule,
    QueryAccess,
    RoutineRule,
    SchemaRule,
    SystemAccess,
    TablePrivilege,
    TableRule,
    fits,
    fits_any,
    fits_name,
)

_Rule = TypeVar("_Rule")
_IMPLIED: dict[str, tuple[Mode, ...]] = {
    "owner": ("owner", "all", "read-only"),
    "all": ("all", "read-only"),
    "read-only": ("read-only",),
    "none": (),
}
Routine = tuple[str, str, str]  # catalog, schema, name
_ALWAYS = ("system", "builtin")  # functions there are everybody's, whatever the file says
_EXECUTES = frozenset(("EXECUTE", "GRANT_EXECUTE"))
_BUILT_IN = {"catalog": "system", "schema": "builtin", "privileges": _EXECUTES}
_EVERY: frozenset[TablePrivilege] = frozenset(
    ("SELECT", "INSERT", "DELETE", "UPDATE", "OWNERSHIP", "GRANT_SELECT")
)
_READS: frozenset[TablePrivilege] = frozenset(("SELECT", "GRANT_SELECT"))
_BY_PRIVILEGE: dict[Privilege, frozenset[TablePrivilege]] = {
    Privilege.SELECT: _READS,
    Privilege.INSERT: frozenset(("INSERT",)),
    Privilege.UPDATE: frozenset(("UPDATE",)),
    Privilege.DELETE: frozenset(("DELETE",)),
    Privilege.CREATE: frozenset(("OWNERSHIP",)),
    Privilege.DROP: frozenset(("OWNERSHIP",)),
    Privilege.ALTER: frozenset(("OWNERSHIP",)),
    Privilege.OWN: frozenset(("OWNERSHIP",)),
    Privilege.SHOW: _EVERY,
    Privilege.LEND: frozenset(("GRANT_SELECT",)),
}
_INFORMATION_SCHEMA = "information_schema"


class Rules:
    """One file's. Nothing of it changes."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._catalogs = _or_default(document.catalogs, CatalogRule(allow="all"))
        if document.catalogs is not None:  # Trino's last rule, where the file has any
            system = CatalogRule.model_validate({"catalog": "system", "allow": "all"})
            self._catalogs = (*self._catalogs, system)
        self._schemas = _or_default(document.schemas, SchemaRule(owner=True))
        self._tables = _or_default(document.tables, TableRule(privileges=_EVERY))
        self._functions = _or_default(
            document.functions,
            FunctionRule.model_validate(_BUILT_IN),
        )
        self._procedures = _or_default(
            document.procedures,
            ProcedureRule.model_validate(_BUILT_IN),
        )
        self._properties = _or_default(document.system_session_properties, PropertyRule(allow=True))
        self._catalog_properties = _or_default(
            document.catalog_session_properties, CatalogPropertyRule(allow=True)
        )

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        """About a table or view."""
        wanted = _BY_PRIVILEGE.get(table.privilege)
        if wanted is None:
            return Deny(f"rules.json has no privilege {table.privilege.value} on tables")
        catalog, schema, name = (
            table.name.catalog,
            ".".join(table.name.schema.path),
            table.name.name,
        )
        reads = bool(wanted & _READS)
        if not self.enters(identity, catalog, "read-only" if reads else "all"):
            return Deny(
                f"catalogs of rules.json: not {'read' if reads else 'written'} by this user"
            )
        if schema.lower() == _INFORMATION_SCHEMA:
            return Allow("rules.json has no rules for information_schema")
        match = self._table(identity, catalog, schema, name)
        if match is None:
            return Deny("no rule in tables of rules.json fits")
        place, rule = match
        if not wanted & rule.privileges:
            return Deny(f"{place} does not give {' or '.join(sorted(wanted))}")
        if table.privilege is not Privilege.SELECT:
            return Allow(place)
        return _restriction(place, rule, {column.name.lower() for column in table.columns})

    def enters(self, identity: Identity, catalog: str, wanted: Mode) -> bool:
        rule = _find_first(self._catalogs, lambda one: one.fits(identity, catalog))
        return rule is not None and wanted in _IMPLIED[rule.allow]

    def owns_schema(self, identity: Identity, catalog: str, schema: str) -> bool:
        if not self.enters(identity, catalog, "all"):
            return False
        rule = _find_first(
            self._schemas,
            lambda one: (
                one.is_for(identity)
                and fits_name(one.catalog, catalog)
                and fits_name(one.schema_, schema)
            ),
        )
        return rule is not None and rule.owner

    def sees_catalog(self, identity: Identity, catalog: str) -> bool:
        """Where any rule could give something in it, whether it is there or not."""
        if self.enters(identity, catalog, "owner"):
            return True
        return self.enters(identity, catalog, "read-only") and any(
            rule.fits(identity, catalog)
            for rule in (*self._list_giving(), *(p for p in self._catalog_properties if p.allow))
        )

    def sees_schema(self, identity: Identity, catalog: str, schema: str) -> bool:
        return self.enters(identity, catalog, "read-only") and any(
            rule.fits_schema(identity, catalog, schema) for rule in self._list_giving()
        )

    def sees_table(self, identity: Identity, catalog: str, schema: str, table: str) -> bool:
        if self.owns_schema(identity, catalog, schema):
            return True
        if not self.enters(identity, catalog, "read-only"):
            return False
        if schema.lower() == _INFORMATION_SCHEMA:
            return True
        rule = self._table(identity, catalog, schema, table)
        return rule is not None and bool(rule[1].privileges)

    def executes(self, identity: Identity, routine: Routine, *, procedure: bool) -> bool:
        catalog, schema, name = routine
        if not procedure and (catalog, schema) == _ALWAYS:
            return True
        rules: Sequence[RoutineRule] = self._procedures if procedure else self._functions
        rule = _find_first(
            rules,
            lambda one: one.fits_schema(identity, catalog, schema) and fits_name(one.routine, name),
        )
        may = rule is not None and not rule.privileges.isdisjoint(_EXECUTES)
        return may and self.enters(identity, catalog, "read-only")

    def queries(self, identity: Identity, access: QueryAccess, owner: str | None) -> bool:
        """``owner``: whose query it is; None: it is not there yet."""
        if self._document.queries is None:
            return True
        rule = _find_first(
            self._document.queries,
            lambda one: (
                one.is_for(identity)
                and (one.owner is None if owner is None else fits(one.owner, owner))
            ),
        )
        return rule is not None and access in rule.allow

    def impersonates(self, identity: Identity, wanted: str) -> bool:
        rule = _find_first(
            self._document.impersonation or (),
            lambda one: (
                fits_any(one.original_role, identity.roles)
                and one.template().admits(identity.user, wanted)
            ),
        )
        return rule is not None and rule.allow is not False

    def system_information(self, identity: Identity, access: SystemAccess) -> bool:
        rule = _find_first(
            self._document.system_information or (),
            lambda one: fits(one.user, identity.user) and fits_any(one.role, identity.roles),
        )
        return rule is not None and access in rule.allow

    def sets(self, identity: Identity, name: str) -> bool:
        """A session property of the system."""
        rule = _find_first(
            self._properties, lambda one: one.is_for(identity) and fits(one.property, name)
        )
        return rule is not None and rule.allow

    def sets_in_catalog(self, identity: Identity, catalog: str, name: str) -> bool:
        rule = _find_first(
            self._catalog_properties,
            lambda one: (
                one.is_for(identity)
                and fits_name(one.catalog, catalog)
                and fits(one.property, name)
            ),
        )
        return self.enters(identity, catalog, "read-only") and rule is not None and rule.allow

    def _table(
        self, identity: Identity, catalog: str, schema: str, table: str
    ) -> tuple[str, TableRule] | None:
        for number, rule in enumerate(self._tables, 1):
            if rule.fits_schema(identity, catalog, schema) and fits_name(rule.table, table):
                there = self._document.tables is not None
                return f"rule {number} of tables in rules.json" if there else _NO_TABLES, rule
        return None

    def _list_giving(self) -> Iterator[InSchema]:
        """Rules that give something in a schema."""
        yield from (schema for schema in self._schemas if schema.owner)
        yield from (table for table in self._tables if table.privileges)
        yield from (
            routine for routine in (*self._functions, *self._procedures) if routine.privileges
        )


_NO_TABLES = "rules.json has no tables"


def _or_default(section: tuple[_Rule, ...] | None, default: _Rule) -> tuple[_Rule, ...]:
    return section if section is not None else (default,)


def _find_first(rules: Sequence[_Rule], fitting: Callable[[_Rule], bool]) -> _Rule | None:
    return next((rule for rule in rules if fitting(rule)), None)


def _restriction(place: str, rule: TableRule, names: set[str]) -> Decision:
    """Of one table that is named, a column that is not there may have another name by now: it
    stays in, so that the table is refused. As in Trino, who sees some rows may write such rows."""
    columns = [
        column for column in rule.columns or () if rule.names_one or column.name.lower() in names
    ]
    hidden = frozenset(column.name.lower() for column in columns if column.allow is False)
    masks = {
        column.name.lower(): ExpressionMask(column.mask, "trino")
        for column in columns
        if column.mask is not None and column.allow is not False
    }
    filters = (RowFilter(rule.filter, "trino", check=True),) if rule.filter is not None else ()
    if not (hidden or masks or filters):
        return Allow(place)
    return Restrict(place, filters, masks, hidden)
