"""Writes to a table of which the user sees some columns masked: these are neither read nor set.

A write has no guard around its table, so that what it says of a column it says of stored values.
Therefore no masked column is named anywhere in it, whatever the name would mean there, and nothing
that stands for all columns. The source of an INSERT is another matter: what it reads is guarded.
"""

from __future__ import annotations

import re

from sqlglot import TokenType, exp

from sqe.binding.bound import BoundReference, BoundTable
from sqe.model.decision import Restrict
from sqe.rewrite.checked_table import CheckedTable, not_checked, refuse_storage
from sqe.rewrite.writes import parts_of
from sqe.rewrite.writes_text import InsertParts
from sqe.sql.dialect import DIALECT
from sqe.sql.statement import Statement
from sqe.sql.visible_columns import fold_case

# Others can be spelled in ways that are read in more than one.
_PLAIN = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_NAME_COLUMNS = "name the columns that it writes; masked ones cannot be among them"


def refuse_masked(
    statement: Statement, reference: BoundReference, target: BoundTable, limits: Restrict
) -> None:
    masked = {fold_case(name) for name in limits.masks}
    if not masked:
        return
    if not all(map(_PLAIN.fullmatch, limits.masks)):
        raise not_checked(target.name, "the name of a masked column has more than letters")
    if masked - {fold_case(column.name) for column in target.columns}:
        raise not_checked(target.name, "a mask is not that of a whole column")
    parts = parts_of(statement)
    if isinstance(parts, InsertParts):
        if not parts.columns or masked.intersection(map(fold_case, parts.columns)):
            raise not_checked(target.name, _NAME_COLUMNS)
        return
    if statement.tree.find(exp.Star):
        raise not_checked(target.name, "write the columns in place of *")
    # Partitions may be those of a masked column.
    refuse_storage(statement, target.name, reference.reference.span.end)
    for token in DIALECT.tokenize(statement.text):
        if token.token_type is not TokenType.STRING and fold_case(token.text) in masked:
            why = f"{token.text} is masked, and can be neither read nor set"
            raise not_checked(target.name, why)


def refuse_masked_filters(table: CheckedTable, limits: Restrict) -> None:
    """Whether a row may be written would tell of the masked value that a filter asks about."""
    masked = {fold_case(name) for name in limits.masks}
    if masked.intersection(fold_case(column.name) for column in table.columns_in_filters):
        raise table.refusal("its filters ask about a column that is masked")
