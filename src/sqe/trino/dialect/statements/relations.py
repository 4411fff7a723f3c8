"""DROP, RENAME and COMMENT: what tables, views and materialized views have in common."""

from __future__ import annotations

from sqe.trino.dialect.context import Context, Known
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.nodes import Name
from sqe.trino.dialect.statements.names import (
    Target,
    check_schema,
    check_writable,
    find_changed,
    target_of,
)
from sqe.trino.dialect.statements.nodes import Comment, Drop, Rename
from sqe.trino.dialect.statements.stored_views import with_comment
from sqe.trino.dialect.translated import Translated
from sqe.trino.dialect.typed import quote_name, string


def drop(node: Drop, context: Context) -> Translated:
    target = target_of(context, node.name, node.at)
    known = find_changed(context, target)
    update_type = f"DROP {node.kind}"
    if known is None:
        if node.if_exists:
            return Translated("", update_type=update_type)
        raise _absent(node.kind, target, node.at)
    check_writable(target, known)
    if known.kind != node.kind:
        raise _other_kind(node.kind, known, target, node.at, f"DROP {known.kind} {target}")
    # As Trino's connector does: the files of a dropped table are deleted too.
    purge = " PURGE" if node.kind == "TABLE" else ""
    return Translated(f"{update_type} {target.spark}{purge}", update_type=update_type)


def _absent(kind: str, target: Target, at: int) -> Refused:
    name = "TABLE_NOT_FOUND" if kind == "TABLE" else "GENERIC_USER_ERROR"
    return Refused(name, f"{kind.capitalize()} '{target}' does not exist", at)


def _other_kind(kind: str, known: Known, target: Target, at: int, instead: str) -> Refused:
    message = (
        f"{kind.capitalize()} '{target}' does not exist, but a {known.kind.lower()} with that "
        f"name exists. Did you mean {instead}?"
    )
    return Refused("GENERIC_USER_ERROR", message, at)


def rename(node: Rename, context: Context) -> Translated:
    source = target_of(context, node.name, node.at)
    known = find_changed(context, source)
    update_type = f"RENAME {node.kind}"
    if known is None:
        if node.if_exists:
            return Translated("", update_type=update_type)
        raise Refused(
            "TABLE_NOT_FOUND", f"{node.kind.capitalize()} '{source}' does not exist", node.at
        )
    check_writable(source, known)
    if known.kind != node.kind:
        written = ".".join(part.name for part in node.target)
        instead = f"ALTER {known.kind} {source} RENAME TO {written}"
        raise _other_kind(node.kind, known, source, node.at, instead)
    if node.kind == "MATERIALIZED VIEW":
        raise Refused("NOT_SUPPORTED", "Renaming a materialized view is not supported", node.at)
    target = _new_name(node.target, source, node.at)
    _check_target(node, source, target, context)
    text = f"ALTER {node.kind} {source.spark} RENAME TO {target.spark}"
    return Translated(text, update_type=update_type)


def _new_name(name: Name, source: Target, at: int) -> Target:
    """What is not said stays as it was."""
    parts = [part.name.lower() for part in name]
    if len(parts) > 3:
        raise Refused("SYNTAX_ERROR", f"Too many parts in table name: {'.'.join(parts)}", at)
    catalog, schema, table = [source.catalog, source.schema][: 3 - len(parts)] + parts
    return Target(catalog, schema, table)


def _check_target(node: Rename, source: Target, target: Target, context: Context) -> None:
    kind = node.kind.lower()
    if target.catalog not in context.lookup.catalogs():
        message = f"Target catalog '{target.catalog}' not found"
        raise Refused("CATALOG_NOT_FOUND", message, node.at)
    if target.catalog != source.catalog:
        message = f"{kind.capitalize()} rename across catalogs is not supported"
        raise Refused("NOT_SUPPORTED", message, node.at)
    if find_changed(context, target) is not None:
        message = f"Target {kind} '{target}' already exists"
        raise Refused("TABLE_ALREADY_EXISTS", message, node.at)
    check_writable(target)
    check_schema(context, target)


def comment_on(node: Comment, context: Context) -> Translated:
    if node.kind == "COLUMN":
        return _comment_on_column(node, context)
    target = target_of(context, node.name, node.at)
    known = find_changed(context, target)
    if known is None:
        message = f"{node.kind.capitalize()} does not exist: {target}"
        raise Refused("TABLE_NOT_FOUND", message, node.at)
    check_writable(target, known)
    if known.kind != node.kind:
        instead = f"COMMENT ON {known.kind} {target} IS ..."
        refused = _other_kind(node.kind, known, target, node.at, instead)
        raise Refused("TABLE_NOT_FOUND", refused.message, node.at)
    text = f"COMMENT ON {node.kind} {target.spark} IS {_literal(node.comment)}"
    return Translated(text, update_type="COMMENT")


def _comment_on_column(node: Comment, context: Context) -> Translated:
    if len(node.name) < 2:
        raise Refused("MISSING_TABLE", "Table must be specified", node.at)
    target = target_of(context, node.name[:-1], node.at)
    known = find_changed(context, target)
    if known is None:
        raise Refused("TABLE_NOT_FOUND", f"Table does not exist: {target}", node.at)
    check_writable(target, known)
    name = node.name[-1].name.lower()
    if name not in [column.name.lower() for column in known.columns]:
        raise Refused("COLUMN_NOT_FOUND", f"Column does not exist: {name}", node.at)
    if known.kind == "MATERIALIZED VIEW":
        message = "A comment on a column of a materialized view is not supported"
        raise Refused("NOT_SUPPORTED", message, node.at)
    if known.kind == "VIEW":
        text = with_comment(known, target, name, node.comment, node.at)
        return Translated(text, update_type="COMMENT")
    text = f"COMMENT ON COLUMN {target.spark}.{quote_name(name)} IS {_literal(node.comment)}"
    return Translated(text, update_type="COMMENT")


def _literal(comment: str | None) -> str:
    return "NULL" if comment is None else string(comment)
