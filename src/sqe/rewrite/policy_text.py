"""What a policy says of one relation, as one bound text: checked, and all its own names found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial

from sqlglot import exp

from sqe.binding.bound import (
    BoundAbsent,
    BoundMetadata,
    BoundReference,
    BoundStatement,
    BoundTable,
    BoundTarget,
    BoundView,
)
from sqe.binding.resolve import METADATA_TABLES
from sqe.errors import AccessError, UserError
from sqe.model.decision import Restrict
from sqe.model.identity import Identity, Secret
from sqe.model.masks import HashMask
from sqe.model.names import RelationName, quote
from sqe.model.query import Column
from sqe.rewrite.authority import Authority
from sqe.rewrite.expression_types import Types
from sqe.rewrite.expressions import of_the_row, spark_expression
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.masks import mask_sql
from sqe.rewrite.unfit import Unfit
from sqe.sql.parse import parse
from sqe.sql.statement import Reference, Span, Statement

Guardable = BoundTable | BoundView


@dataclass(frozen=True)
class PolicyText:
    """What a policy says of one relation, as Spark's SQL for one reader."""

    authority: Authority
    target: Guardable
    columns: tuple[Column, ...]  # those there are in the state that is read
    name: RelationName
    as_user: str
    derived: bool = False  # the relation is read through a derived table, by its last name part

    @property
    def identity(self) -> Identity:
        return self.authority.reader(self.as_user)

    def items(self, shown: tuple[Column, ...], limits: Restrict) -> tuple[str, tuple[Secret, ...]]:
        """The select list, and the values of its markers in their order."""
        masks = {name.lower(): mask for name, mask in limits.masks.items()}
        items: list[str] = []
        keys: list[Secret] = []
        for column in shown:
            mask = masks.get(column.name.lower())
            if mask is None:
                items.append(quote(column.name))
                continue
            items.append(mask_sql(mask, column, partial(self.expression, kind=column.type)))
            if isinstance(mask, HashMask):
                subkeys = self.authority.subkeys(mask.key)
                if subkeys is None:
                    raise Unfit("the settings lack a key of a hash mask")
                keys += subkeys
        return ", ".join(items), tuple(keys)

    def condition(self, limits: Restrict) -> str:
        """The line ends keep what is inside from running into what is behind it."""
        terms = (
            self.expression(filter_.sql, filter_.dialect, "boolean") for filter_ in limits.filters
        )
        return " AND ".join(f"({term}\n)" for term in terms)

    def expression(self, sql: str, dialect: str, kind: str) -> str:
        if dialect == "spark":
            return spark_expression(sql, self.identity)
        return self.authority.translate(sql, dialect, kind, self.target, self.identity)

    def bind(
        self, parsed: Statement, place: Span, target: Guardable, travel: str
    ) -> BoundStatement:
        """``place`` is where the relation itself is named; all other names are the policy's."""
        references = []
        for reference in parsed.references:
            bound_target = target if reference.span == place else self._find(parsed, reference)
            references.append(BoundReference(reference, bound_target, self.as_user, trusted=True))
        if sum(reference.span == place for reference in parsed.references) != 1:
            raise Unfit("the relation is not where it was written")
        bound = BoundStatement(parsed, tuple(references))
        behind = place.end + len(travel)
        if any(not place.end <= f.span.start < behind for f in bound.session_functions):
            raise Unfit("it depends on the session")
        self._check_columns(parsed)
        _check_condition(bound)
        return bound

    def _find(self, parsed: Statement, reference: Reference) -> BoundTarget:
        try:
            target = self.authority.find(parsed, reference, self.name.schema)
        except (AccessError, UserError) as error:
            # Users do not see the policy's text, and need not know which tables it reads.
            raise Unfit(error.message) from error
        if isinstance(target, BoundMetadata | BoundAbsent):
            raise Unfit("it reads what is no table")
        if (
            isinstance(target, BoundTable)
            and target.suffix[-1:]
            and (target.suffix[-1].lower() in METADATA_TABLES)
        ):
            raise Unfit("it reads a metadata table")
        return _trust(target)

    def _check_columns(self, parsed: Statement) -> None:
        """Columns of the row itself must be there; those of subqueries are the engine's to find."""
        known = {column.name.lower() for column in self.columns}
        qualifiers = {part.lower() for part in self.name.parts}
        last = self.name.name.lower()
        select = parsed.tree
        roots = [*select.expressions, select.args.get("where")]
        for node in (node for root in roots if root is not None for node in of_the_row(root)):
            if not isinstance(node, exp.Column):
                continue
            parts = [part.name.lower() for part in node.parts]
            named = next((part for part in parts if part not in qualifiers), parts[-1])
            if named not in known and parts[0] not in known:
                raise Unfit("it names a column that is not there")
            if self.derived and len(parts) > 1 and parts[0] in qualifiers - {last}:
                raise Unfit("it names a column with its schema")


@lru_cache(maxsize=1024)
def parse_guard(text: str) -> Statement:
    """Nobody changes a statement, and guards of the same text come again and again."""
    try:
        return parse(text)
    except UserError as error:
        raise Unfit(error.message) from error


def _check_condition(bound: BoundStatement) -> None:
    where = bound.statement.tree.args.get("where")
    if where is None:
        return
    types = Types(GuardedStatement(bound, {}))
    condition = where.this.unnest()
    terms = condition.flatten() if isinstance(condition, exp.And) else [condition]
    for term in terms:
        if types.of(term) not in (None, "boolean"):
            raise Unfit("a filter is not true or false")


def _trust(target: BoundTarget) -> BoundTarget:
    """The same, with everything inside it read under the policy's own authority."""
    if not isinstance(target, BoundView):
        return target
    references = tuple(
        replace(reference, target=_trust(reference.target), trusted=True)
        for reference in target.inner.references
    )
    for reference in references:
        if isinstance(reference.target, BoundAbsent):
            raise Unfit("it reads a view of what is not there")
    return replace(target, inner=replace(target.inner, references=references))
