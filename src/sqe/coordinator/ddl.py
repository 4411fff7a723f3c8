"""CREATE SCHEMA, DROP SCHEMA, DROP TABLE, DROP VIEW, on the catalog, as the user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqe.binding.bound import BoundAbsent, BoundTable, BoundView
from sqe.catalog import information_schema
from sqe.catalog.protocol import Catalog, Ident
from sqe.coordinator.call import Answer, CommandCall, Row, answer, is_information_schema
from sqe.errors import ABSENT, ErrorCode, SqeError, UserError
from sqe.model.names import RelationName, SchemaName
from sqe.sql.commands import CreateSchema, DropSchema, DropTable, DropView
from sqe.sql.statement import Command, Span


def _create_schema(command: CreateSchema, call: CommandCall) -> list[Row]:
    schema = _own_schema(call.schema(command.schema), call, command.schema.span)
    catalog = call.open(schema.catalog, command.schema.span)
    try:
        if call.find_schema(schema) is not None:  # perhaps in another case
            raise UserError(ErrorCode.SCHEMA_ALREADY_EXISTS, f"Schema {schema} already exists.")
        catalog.create_namespace(schema.path, dict(command.properties))
    except SqeError as error:
        if error.code is not ErrorCode.SCHEMA_ALREADY_EXISTS:
            raise
        if not command.if_not_exists:
            raise call.error(
                error.code,
                f"Schema {schema} already exists.",
                command.schema.span,
                "Use CREATE SCHEMA IF NOT EXISTS.",
            ) from error
    return []


def _drop_schema(command: DropSchema, call: CommandCall) -> list[Row]:
    wanted = _own_schema(call.schema(command.schema), call, command.schema.span)
    schema = call.find_schema(wanted) or wanted
    catalog = call.open(schema.catalog, command.schema.span)
    try:
        if command.cascade:
            # All of it: that the user may drop each was made sure of before.
            _drop_inside(call.whole.open(schema.catalog, call.session.identity), schema, call)
        elif _has_functions(schema, call):
            raise UserError(ErrorCode.SCHEMA_NOT_EMPTY, f"Schema {schema} has functions.")
        catalog.drop_namespace(schema.path)
        _forget(schema, call)
    except SqeError as error:
        if error.code is ErrorCode.SCHEMA_NOT_EMPTY:
            raise call.error(
                error.code,
                f"Schema {schema} is not empty.",
                command.schema.span,
                "DROP SCHEMA … CASCADE drops its tables, views and functions too.",
            ) from error
        if error.code is not ErrorCode.SCHEMA_NOT_FOUND:
            raise
        if not command.if_exists:
            raise call.no_schema(schema, command.schema.span) from error
    return []


def _has_functions(schema: SchemaName, call: CommandCall) -> bool:
    functions = call.server.functions
    return functions is not None and bool(functions.functions.store.list_in(schema))


def _drop_inside(catalog: Catalog, schema: SchemaName, call: CommandCall) -> None:
    """Everything in a schema. What someone else drops in the meantime is gone as wanted."""
    namespace = schema.path
    for child in catalog.list_namespaces(namespace):
        inner = SchemaName(schema.catalog, child)
        _drop_inside(catalog, inner, call)
        with _absence_is_fine():
            catalog.drop_namespace(child)
        _forget(inner, call)
    for names, drop in (
        (catalog.list_views(namespace), catalog.drop_view),
        (catalog.list_tables(namespace), catalog.drop_table),
    ):
        for name in names:
            call.run.cancellation.check()
            with _absence_is_fine():
                drop(Ident(namespace, name))
            _forget(RelationName(schema, name), call)


def _forget(name: SchemaName | RelationName, call: CommandCall) -> None:
    """What was granted on it: another one of its name must not get that, nor its functions."""
    if isinstance(name, SchemaName) and call.server.functions is not None:
        call.server.functions.functions.store.drop_all(name)
    book = call.access_tools.book if call.access_tools is not None else None
    if book is None:
        return
    if isinstance(name, SchemaName):
        book.drop_schema_rules(call.session.identity, name)
    else:
        book.drop_table_rules(call.session.identity, name)


@contextmanager
def _absence_is_fine(fine: bool = True) -> Iterator[None]:
    try:
        yield
    except SqeError as error:
        if not fine or error.code not in ABSENT:
            raise


def _own_schema(schema: SchemaName, call: CommandCall, at: Span) -> SchemaName:
    if is_information_schema(schema):
        raise call.error(
            ErrorCode.INVALID_ARGUMENT, f"{information_schema.SCHEMA} is SQE's own schema.", at
        )
    return schema


def _drop_table(command: DropTable, call: CommandCall) -> list[Row]:
    target = call.target
    if isinstance(target, BoundTable) and not target.suffix:
        with _absence_is_fine(command.if_exists):
            call.open(target.name.catalog).drop_table(target.ident, purge=command.purge)
    elif isinstance(target, BoundAbsent):
        _absent(target, command.if_exists, ErrorCode.TABLE_NOT_FOUND, call)
    elif isinstance(target, BoundView):
        kind = "a view" if target.relation else "a temporary view"
        raise _argument_error(
            call, f"{target.relation or target.name} is {kind}.", "Use DROP VIEW."
        )
    else:
        raise _argument_error(call, f"{_name_as_written(call)} is not a table that can be dropped.")
    return []


def _drop_view(command: DropView, call: CommandCall) -> list[Row]:
    target = call.target
    if isinstance(target, BoundView) and target.relation is None:
        call.session.forget_view(target.name)
    elif isinstance(target, BoundView) and target.relation is not None:
        ident = Ident(target.relation.schema.path, target.relation.name)
        with _absence_is_fine(command.if_exists):
            call.open(target.relation.catalog).drop_view(ident)
    elif isinstance(target, BoundAbsent):
        _absent(target, command.if_exists, ErrorCode.VIEW_NOT_FOUND, call)
    elif isinstance(target, BoundTable) and not target.suffix:
        raise _argument_error(call, f"{target.name} is a table.", "Use DROP TABLE.")
    else:
        raise _argument_error(call, f"{_name_as_written(call)} is not a view that can be dropped.")
    return []


def _absent(target: BoundAbsent, fine: bool, code: ErrorCode, call: CommandCall) -> None:
    if not fine:
        kind = "view" if code is ErrorCode.VIEW_NOT_FOUND else "table"
        raise call.error(code, f"There is no {kind} {target.name}.", call.reference.reference.span)


def _argument_error(call: CommandCall, message: str, hint: str = "") -> UserError:
    return call.error(ErrorCode.INVALID_ARGUMENT, message, call.reference.reference.span, hint)


def _name_as_written(call: CommandCall) -> str:
    return ".".join(call.reference.reference.parts)


DDL: dict[type[Command], Answer] = {
    CreateSchema: answer((), _create_schema),
    DropSchema: answer((), _drop_schema),
    DropTable: answer((), _drop_table),
    DropView: answer((), _drop_view),
}
