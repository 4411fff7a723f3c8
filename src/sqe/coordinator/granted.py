"""What a statement about access names: objects, columns, expressions; checked, as they are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqe.binding.bound import BoundMetadata, BoundTable, BoundView
from sqe.coordinator.call import CommandCall, nearest
from sqe.errors import AccessError, ErrorCode, SqeError, UserError
from sqe.model.decision import Allow, ColumnFacts, RowFilter, TableFacts
from sqe.model.grants import (
    THE_COLUMN,
    ColumnRule,
    GrantRequest,
    MaskPolicy,
    NamedPolicy,
    RowFilterPolicy,
)
from sqe.model.java_regex import problem_of_replacement
from sqe.model.masks import ExpressionMask, HashMask, Mask, RegexMask
from sqe.model.names import RelationName, SchemaName, quote
from sqe.model.query import Column
from sqe.model.rules import Object, ObjectKind, Privilege
from sqe.rewrite.expressions import spark_expression
from sqe.rewrite.masks import mask_sql
from sqe.rewrite.needs import needs_of
from sqe.rewrite.unfit import Unfit
from sqe.sql.access.commands import (
    ColumnClause,
    MaskClause,
    PolicyText,
    RowsClause,
    Target,
    Word,
)
from sqe.sql.access.expressions import PolicyExpression, read_policy
from sqe.sql.commands import Name
from sqe.sql.statement import Span

if TYPE_CHECKING:
    from sqe.policy.grants.book import GrantBook

_PROCEDURES = "system"  # the schema they are in
_BOOLEAN = "boolean"
_FITS = (
    "PARTIAL and REGEX are for strings, BUCKET for numbers, TRUNCATE for dates and timestamps (of a"
    " date not to the hour), HASH for strings, binaries and whole numbers; a constant has the"
    " column's type. NULL and an expression in brackets are for every type."
)


def table_facts(call: CommandCall) -> TableFacts | None:
    """Of the relation that the statement names; None where it is not there."""
    target = call.reference.stored_target
    temporary = isinstance(target, BoundView) and target.relation is None
    part = isinstance(target, BoundTable) and bool(target.suffix)
    if temporary or part or isinstance(target, BoundMetadata):
        raise call.error(
            ErrorCode.INVALID_ARGUMENT,
            "Rules are about tables and views that a catalog keeps.",
            call.reference.reference.span,
        )
    if not isinstance(target, BoundTable | BoundView):
        return None
    facts = facts_of_relation(call)
    hidden = find_hidden_columns(call)
    columns = tuple(column for column in facts.columns if column.name.lower() not in hidden)
    return replace(facts, columns=columns)


def table_uuid(call: CommandCall) -> str:
    """Of the relation that the statement names; nothing where it is not there."""
    table = table_facts(call)
    return table.uuid if table is not None else ""


def find_hidden_columns(call: CommandCall) -> frozenset[str]:
    """Of the relation that the statement names: what does not exist for this user."""
    limits = call.restriction
    return frozenset(name.lower() for name in limits.hidden) if limits is not None else frozenset()


def facts_of_relation(call: CommandCall) -> TableFacts:
    """What policies are told of the relation that the statement names."""
    return needs_of(call.statement.bound)[0].asked_facts[0]


def relation_name(call: CommandCall) -> RelationName:
    """Of the relation that the statement names, be it there or not."""
    name = call.reference.relation
    if name is None:
        table_facts(call)  # says why
        raise call.error(ErrorCode.INVALID_ARGUMENT, "Expected a table or a view.")
    return name


def object_of(target: Target, call: CommandCall) -> Object:
    """By its full name. A part of it that is not said is the session's."""
    parts = target.name.parts
    match target.kind:
        case ObjectKind.TABLE:
            if target.is_reference:
                table_facts(call)  # refuses what is no table
                return Object.table(relation_name(call))
            return Object(target.kind, _pattern(parts, call))
        case ObjectKind.SCHEMA:
            return Object.schema(_schema(target.name, call))
        case ObjectKind.CATALOG:
            return Object.catalog(call.catalog_named(parts[0]) or parts[0])
        case ObjectKind.PROCEDURE:
            before = (call.session.schema.catalog, _PROCEDURES)[: max(0, 3 - len(parts))]
            return Object(target.kind, (*before, *parts))
        case ObjectKind.FUNCTION:
            return Object(target.kind, _function(parts, call))
        case _:
            return Object(target.kind, parts)


def _function(parts: tuple[str, ...], call: CommandCall) -> tuple[str, ...]:
    """As it is spelled where it was made, if it is there."""
    functions = call.functions.functions
    function = functions.find_kept(parts, call.session)
    return function.name.parts if function and function.name else _pattern(parts, call)


def check_there(target: Target, on: Object, call: CommandCall) -> None:
    """A misspelled catalog or schema, told to those who may know which there are."""
    if target.pattern or target.kind not in (ObjectKind.SCHEMA, ObjectKind.CATALOG):
        return
    policy = call.access.policy
    if not isinstance(policy.permits(call.session.identity, Privilege.SHOW, on), Allow):
        return
    call.open(on.parts[0], target.name.span)
    schema = SchemaName(on.parts[0], on.parts[1:])
    if target.kind is ObjectKind.SCHEMA and call.find_schema(schema) is None:
        raise call.no_schema(schema, target.name.span)


def _pattern(parts: tuple[str, ...], call: CommandCall) -> tuple[str, ...]:
    if len(parts) > 2 or call.catalog_named(parts[0]):
        catalog = call.catalog_named(parts[0])
        in_catalog = catalog is not None or "*" in parts[0]
        return (catalog or parts[0], *parts[1:]) if in_catalog else (_here(call), *parts)
    if len(parts) == 2:
        return (_here(call), *parts)
    return (_here(call), *call.session.schema.path, *parts)


def _here(call: CommandCall) -> str:
    return call.session.schema.catalog


def _schema(name: Name, call: CommandCall) -> SchemaName:
    """``*.x`` is a schema of any catalog."""
    if len(name.parts) > 1 and "*" in name.parts[0]:
        return SchemaName(name.parts[0], name.parts[1:])
    return call.schema(name)


@dataclass(frozen=True)
class Checked:
    """The clauses of one statement, over one table if it is known. ``reads`` fills up with the
    tables that their expressions ask; not with those of policies by name, which an administrator
    has answered for. ``on`` is what the statement is about."""

    call: CommandCall
    book: GrantBook
    table: TableFacts | None
    reads: list[RelationName]
    on: Object | None = None

    def row_filter(self, rows: RowsClause) -> RowFilter:
        condition = self._expression(rows.condition)
        only = self._column_named(condition.only_column) if condition.only_column else None
        if condition.never_true or (only is not None and only.type != _BOOLEAN):
            raise self.call.error(
                ErrorCode.TYPE_MISMATCH,
                "A row filter is a condition: true or false for each row.",
                rows.condition.span,
            )
        return RowFilter(rows.condition.sql, check=rows.check)

    def policy(self, name: Word) -> NamedPolicy | None:
        """The row filter or mask by name, for those who may put it on what this is about."""
        uuid = self.table.uuid if self.table is not None else ""
        return self.book.policy(self.call.session.identity, name.text, self.on, uuid)

    def check_filter(self, policy: RowFilterPolicy, name: Word) -> None:
        """That the table has the columns that a row filter by name asks for."""
        self._check_named(policy.filter.sql, name)

    def check_mask(self, policy: MaskPolicy, column: ColumnFacts, name: Word) -> None:
        """The same of a mask by name; and that it fits the column."""
        mask = for_column(policy.mask, column.name)
        if isinstance(mask, ExpressionMask):
            self._check_named(mask.sql, name)
        self.check_fits(mask, column, name.span)

    def _check_named(self, sql: str, name: Word) -> None:
        replace(self, reads=[])._expression(PolicyText(sql, name.span))

    def column_rules(self, columns: Sequence[ColumnClause]) -> tuple[ColumnRule, ...] | None:
        return tuple(self.column_rule(column.column, column.mask) for column in columns) or None

    def column_rule(self, column: Word, mask: MaskClause | None = None) -> ColumnRule:
        if self.table is None:
            return ColumnRule(column.text, mask=self._mask_for(mask, column) if mask else None)
        column_name = self._column_named(column.text)
        if column_name is None:
            raise self._no_column(column.text, column.span)
        chosen = self._mask_for(mask, column) if mask else None
        if mask is not None and isinstance(mask.mask, Word):
            self.check_mask(self._mask_named(mask.mask), column_name, mask.mask)
        elif chosen is not None:
            self.check_fits(chosen, column_name, column.span)
        return ColumnRule(column_name.name, column_name.field_id, chosen)

    def mask(self, clause: MaskClause) -> Mask:
        """Of a mask by name, which no table is known for."""
        if isinstance(clause.mask, Word):
            return self._mask_named(clause.mask).mask
        if clause.expression is not None:
            self._expression(clause.expression)
        if isinstance(clause.mask, HashMask) and clause.mask.key not in self.call.access.hash_keys:
            raise self.call.error(
                ErrorCode.INVALID_ARGUMENT,
                f"There is no key {clause.mask.key} for hashes.",
                hint="Keys are in the settings, under [policy.hash_keys].",
            )
        if isinstance(clause.mask, RegexMask):
            problem = problem_of_replacement(clause.mask.pattern, clause.mask.replacement)
            if problem:
                raise self.call.error(ErrorCode.INVALID_ARGUMENT, f"{problem}.")
        return clause.mask

    def _mask_for(self, clause: MaskClause, column: Word) -> Mask:
        return for_column(self.mask(clause), column.text)

    def _mask_named(self, name: Word) -> MaskPolicy:
        policy = self.policy(name)
        if isinstance(policy, MaskPolicy):
            return policy
        raise self.call.error(
            ErrorCode.POLICY_NOT_FOUND,
            f"There is no column mask {name.text} that you may use here.",
            name.span,
            "SHOW COLUMN MASKS lists them, for administrators and for owners of tables.",
        )

    def check_fits(self, mask: Mask, column: ColumnFacts, at: Span) -> None:
        try:
            mask_sql(mask, Column(column.name, column.type), lambda sql, dialect: sql)
        except SqeError as error:
            raise self.call.error(ErrorCode.TYPE_MISMATCH, error.message, at, _FITS) from None

    def _expression(self, text: PolicyText) -> PolicyExpression:
        """Read as it will be read in queries, so that what is kept can be used."""
        sql = text.sql.replace(THE_COLUMN, quote("the column"))
        try:
            usable = spark_expression(sql, self.call.session.identity)
            checked_text = read_policy(usable, self.call.access.limits)
        except (Unfit, SqeError) as error:
            why = error.message if isinstance(error, SqeError) else str(error)
            message = f"The policy cannot be used: {why.rstrip('.')}."
            raise self.call.error(ErrorCode.INVALID_ARGUMENT, message, text.span) from error
        self.reads.extend(self._read(parts, text.span) for parts in checked_text.tables)
        if self.table is not None:
            for parts in checked_text.columns:
                self._check_column(parts, text.span)
        return checked_text

    def _check_column(self, parts: tuple[str, ...], at: Span) -> None:
        names = [parts[0]]
        if self.table is not None and names[0].lower() == self.table.name.name.lower():
            names += parts[1:2]
        if not any(self._column_named(name) for name in names):
            raise self._no_column(names[-1], at)

    def _read(self, parts: tuple[str, ...], at: Span) -> RelationName:
        catalog = self.call.catalog_named(parts[0])
        if len(parts) < 3 or catalog is None:
            raise self.call.error(
                ErrorCode.INVALID_ARGUMENT,
                f"A policy names tables in full; {'.'.join(parts)} is not.",
                at,
                "Write catalog.schema.table.",
            )
        return RelationName(SchemaName(catalog, parts[1:-1]), parts[-1])

    def _column_named(self, name: str) -> ColumnFacts | None:
        columns = self.table.columns if self.table is not None else ()
        return next((column for column in columns if column.name.lower() == name.lower()), None)

    def _no_column(self, name: str, at: Span) -> UserError:
        table = self.table
        known = [column.name for column in table.columns] if table is not None else []
        where = table.name if table is not None else "The table"
        return self.call.error(
            ErrorCode.COLUMN_NOT_FOUND, f"{where} has no column {name}.", at, nearest(name, known)
        )


def refuse_probing(
    request: GrantRequest, call: CommandCall, book: GrantBook, *, of_table: bool
) -> None:
    """Expressions are computed on stored values, and whoever is granted something by them sees
    what they give: somebody who sees only a part could ask for the rest that way."""
    masks = {
        column.name.lower(): column.mask
        for column in request.columns or ()
        if isinstance(column.mask, ExpressionMask)
    }
    if request.rows is None and not masks:
        return
    if of_table:
        limits = call.restriction
        fine = limits is None or (
            (request.rows is None or request.rows in limits.filters)
            and all(limits.masks.get(name) == mask for name, mask in masks.items())
        )
    else:  # nobody knows of which tables the user sees only a part
        fine = book.may_administer(call.session.identity, request.on)
    if not fine:
        raise AccessError(
            ErrorCode.ACCESS_DENIED,
            f"You see only part of {request.on}; you may not make expressions for it.",
            hint="Grant it with the limits that you have yourself.",
        )


def for_column(mask: Mask, column: str) -> Mask:
    """A mask that is made for many columns, as that of one."""
    if isinstance(mask, ExpressionMask) and THE_COLUMN in mask.sql:
        return ExpressionMask(mask.sql.replace(THE_COLUMN, quote(column)), mask.dialect)
    return mask
