"""CALL before it reaches Spark: the table, the places and the ages it names are checked here."""

from __future__ import annotations

import datetime
import re

from sqe.binding.bound import BoundTable
from sqe.broker.handles import CATALOG
from sqe.catalog.protocol import Catalogs
from sqe.engines.spark.neighbours import check_neighbours
from sqe.errors import ErrorCode, UserError
from sqe.maintenance.floors import Floors, check_expiry, check_orphans
from sqe.model.names import string_literal
from sqe.rewrite.guarded import GuardedStatement
from sqe.sessions.session import Session
from sqe.sql.arguments import Moment, timestamp_literal
from sqe.sql.call import Argument, ProcedureCall
from sqe.sql.procedures import Procedure
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, position_at

_BELOW = re.compile(r"(?:/[\w.,=+@-]+)+\Z")  # nothing that Hadoop would read as a pattern
_UNCHECKED = frozenset({"table"})  # replaced by its handle


def call_edits(statement: GuardedStatement, session: Session) -> list[Edit]:
    """What is written differently for Spark: the catalog, and strings and moments as SQE read
    them, so that what was checked is what runs."""
    call = _call(statement)
    if call is None:
        return []
    zone = session.property("sqe.time_zone")
    edits = [Edit(call.prefix, f"{CATALOG}.system.{call.procedure.name}")]
    for argument in call.arguments:
        if isinstance(argument.value, Moment):
            edits.append(Edit(argument.span, timestamp_literal(argument.value.at(zone))))
        elif isinstance(argument.value, str) and argument.parameter.name not in _UNCHECKED:
            edits.append(Edit(argument.span, string_literal(argument.value)))
    if _is_listed_by_prefix(call, statement):
        end = call.arguments[-1].span.end
        edits.append(Edit(Span(end, end), ", prefix_listing => true"))
    return edits


def _is_listed_by_prefix(call: ProcedureCall, statement: GuardedStatement) -> bool:
    """Iceberg would list the folder with Hadoop, which has no file system for an object store;
    the table's own files are reached with the keys that the catalog gave for it."""
    if call.procedure.name != "remove_orphan_files" or call.span("prefix_listing") is not None:
        return False
    loaded = _table(call, statement).loaded
    return loaded is not None and not loaded.on_disk


def check_call(
    statement: GuardedStatement, session: Session, catalogs: Catalogs, floors: Floors
) -> Procedure | None:
    """The procedure, or None where the statement is no CALL. Raises what is wrong."""
    call = _call(statement)
    if call is None:
        return None
    text = statement.bound.statement.text
    table = _table(call, statement)
    assert table.loaded is not None  # noqa: S101  only a table to be created has none
    metadata = table.loaded.metadata
    for argument in call.arguments:
        if argument.parameter.inside and argument.value is not None:
            _check_place(argument, str(metadata["location"]), text)
    now = datetime.datetime.now(datetime.UTC)
    zone = session.property("sqe.time_zone")
    older_than = call.value("older_than")
    moment = older_than.at(zone) if isinstance(older_than, Moment) else None
    try:
        if call.procedure.name == "expire_snapshots":
            check_expiry(metadata, moment, call.value("snapshot_ids") or (), floors.snapshots, now)
        elif call.procedure.name == "remove_orphan_files":
            check_orphans(moment, floors.orphans, now)
    except UserError as error:
        at = call.span("older_than") or call.prefix
        error.position = position_at(text, at.start, at.of(text))
        raise
    if call.procedure.name == "remove_orphan_files":
        location = call.value("location") or str(metadata["location"])
        check_neighbours(table, location, catalogs.open(table.name.catalog, session.identity))
    return call.procedure


def _call(statement: GuardedStatement) -> ProcedureCall | None:
    command = statement.bound.statement.command
    return command if isinstance(command, ProcedureCall) else None


def _table(call: ProcedureCall, statement: GuardedStatement) -> BoundTable:
    [reference] = statement.bound.references
    target = reference.target
    text = statement.bound.statement.text
    span = reference.reference.span
    where = position_at(text, span.start, span.of(text))
    if not isinstance(target, BoundTable) or target.suffix:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"{'.'.join(reference.reference.parts)} is not a table; {call.procedure.name} takes "
            "one.",
            position=where,
        )
    if call.catalog and call.catalog.lower() != target.name.catalog.lower():
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{target.name} is not a table of catalog {call.catalog}.",
            hint=f"CALL {target.name.catalog}.system.{call.procedure.name}(…)",
            position=where,
        )
    return target


def is_inside(place: str, location: str) -> bool:
    """Whether the place is the location or certainly below it, written as the location is."""
    own = location.rstrip("/")
    rest = place.removeprefix(own).rstrip("/")
    if not own or not place.startswith(own):
        return False
    return not rest or (_BELOW.match(rest) is not None and ".." not in rest)


def _check_place(argument: Argument, location: str, text: str) -> None:
    if not is_inside(str(argument.value), location):
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{argument.parameter.name} has to be inside of the table's own location, {location}.",
            position=position_at(text, argument.span.start, argument.span.of(text)),
        )
