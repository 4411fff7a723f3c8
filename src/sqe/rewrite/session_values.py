"""Session functions as the values they have, for an engine that knows no session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from sqe.model.names import SchemaName
from sqe.rewrite.guarded import GuardedStatement

_FUNCTIONS: Mapping[type[exp.Expr], str] = {
    exp.CurrentCatalog: "current_catalog",
    exp.CurrentSchema: "current_schema",
    exp.CurrentDatabase: "current_database",
    exp.CurrentUser: "current_user",
}


def session_value(function: str, schema: SchemaName, user: str) -> str:
    """All but those of the session's catalog and schema are the user's name."""
    path = ".".join(schema.path)
    paths = ("current_database", "current_schema", "database", "schema")
    places = {"current_catalog": schema.catalog, **dict.fromkeys(paths, path)}
    return places.get(function, user)


def answer_session_functions(
    guarded: GuardedStatement, schema: SchemaName, user: str
) -> GuardedStatement:
    """Unchanged where a function stands in a column without an alias, whose name would show it."""
    bound = guarded.bound
    if not bound.statement.session_functions:
        return guarded
    tree = bound.statement.tree.copy()
    calls = list(tree.find_all(*_FUNCTIONS))
    if len(calls) != len(bound.statement.session_functions) or any(map(_names_a_column, calls)):
        return guarded
    for call in calls:
        call.replace(exp.Literal.string(session_value(_FUNCTIONS[type(call)], schema, user)))
    statement = replace(bound.statement, tree=tree, session_functions=())
    return replace(guarded, bound=replace(bound, statement=statement))


def _names_a_column(node: exp.Expr) -> bool:
    while node.parent is not None and not isinstance(node.parent, exp.Select):
        node = node.parent
    return node.arg_key == "expressions" and not isinstance(node, exp.Alias)
