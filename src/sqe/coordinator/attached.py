"""CREATE, ALTER and DROP CATALOG, and SHOW CREATE CATALOG."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.coordinator.call import Answer, CommandCall, Row, answer, strings
from sqe.model.names import quote, string_literal
from sqe.sql.catalogs import AlterCatalog, CreateCatalog, DropCatalog, ShowCreateCatalog
from sqe.sql.statement import Command


def _create(command: CreateCatalog, call: CommandCall) -> Iterator[Row]:
    call.server.catalog_changes.create(
        call.session.identity,
        command.name,
        command.kind,
        dict(command.properties),
        if_not_exists=command.if_not_exists,
    )
    yield from ()


def _alter(command: AlterCatalog, call: CommandCall) -> Iterator[Row]:
    call.server.catalog_changes.alter(call.session.identity, command.name, dict(command.properties))
    yield from ()


def _drop(command: DropCatalog, call: CommandCall) -> Iterator[Row]:
    call.server.catalog_changes.drop(
        call.session.identity, command.name, if_exists=command.if_exists
    )
    yield from ()


def _show(command: ShowCreateCatalog, call: CommandCall) -> Iterator[Row]:
    kind, properties = call.server.catalog_changes.show(call.session.identity, command.name)
    text = f"CREATE CATALOG {quote(command.name)} USING {kind}"
    lines = [f"  `{key}` = {string_literal(value)}" for key, value in sorted(properties.items())]
    yield (text + (" WITH (\n" + ",\n".join(lines) + ")" if lines else ""),)


ATTACHED: dict[type[Command], Answer] = {
    CreateCatalog: answer((), _create),
    AlterCatalog: answer((), _alter),
    DropCatalog: answer((), _drop),
    ShowCreateCatalog: answer(strings("createcatalog_stmt"), _show),
}
