"""SHOW MATERIALIZED VIEWS, SHOW CREATE MATERIALIZED VIEW, DROP MATERIALIZED VIEW."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from sqe.binding.bound import BoundAbsent
from sqe.catalog.materialized import (
    DEFINITION,
    STATE,
    Source,
    State,
    is_materialized,
    read_definition,
    read_state,
    source_of,
)
from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.catalog.schemas import current_schema, view_text
from sqe.coordinator.call import Answer, CommandCall, Row, answer, is_information_schema, strings
from sqe.coordinator.matviews.checks import view_of
from sqe.coordinator.partitions import parts_of
from sqe.errors import ABSENT, AccessError, ErrorCode, SqeError
from sqe.model.names import RelationName, quote, string_literal
from sqe.model.query import Column
from sqe.sql.linear import fingerprint, unstable_word
from sqe.sql.materialized import (
    DropMaterializedView,
    ShowCreateMaterializedView,
    ShowMaterializedViews,
)
from sqe.sql.statement import Command

FRESH, STALE, UNKNOWN = "fresh", "stale", "unknown"
_LEFT_OUT = frozenset({"comment", "location", "provider", "owner", "created-at"})


def _show(command: ShowMaterializedViews, call: CommandCall) -> Iterator[Row]:
    schema = call.require_schema(command.schema)
    if not schema.path or is_information_schema(schema):
        return
    catalog = call.open(schema.catalog)
    for name in sorted(catalog.list_tables(schema.path)):
        if command.pattern is not None and not command.pattern.matches(name):
            continue
        call.run.cancellation.check()
        try:
            loaded = catalog.load_table(Ident(schema.path, name))
        except SqeError:  # gone since, or not this user's to see
            continue
        if is_materialized(loaded.metadata):
            yield _row(RelationName(schema, name), loaded, call)


def _row(name: RelationName, loaded: Loaded, call: CommandCall) -> Row:
    """Of sources that the user does not see all of nothing is told: how far the view is behind
    them tells when their rows change."""
    metadata = loaded.metadata
    state = read_state(metadata)
    shown = _sees(name, loaded, call) and all(
        _sees_source(state_source, call) for state_source in state.sources
    )
    freshness = _freshness(metadata, state, call) if shown else UNKNOWN
    sources = ", ".join(_behind(source, call) for source in state.sources) if shown else ""
    when = dt.datetime.fromtimestamp(state.refreshed_ms / 1000, dt.UTC)
    schema = ".".join(quote(part) for part in name.schema.path)
    return schema, name.name, freshness, when, state.kind, sources


def _sees(name: RelationName, loaded: Loaded, call: CommandCall) -> bool:
    """Whether the user sees all of a table."""
    return call.redaction(call.session.identity, name, loaded, False) is loaded.metadata


def _sees_source(source: Source, call: CommandCall) -> bool:
    """Of one that is gone there are no rows to be told of."""
    name = source.name
    try:
        loaded = call.open(name.catalog).load_table(Ident(name.schema.path, name.name))
    except SqeError as error:
        return error.code in ABSENT
    return _sees(name, loaded, call)


def _freshness(metadata: Json, state: State, call: CommandCall) -> str:
    if unstable_word(read_definition(metadata).text):
        return UNKNOWN
    try:
        for name, stored_fingerprint in state.views:
            loaded = call.open(name.catalog).load_view(Ident(name.schema.path, name.name))
            if fingerprint(view_text(loaded.metadata) or "") != stored_fingerprint:
                return STALE
        if any(source != _now(source, call) for source in state.sources):
            return STALE
    except SqeError as error:
        return STALE if error.code in ABSENT else UNKNOWN
    return FRESH


def _now(source: Source, call: CommandCall) -> Source:
    return source_of(source.name, _load(source, call))


def _load(source: Source, call: CommandCall) -> Json:
    name = source.name
    return call.open(name.catalog).load_table(Ident(name.schema.path, name.name)).metadata


def _behind(source: Source, call: CommandCall) -> str:
    """``lake.hr.emp (3 snapshots behind)``, as far as the table's history tells."""
    try:
        metadata = _load(source, call)
    except SqeError as error:
        what = "is gone" if error.code in ABSENT else "cannot be read"
        return f"{source.name} at {source.snapshot} ({what})"
    now = source_of(source.name, metadata)
    if now.uuid != source.uuid:
        return f"{source.name} at {source.snapshot} (is another table now)"
    parents = {
        snapshot["snapshot-id"]: snapshot.get("parent-snapshot-id")
        for snapshot in metadata.get("snapshots") or ()
    }
    count, current = 0, now.snapshot
    while current is not None and current != source.snapshot and current in parents:
        count, current = count + 1, parents[current]
    behind = f"{count} behind" if current == source.snapshot else "not in its history"
    return f"{source.name} at {source.snapshot} ({behind})"


def _show_create(command: ShowCreateMaterializedView, call: CommandCall) -> Iterator[Row]:
    target, metadata = view_of(call.statement)
    if call.statement.restriction(call.reference) is not None:
        raise AccessError(
            ErrorCode.ACCESS_DENIED, f"You see only part of {target.name}; its query tells more."
        )
    names = ", ".join(quote(field["name"]) for field in current_schema(metadata)["fields"])
    lines = [f"CREATE MATERIALIZED VIEW {target.name} ({names})"]
    parts = parts_of(metadata)
    if parts:
        lines.append(f"PARTITIONED BY ({', '.join(part.text for part in parts)})")
    properties: dict[str, str] = dict(metadata.get("properties") or {})
    if properties.get("comment"):
        lines.append(f"COMMENT {string_literal(properties['comment'])}")
    kept = {k: v for k, v in properties.items() if k not in {*_LEFT_OUT, DEFINITION, STATE}}
    if kept:
        pairs = (f"  {string_literal(k)} = {string_literal(v)}" for k, v in sorted(kept.items()))
        lines.append("TBLPROPERTIES (\n" + ",\n".join(pairs) + ")")
    yield ("\n".join([*lines, "AS", read_definition(metadata).text]),)


def _drop(command: DropMaterializedView, call: CommandCall) -> list[Row]:
    target = call.target
    if isinstance(target, BoundAbsent):
        if command.if_exists:
            return []
        raise call.error(
            ErrorCode.TABLE_NOT_FOUND,
            f"There is no materialized view {target.name}.",
            call.reference.reference.span,
        )
    view, _ = view_of(call.statement)
    call.open(view.name.catalog).drop_table(view.ident)
    return []


SHOWN = (
    *strings("namespace", "name", "freshness"),
    Column("last_refreshed", "timestamp"),
    *strings("last_kind", "sources"),
)

MATERIALIZED: dict[type[Command], Answer] = {
    ShowMaterializedViews: answer(SHOWN, _show),
    ShowCreateMaterializedView: answer(strings("createtab_stmt"), _show_create),
    DropMaterializedView: answer((), _drop),
}
