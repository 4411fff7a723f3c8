"""SHOW PROCEDURES, and the procedure that is the catalog's and not Spark's: register_table."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.binding.bound import BoundAbsent
from sqe.catalog.overlaps import table_around
from sqe.catalog.protocol import Ident
from sqe.coordinator.call import Answer, CommandCall, Row, answer, strings
from sqe.errors import ErrorCode
from sqe.sql.call import RegisterTable
from sqe.sql.commands import ShowProcedures
from sqe.sql.procedures import RUNNABLE
from sqe.sql.statement import Command


def _show(command: ShowProcedures, call: CommandCall) -> Iterator[Row]:
    for procedure in sorted(RUNNABLE, key=lambda one: one.name):
        if command.pattern is None or command.pattern.matches(procedure.name):
            yield procedure.name, f"CALL system.{procedure.signature}", procedure.about


def _register(command: RegisterTable, call: CommandCall) -> Iterator[Row]:
    target = call.target
    place = call.reference.reference.span
    if not isinstance(target, BoundAbsent):  # bind lets nothing else through
        raise call.error(ErrorCode.TABLE_ALREADY_EXISTS, "The table exists already.", place)
    if command.catalog and command.catalog.lower() != target.name.catalog.lower():
        raise call.error(
            ErrorCode.INVALID_ARGUMENT,
            f"{target.name} would not be a table of catalog {command.catalog}.",
            place,
        )
    catalog = call.open(target.name.catalog)
    file = str(command.value("metadata_file"))
    # Two tables over the same files: the upkeep of one would delete what the other needs, and
    # whoever may not see one could read it as the other.
    owner = table_around(call.whole.open(target.name.catalog, call.session.identity), file)
    if owner is not None:
        shown = owner.name in catalog.list_tables(owner.namespace)
        raise call.error(
            ErrorCode.INVALID_ARGUMENT,
            f"{file} belongs to {f'the table {owner}' if shown else 'another table'}.",
            command.span("metadata_file"),
            "Drop that table (without PURGE) before its metadata is registered again.",
        )
    ident = Ident(target.name.schema.path, target.name.name)
    request = {"name": ident.name, "metadata-location": file}
    metadata = catalog.register_table(ident.namespace, request).metadata
    current = metadata.get("current-snapshot-id")
    snapshots = {snapshot["snapshot-id"]: snapshot for snapshot in metadata.get("snapshots") or ()}
    summary = snapshots.get(current, {}).get("summary") or {}
    counts = (summary.get(key) for key in ("total-records", "total-data-files"))
    known = current if current in snapshots else None
    yield known, *(None if count is None else int(count) for count in counts)


PROCEDURE_ANSWERS: dict[type[Command], Answer] = {
    ShowProcedures: answer(strings("procedure_name", "usage", "description"), _show),
    RegisterTable: Answer(lambda command: command.procedure.result, _register),
}
