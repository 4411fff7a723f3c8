"""Which tables a statement reads."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.trino.dialect import nodes as tree
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.statements import nodes
from sqe.trino.dialect.statements.names import Target, find
from sqe.trino.dialect.tree import children

_CHANGED_IN_PLACE = (nodes.Delete, nodes.Update, nodes.Merge)


def tables_read(statement: tree.Statement, context: Context, what: str) -> list[Target]:
    """In the order of the text, each once. What a view reads is not for everyone to know, so that
    ``what`` is refused of one."""
    tables: list[Target] = []
    if isinstance(statement, _CHANGED_IN_PLACE):
        tables.append(Target(*context.table_name(statement.name)))
    for node in _references(statement, frozenset()):
        target = Target(*context.table_name(node.name))
        known = find(context, target)
        if known is not None and known.kind == "VIEW":
            raise not_supported(f"{what} of a view", node.at)
        if known is not None and target not in tables:
            tables.append(target)
    return tables


def names_alone(statement: tree.Statement, context: Context) -> str:
    """Spark's text of a statement that does the same with the same tables, and nothing else; for
    questions about who may. Empty: there is none."""
    read = (Target(*context.table_name(node.name)) for node in _references(statement, frozenset()))
    tables = ", ".join(dict.fromkeys(target.spark for target in read))
    query = f"SELECT 1 FROM {tables}" if tables else "SELECT 1"
    if isinstance(statement, tree.QueryStatement):
        return query
    if not isinstance(statement, nodes.Insert | nodes.Delete | nodes.Update):
        return ""
    changed = Target(*context.table_name(statement.name)).spark
    if isinstance(statement, nodes.Insert):
        return f"INSERT INTO {changed} {query}"
    verb = f"UPDATE {changed} SET x = 1" if isinstance(statement, nodes.Update) else ""
    return f"{verb or f'DELETE FROM {changed}'} WHERE EXISTS ({query})"


def _references(node: tree.Node, named: frozenset[str]) -> Iterator[tree.TableRef]:
    """``named``: the queries of the WITH clauses around, which hide tables of the same name."""
    if isinstance(node, tree.Query) and node.withs:
        inside = (
            named | {inner.name.name.lower() for inner in node.withs} if node.recursive else named
        )
        for inner in node.withs:
            yield from _references(inner.query, inside)
            inside = inside | {inner.name.name.lower()}
        named = inside
        below: Iterator[tree.Node] = (
            inner for inner in children(node) if not isinstance(inner, tree.With)
        )
    else:
        below = children(node)
    if isinstance(node, tree.TableRef) and not _is_named(node, named):
        yield node
    for child in below:
        yield from _references(child, named)


def _is_named(node: tree.TableRef, named: frozenset[str]) -> bool:
    return len(node.name) == 1 and node.name[0].name.lower() in named
