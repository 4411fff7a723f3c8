"""ALTER TABLE: columns and properties."""

from __future__ import annotations

from sqe.model.trino_types import TrinoType, carrier
from sqe.trino.dialect.context import Context, Known, KnownColumn
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.nodes import Name
from sqe.trino.dialect.statements.column_types import iceberg_name, read_type, type_in_table, widens
from sqe.trino.dialect.statements.defaults import default_text
from sqe.trino.dialect.statements.names import Target, no_table, table_if_there, target_of
from sqe.trino.dialect.statements.nodes import AddColumn, AlterColumn, DropColumn, RenameColumn
from sqe.trino.dialect.statements.partitioning import partitioning_of_table
from sqe.trino.dialect.statements.tables import check_column_properties, column_text
from sqe.trino.dialect.translated import Translated
from sqe.trino.dialect.typed import quote_name

Node = AddColumn | DropColumn | RenameColumn | AlterColumn


def _table(node: Node, context: Context) -> tuple[Target, Known] | None:
    """None: it is not there, and need not be."""
    known = table_if_there(context, node.name, node.at)
    if known is None and not node.if_exists:
        raise no_table(target_of(context, node.name, node.at), node.at)
    return known


def _path(name: Name) -> tuple[str, ...]:
    return tuple(part.name.lower() for part in name)


def _spark(path: tuple[str, ...]) -> str:
    return ".".join(map(quote_name, path))


def _column(known: Known, name: str) -> KnownColumn | None:
    return next(
        (column for column in known.columns if column.name.lower() == name and not column.hidden),
        None,
    )


def _field(kind: TrinoType, name: str) -> TrinoType | None:
    return next((field.type for field in kind.fields if (field.name or "").lower() == name), None)


def _no_column(name: str, at: int) -> Refused:
    return Refused("COLUMN_NOT_FOUND", f"Column '{name}' does not exist", at)


def add_column(node: AddColumn, context: Context) -> Translated:
    update_type = "ADD COLUMN"
    known_table = _table(node, context)
    if known_table is None:
        return Translated("", update_type=update_type)
    target, known = known_table
    path = _path(node.column.name)
    kind = read_type(node.column.type, node.column.at, path[-1])
    if _is_taken(node, known, path):
        return Translated("", update_type=update_type)
    kind = type_in_table(kind, node.column.type_at)
    if node.column.not_null and node.column.default is None:
        raise Refused("NOT_SUPPORTED", "This connector does not support adding not null columns")
    check_column_properties(node.column, target)
    text = f"ALTER TABLE {target.spark} ADD COLUMN "
    text += column_text(_spark(path), node.column, kind, context) + _place(node, known)
    return Translated(text, update_type=update_type)


def _is_taken(node: AddColumn, known: Known, path: tuple[str, ...]) -> bool:
    """Whether it is there already, and may be."""
    column = _column(known, path[0])
    if len(path) == 1:
        if column is not None and not node.if_not_exists:
            raise Refused("COLUMN_ALREADY_EXISTS", f"Column '{path[0]}' already exists", node.at)
        return column is not None
    if column is None:
        raise _no_column(path[0], node.at)
    parent = column.type
    for name in path[1:-1]:
        inner = _field(parent, name)
        if inner is None:
            message = f"Field '{name}' does not exist within {parent.display}"
            raise Refused("COLUMN_NOT_FOUND", message, node.at)
        parent = inner
    if parent.base != "row":
        raise Refused("NOT_SUPPORTED", f"Unsupported type: {parent.display}")
    taken = _field(parent, path[-1]) is not None
    if taken and not node.if_not_exists:
        raise Refused("COLUMN_ALREADY_EXISTS", f"Field '{path[-1]}' already exists", node.at)
    return taken


def _place(node: AddColumn, known: Known) -> str:
    if node.first:
        return " FIRST"
    if node.after is None:
        return ""
    name = node.after.name.lower()
    if _column(known, name) is None:
        raise _no_column(name, node.at)
    return f" AFTER {quote_name(name)}"


def drop_column(node: DropColumn, context: Context) -> Translated:
    update_type = "DROP COLUMN"
    known_table = _table(node, context)
    if known_table is None:
        return Translated("", update_type=update_type)
    target, known = known_table
    path = _path(node.column)
    column = _column(known, path[0])
    if column is None:
        if node.column_if_exists:
            return Translated("", update_type=update_type)
        raise _no_column(path[0], node.at)
    if len(path) == 1:
        _check_droppable(known, path[0], node.at)
    elif not _has_field(node, column, path):
        return Translated("", update_type=update_type)
    text = f"ALTER TABLE {target.spark} DROP COLUMN {_spark(path)}"
    return Translated(text, update_type=update_type)


def _check_droppable(known: Known, name: str, at: int) -> None:
    if len([column for column in known.columns if not column.hidden]) == 1:
        raise Refused("NOT_SUPPORTED", "Cannot drop the only column in a table", at)
    if any(field.path[0] == name for field in partitioning_of_table(known.metadata)):
        raise Refused("NOT_SUPPORTED", f"Cannot drop partition field: {name}")


def _has_field(node: DropColumn, column: KnownColumn, path: tuple[str, ...]) -> bool:
    kind = column.type
    for name in path[1:]:
        inner = _field(kind, name)
        if inner is None:
            if node.column_if_exists:
                return False
            message = (
                f"Cannot resolve field '{name}' within {kind.display} type when dropping "
                f"[{', '.join(path[1:])}] in {column.type.display}"
            )
            raise Refused("NOT_SUPPORTED", message, node.at)
        if len(kind.fields) == 1:
            raise Refused("NOT_SUPPORTED", "Cannot drop the only field in a row type", node.at)
        kind = inner
    return True


def rename_column(node: RenameColumn, context: Context) -> Translated:
    update_type = "RENAME COLUMN"
    known_table = _table(node, context)
    if known_table is None:
        return Translated("", update_type=update_type)
    target, known = known_table
    path, new = _path(node.column), node.target.name.lower()
    column = _column(known, path[0])
    if column is None:
        if node.column_if_exists:
            return Translated("", update_type=update_type)
        raise _no_column(path[0], node.at)
    kind: TrinoType | None = column.type
    parent = column.type
    for name in path[1:]:
        parent = kind or parent
        kind = _field(parent, name)
        if kind is None:
            if node.column_if_exists:
                return Translated("", update_type=update_type)
            raise Refused("COLUMN_NOT_FOUND", f"Field '{name}' does not exist", node.at)
    if len(path) == 1 and _column(known, new) is not None:
        raise Refused("COLUMN_ALREADY_EXISTS", f"Column '{new}' already exists", node.at)
    if len(path) > 1 and _field(parent, new) is not None:
        raise Refused("COLUMN_ALREADY_EXISTS", f"Field '{new}' already exists", node.at)
    text = f"ALTER TABLE {target.spark} RENAME COLUMN {_spark(path)} TO {quote_name(new)}"
    return Translated(text, update_type=update_type)


_UPDATE_TYPES = {
    "SET DATA TYPE": "SET COLUMN TYPE",
    "DROP NOT NULL": "DROP NOT NULL",
    "SET DEFAULT": "SET DEFAULT",
    "DROP DEFAULT": "DROP DEFAULT",
}


def alter_column(node: AlterColumn, context: Context) -> Translated:
    update_type = _UPDATE_TYPES[node.action]
    known_table = _table(node, context)
    if known_table is None:
        return Translated("", update_type=update_type)
    target, known = known_table
    path = _path(node.column)
    column = _column(known, path[0])
    if column is None:
        raise _no_column(path[0], node.at)
    kind = column.type
    for name in path[1:]:
        inner = _field(kind, name)
        if inner is None:
            message = f"Field '{name}' does not exist within {kind.display}"
            raise Refused("COLUMN_NOT_FOUND", message, node.at)
        kind = inner
    action = _change(node, path, kind, column, context)
    text = f"ALTER TABLE {target.spark} ALTER COLUMN {_spark(path)} {action}"
    return Translated(text, update_type=update_type)


def _change(
    node: AlterColumn, path: tuple[str, ...], kind: TrinoType, column: KnownColumn, context: Context
) -> str:
    if node.action == "DROP NOT NULL":
        if column.nullable:
            raise Refused("NOT_SUPPORTED", "Column is already nullable", node.at)
        return node.action
    if node.default is not None:
        return f"SET DEFAULT {default_text(node.default, kind, context)}"
    if node.action == "DROP DEFAULT":
        return node.action
    wanted = type_in_table(read_type(node.type, node.at, path[-1]), node.type_at)
    if (kind.types or kind.fields or wanted.types or wanted.fields) and kind != wanted:
        raise not_supported("SET DATA TYPE of nested types", node.type_at)
    if not widens(kind, wanted):
        message = (
            f"Failed to set column type: Cannot change column type: {'.'.join(path)}: "
            f"{iceberg_name(kind)} -> {iceberg_name(wanted)}"
        )
        raise Refused("ICEBERG_COMMIT_ERROR", message)
    return f"TYPE {carrier(wanted)}"
