"""Where a statement uses variables of its session, by Spark's rule: a column of the name wins.

A name is a variable's where certainly nothing in the query is a column of that name. Where that is
not certain it stays as it is, and the engine says that there is no such column; ``session.x`` can
be said instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sqe.model.names import quote
from sqe.model.variables import SessionVariable, Variables, find_variable
from sqe.sql.other_words import InOtherWords
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import Span, Statement
from sqe.sql.visible_columns import ColumnsOf, unknown_columns

# A number there would be the number of a column.
_ORDINALS = (exp.Group, exp.Order, exp.Cluster)


@dataclass(frozen=True, slots=True)
class VariableUse:
    """``alias``: the name of the column that it is, in a list of SELECT. ``spelled_out``: it is
    part of a column without a name of its own, which engines name after the value."""

    variable: SessionVariable
    span: Span
    alias: str = ""
    ordinal: bool = False
    spelled_out: bool = False

    @property
    def text(self) -> str:
        sql = self.variable.sql
        if self.ordinal and sql.isdecimal():
            sql = f"CAST({sql} AS INT)"
        return f" {sql} AS {quote(self.alias)} " if self.alias else f" {sql} "


def find_variable_uses(
    statement: Statement, columns_of: ColumnsOf, names: set[str], variables: Variables
) -> list[VariableUse]:
    """``names``: all that columns and relations are called which the statement reads, in small
    letters; those that it gives itself are found here."""
    tree = statement.tree
    folded = statement.text.lower()
    if tree is None or not any(name in folded for name in variables):
        return []
    if isinstance(tree, InOtherWords):
        return []
    unknown = {column.span.start for column in unknown_columns(statement.text, tree, columns_of)}
    given = names | _names_given(tree)
    uses = []
    for column in tree.find_all(exp.Column):
        parts = tuple(_parts(column))
        variable = find_variable(variables, parts)
        span = _span(column)
        if variable is None or span is None:
            continue
        first = parts[0].lower()
        if span.start in unknown if len(parts) == 1 else first not in given:
            uses.append(_use(variable, span, column))
    return uses


def write_out_variables(statement: Statement, uses: list[VariableUse]) -> str:
    """The text with their values in place of the variables."""
    return splice(statement.text, [Edit(use.span, use.text) for use in uses]).text


def _use(variable: SessionVariable, span: Span, column: exp.Column) -> VariableUse:
    node: Any = column
    ordinal = False
    while node.parent is not None and not isinstance(node.parent, exp.Select):
        ordinal = ordinal or isinstance(node.parent, _ORDINALS)
        node = node.parent
    item = node.arg_key == "expressions" and isinstance(node.parent, exp.Select)
    unnamed = item and not isinstance(node, exp.Alias | exp.Aliases)
    if node is column and unnamed:
        return VariableUse(variable, span, alias=column.name)
    return VariableUse(variable, span, ordinal=ordinal, spelled_out=unnamed)


def _parts(column: exp.Column) -> Iterator[str]:
    for key in ("catalog", "db", "table", "this"):
        part = column.args.get(key)
        if part is not None:
            yield part.name


def _span(column: exp.Column) -> Span | None:
    """None for a name that is not written so in the text, or has a part behind it."""
    nodes = [column.args[key] for key in ("catalog", "db", "table", "this") if column.args.get(key)]
    if any(not isinstance(node, exp.Identifier) or "start" not in node.meta for node in nodes):
        return None
    if isinstance(column.parent, exp.Dot):
        return None
    return Span(nodes[0].meta["start"], nodes[-1].meta["end"] + 1)


def _names_given(tree: exp.Expr) -> set[str]:
    """What the statement itself gives a name: relations, aliases and their columns."""
    names: set[str] = set()
    for node in tree.find_all(exp.Table, exp.Alias, exp.TableAlias, exp.Aliases, exp.Lambda):
        names.add(node.alias_or_name.lower())
        if isinstance(node, exp.Table):
            names.add(node.name.lower())
        if isinstance(node, exp.TableAlias):
            names.add(node.name.lower())
            names |= {name.name.lower() for name in node.args.get("columns") or ()}
        if isinstance(node, exp.Aliases | exp.Lambda):
            names |= {name.name.lower() for name in node.expressions}
    return names
