"""Variables of the session become constants, as soon as it is decided what the user sees: a column
that is hidden from them is none (decision 0030)."""

from __future__ import annotations

from dataclasses import replace

from sqe.binding.bound import BoundAbsent, BoundReference, BoundStatement, BoundTable, BoundView
from sqe.binding.columns import Hidden
from sqe.errors import ErrorCode, InternalError, UserError
from sqe.model.variables import Variables
from sqe.sql.materialized import CreateMaterializedView
from sqe.sql.parse import parse
from sqe.sql.statement import Statement, StatementKind
from sqe.sql.text import TextLimits
from sqe.sql.variable_uses import VariableUse, find_variable_uses, write_out_variables
from sqe.sql.visible_columns import Names, names_of


def write_variables(
    bound: BoundStatement, hidden: Hidden, variables: Variables, limits: TextLimits
) -> BoundStatement:
    """The same statement with the variables of its own text and of temporary views written out.
    Texts that a catalog keeps know none."""
    return _Writer(hidden, variables, limits).write(bound) if variables else bound


class _Writer:
    def __init__(self, hidden: Hidden, variables: Variables, limits: TextLimits) -> None:
        self._hidden = hidden
        self._variables = variables
        self._limits = limits

    def write(self, bound: BoundStatement) -> BoundStatement:
        references = tuple(self._open(reference) for reference in bound.references)
        bound = replace(bound, references=references)
        if bound.inner is not None and bound.statement.inner is None:
            return bound  # what a materialized view keeps
        if bound.inner is not None:
            inner = self.write(bound.inner)
            if inner.statement is not bound.inner.statement:
                _check_kept(bound.statement, self._find_uses(bound.inner))
                return _with_inner(bound, inner)
            bound = replace(bound, inner=inner)
        uses = self._find_uses(bound)
        return self._with_values(bound, uses) if uses else bound

    def _open(self, reference: BoundReference) -> BoundReference:
        view = reference.target
        if not isinstance(view, BoundView) or view.relation is not None:
            return reference
        return replace(reference, target=replace(view, inner=self.write(view.inner)))

    def _find_uses(self, bound: BoundStatement) -> list[VariableUse]:
        columns: dict[int, Names | None] = {}
        names: set[str] = set()
        for reference in bound.references:
            target = reference.target
            names.add(reference.reference.parts[-1].lower())
            if isinstance(target, BoundAbsent):
                continue
            unseen = self._hidden(reference)
            seen = [column.name for column in target.columns if column.name.lower() not in unseen]
            names |= {name.lower() for name in seen}
            # A snapshot, a branch or a metadata table may have other columns.
            now = reference.reference.temporal is None and not reference.reference.options
            plain = now and not (isinstance(target, BoundTable) and target.suffix)
            columns[reference.reference.span.start] = names_of(seen) if plain else None
        return find_variable_uses(bound.statement, columns.get, names, self._variables)

    def _with_values(self, bound: BoundStatement, uses: list[VariableUse]) -> BoundStatement:
        """Constants name no relation: those of the text are the same ones, in the same order."""
        statement = parse(write_out_variables(bound.statement, uses), self._limits)
        before = [reference.reference.parts for reference in bound.references]
        if [reference.parts for reference in statement.references] != before:
            raise InternalError(ErrorCode.INTERNAL_ERROR, "A variable changed what is named.")
        references = tuple(
            replace(reference, reference=anew)
            for reference, anew in zip(bound.references, statement.references, strict=True)
        )
        return replace(bound, statement=statement, references=references)


def _with_inner(bound: BoundStatement, inner: BoundStatement) -> BoundStatement:
    statement = bound.statement
    markers = inner.statement.markers if statement.markers else ()
    statement = replace(statement, inner=inner.statement, markers=markers)
    return replace(bound, statement=statement, inner=inner)


def _check_kept(outer: Statement, uses: list[VariableUse]) -> None:
    """Views that a catalog keeps outlive the variable. The columns of a temporary one keep their
    names, whatever becomes of its value."""
    stored = outer.kind is StatementKind.CREATE_VIEW or isinstance(
        outer.command, CreateMaterializedView
    )
    if stored and uses:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"A view cannot be made of session variable {uses[0].variable.name}, which ends with"
            " the session.",
            hint="Write its value, or make a temporary view.",
        )
    if outer.kind is StatementKind.CREATE_TEMPORARY_VIEW and any(u.spelled_out for u in uses):
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            "A view with a variable in a column without a name of its own is not supported.",
            hint="Give the column an alias.",
        )
