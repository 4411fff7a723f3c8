"""ALTER SCHEMA, ALTER VIEW, RENAME and COMMENT ON: changes of metadata that need no engine."""

from __future__ import annotations

import copy

from sqe.binding.bound import BoundAbsent, BoundTable, BoundTarget, BoundView
from sqe.catalog.commit.draft import LAST_ADDED
from sqe.catalog.commit.schemas import equal_schema_id
from sqe.catalog.protocol import Catalog, Ident, Json
from sqe.catalog.schemas import current_schema
from sqe.catalog.views import COLUMN_TYPES, SCHEMA_MODE, TYPE_EVOLUTION, view_change
from sqe.coordinator.call import Answer, CommandCall, Row, answer, is_information_schema, nearest
from sqe.errors import ErrorCode, UserError
from sqe.model.names import RelationName
from sqe.sql.alter import RenameTable
from sqe.sql.comments import CommentOn, CommentOnSchema
from sqe.sql.schema_changes import AlterSchema
from sqe.sql.statement import Command
from sqe.sql.views import AlterViewProperties


def _alter_schema(command: AlterSchema, call: CommandCall) -> list[Row]:
    schema = call.require_schema(command.schema)
    if not schema.path or is_information_schema(schema):
        raise call.error(
            ErrorCode.INVALID_ARGUMENT, f"{schema} cannot be changed.", command.schema.span
        )
    catalog = call.open(schema.catalog, command.schema.span)
    catalog.update_namespace(schema.path, list(command.removals), dict(command.updates))
    return []


def _comment_on_schema(command: CommentOnSchema, call: CommandCall) -> list[Row]:
    if command.comment is None:
        return _alter_schema(AlterSchema(command.schema, removals=("comment",)), call)
    updates = (("comment", command.comment),)
    return _alter_schema(AlterSchema(command.schema, updates=updates), call)


def _comment_on(command: CommentOn, call: CommandCall) -> list[Row]:
    target = call.target
    if isinstance(target, BoundTable) and not target.suffix and not command.view:
        if command.column is not None:
            _comment_on_column(target, command.column, command.comment, call)
        else:
            _set_comment(target, command.comment, call)
    elif isinstance(target, BoundView) and target.relation and command.column is None:
        _need_kind(call, view=command.view)
        updates = {} if command.comment is None else {"comment": command.comment}
        _change_view(call, target.relation, updates, ["comment"])
    else:
        _need_kind(call, view=command.view)
        raise _argument_error(call, "That has no comment that could be changed.")
    return []


def _set_comment(target: BoundTable, comment: str | None, call: CommandCall) -> None:
    metadata = target.metadata
    if comment is not None:
        update: Json = {"action": "set-properties", "updates": {"comment": comment}}
    elif "comment" in (metadata.get("properties") or {}):
        update = {"action": "remove-properties", "removals": ["comment"]}
    else:
        return
    commit(call.open(target.name.catalog), target, [update], [])


def _comment_on_column(
    target: BoundTable, column: str, comment: str | None, call: CommandCall
) -> None:
    metadata = target.metadata
    schema = copy.deepcopy(current_schema(metadata))
    fields = {field["name"].lower(): field for field in schema["fields"]}
    field = fields.get(column.lower())
    if field is None:
        raise UserError(
            ErrorCode.COLUMN_NOT_FOUND,
            f"{target.name} has no column {column}.",
            hint=nearest(column, [f["name"] for f in fields.values()]),
        )
    field.pop("doc", None)
    if comment is not None:
        field["doc"] = comment
    commit_schema(call.open(target.name.catalog), target, schema)


def commit_schema(catalog: Catalog, target: BoundTable, schema: Json) -> None:
    """Makes ``schema`` the table's own, unless someone else changed the table's columns first."""
    metadata = target.metadata
    if schema == current_schema(metadata):
        return
    # A schema that the table has had before is not a last added one to catalogs.
    known = equal_schema_id(metadata.get("schemas") or (), schema)
    added = {
        "action": "add-schema",
        "schema": {**schema, "schema-id": LAST_ADDED},
        "last-column-id": metadata["last-column-id"],
    }
    updates: list[Json] = [
        *([added] if known is None else []),
        {"action": "set-current-schema", "schema-id": LAST_ADDED if known is None else known},
    ]
    current = {
        "type": "assert-current-schema-id",
        "current-schema-id": metadata.get("current-schema-id", 0),
    }
    commit(catalog, target, updates, [current])


def commit(
    catalog: Catalog, target: BoundTable, updates: list[Json], requirements: list[Json]
) -> None:
    """One commit of metadata to the table that was bound, and to no other of its name."""
    uuid = {"type": "assert-table-uuid", "uuid": target.metadata["table-uuid"]}
    catalog.commit_table(
        target.ident,
        {
            "identifier": {
                "namespace": list(target.ident.namespace),
                "name": target.ident.name,
            },
            "requirements": [uuid, *requirements],
            "updates": updates,
        },
    )


def _view_properties(command: AlterViewProperties, call: CommandCall) -> list[Row]:
    target = call.target
    if not isinstance(target, BoundView) or target.relation is None:
        _need_kind(call, view=True)
        raise _argument_error(call, "Only stored views have properties.")
    name = target.relation
    had = call.open(name.catalog).load_view(Ident(name.schema.path, name.name)).metadata
    missing = [
        removal for removal in command.removals if removal not in (had.get("properties") or {})
    ]
    if missing and not command.if_exists:
        raise _argument_error(
            call,
            f"View {name} has no property {missing[0]}.",
            "Use UNSET TBLPROPERTIES IF EXISTS.",
        )
    updates, removals = dict(command.updates), list(command.removals)
    if command.evolves:
        updates, removals = {SCHEMA_MODE: TYPE_EVOLUTION}, [COLUMN_TYPES]
    _change_view(call, name, updates, removals)
    return []


def _change_view(
    call: CommandCall, name: RelationName, updates: dict[str, str], removals: list[str]
) -> None:
    """Sets and removes a view's properties. Nothing to do: no commit."""
    catalog = call.open(name.catalog)
    ident = Ident(name.schema.path, name.name)
    metadata = catalog.load_view(ident).metadata
    had: dict[str, str] = dict(metadata.get("properties") or {})
    gone = [removal for removal in removals if removal in had and removal not in updates]
    changes: list[Json] = []
    if updates:
        changes.append({"action": "set-properties", "updates": updates})
    if gone:
        changes.append({"action": "remove-properties", "removals": gone})
    if changes:
        catalog.replace_view(ident, view_change(ident, metadata, changes))


def _rename(command: RenameTable, call: CommandCall) -> list[Row]:
    old, new = call.statement.bound.references
    source, target = old.target, new.target
    if isinstance(source, BoundTable) and not source.suffix and not command.view:
        name, is_view = source.name, False
    elif isinstance(source, BoundView) and source.relation is not None and command.view:
        name, is_view = source.relation, True
    else:
        raise _not_renamed(source, command.view)
    wanted = _new_name(name, target, new.reference.parts[-1])
    if wanted.catalog != name.catalog:
        raise call.error(
            ErrorCode.NOT_SUPPORTED,
            f"A rename stays inside its catalog, {name.catalog}.",
            new.reference.span,
            "CREATE TABLE … AS SELECT copies a table to another catalog.",
        )
    if wanted != name:
        catalog = call.open(name.catalog)
        rename = catalog.rename_view if is_view else catalog.rename_table
        rename(Ident(name.schema.path, name.name), Ident(wanted.schema.path, wanted.name))
    return []


def _new_name(old: RelationName, target: BoundTarget, written: str) -> RelationName:
    if isinstance(target, BoundAbsent):
        return target.name
    current_name = target.name if isinstance(target, BoundTable) else None
    if isinstance(target, BoundView):
        current_name = target.relation
    if current_name == old:  # the same name in another case
        return RelationName(old.schema, written)
    raise UserError(
        ErrorCode.TABLE_ALREADY_EXISTS,
        f"{current_name or written} already exists.",
        hint="Drop it first, or choose another name.",
    )


def _not_renamed(source: BoundTarget, view: bool) -> UserError:
    if isinstance(source, BoundTable) and not source.suffix:
        return UserError(
            ErrorCode.INVALID_ARGUMENT, f"{source.name} is a table.", hint="Use ALTER TABLE."
        )
    if isinstance(source, BoundView) and source.relation is not None:
        return UserError(
            ErrorCode.INVALID_ARGUMENT, f"{source.relation} is a view.", hint="Use ALTER VIEW."
        )
    what = "view" if view else "table"
    return UserError(ErrorCode.INVALID_ARGUMENT, f"That is not a {what} that can be renamed.")


def _need_kind(call: CommandCall, *, view: bool) -> None:
    target = call.target
    if view and isinstance(target, BoundTable):
        raise _argument_error(call, f"{target.name} is a table.", "Use TABLE in the place of VIEW.")
    if not view and isinstance(target, BoundView):
        raise _argument_error(
            call, f"{target.relation or target.name} is a view.", "Use VIEW in the place of TABLE."
        )


def _argument_error(call: CommandCall, message: str, hint: str = "") -> UserError:
    return call.error(ErrorCode.INVALID_ARGUMENT, message, call.reference.reference.span, hint)


ALTERATIONS: dict[type[Command], Answer] = {
    AlterSchema: answer((), _alter_schema),
    CommentOn: answer((), _comment_on),
    CommentOnSchema: answer((), _comment_on_schema),
    RenameTable: answer((), _rename),
    AlterViewProperties: answer((), _view_properties),
}
