"""What a refresh has to do, and why: from the metadata of the view and of its sources alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqe.binding.bound import BoundStatement, BoundTable, BoundView
from sqe.catalog.materialized import Source, State, current_snapshot_id, source_of
from sqe.catalog.protocol import Json
from sqe.model.names import RelationName
from sqe.sql.linear import Branch, NotLinear, branches_of, fingerprint, unstable_word
from sqe.sql.statement import Span

FULL, INCREMENTAL, NONE = "full", "incremental", "none"
_APPEND, _REPLACE = "append", "replace"  # a replace rewrites files and leaves the rows alone


@dataclass(frozen=True)
class Inputs:
    """What a view's query reads, as it was bound: this is what Spark will read too."""

    sources: tuple[Source, ...]
    metadata: Mapping[RelationName, Json]
    views: tuple[tuple[RelationName, str], ...]


@dataclass(frozen=True)
class Reading:
    """At this place of the query, only rows appended after ``start``, up to ``end``: no row, if
    they are the same.

    Spark loads a table once for all places of a query that name it, with the options of the first:
    options must be the same wherever a table stands. So no row is not said by options, and a table
    with new rows drives every SELECT it stands in.
    """

    span: Span
    start: int
    end: int

    @property
    def clause(self) -> str:
        if self.start == self.end:
            return " TABLESAMPLE (0 ROWS)"
        return f" WITH (`start-snapshot-id` = '{self.start}', `end-snapshot-id` = '{self.end}')"


@dataclass(frozen=True)
class Plan:
    """``readings`` are of an incremental refresh."""

    kind: str
    reason: str
    readings: tuple[Reading, ...] = ()


class _Full(Exception):
    """Everything has to be computed again; the message says why."""


def inputs_of(inner: BoundStatement) -> Inputs:
    metadata: dict[RelationName, Json] = {}
    views: dict[RelationName, str] = {}
    for reference in inner.walk():
        target = reference.target
        if isinstance(target, BoundTable) and target.loaded is not None:
            metadata[target.name] = target.loaded.metadata
        elif isinstance(target, BoundView) and target.relation is not None:
            views[target.relation] = fingerprint(target.inner.statement.text)
    sources = tuple(
        source_of(name, metadata_of_source) for name, metadata_of_source in sorted(metadata.items())
    )
    return Inputs(sources, metadata, tuple(sorted(views.items())))


def plan_refresh(
    view: Json, state: State, inner: BoundStatement, inputs: Inputs, time_zone: str
) -> Plan:
    try:
        return _plan(view, state, inner, inputs, time_zone)
    except _Full as why:
        return Plan(FULL, str(why))
    except NotLinear as why:
        return Plan(FULL, f"the query cannot be refreshed by parts: {why}")


def _plan(view: Json, state: State, inner: BoundStatement, inputs: Inputs, time_zone: str) -> Plan:
    if not _is_untouched(view, state):
        raise _Full("the stored rows were changed by something other than a refresh")
    word = unstable_word(inner.statement.text)
    if word:
        raise _Full(f"the query has {word}, which may answer differently each time")
    if state.time_zone != time_zone:
        raise _Full(f"the last refresh was in the time zone {state.time_zone}")
    if inputs.views != state.views:
        raise _Full("a view that the query reads was changed")
    before = {source.name: source for source in state.sources}
    if before.keys() != {source.name for source in inputs.sources}:
        raise _Full("the query reads other tables than before")
    changed = {
        source.name: start
        for source in inputs.sources
        if (
            start := _snapshot_before_appends(
                before[source.name], source, inputs.metadata[source.name]
            )
        )
        != _SAME
    }
    if not changed:
        moved = any(before[source.name] != source for source in inputs.sources)
        return Plan(NONE, "files were rewritten, no rows changed" if moved else "nothing changed")
    if inputs.views:
        raise NotLinear("it reads a view")
    readings = tuple(_readings(inner, inputs, changed))
    names = ", ".join(str(name) for name in sorted(changed))
    return Plan(INCREMENTAL, f"rows were only added to {names}", readings)


def _is_untouched(view: Json, state: State) -> bool:
    """Whether the newest snapshot with a change of rows is the one that the last refresh made."""
    snapshots = {snapshot["snapshot-id"]: snapshot for snapshot in view.get("snapshots") or ()}
    current = snapshots.get(current_snapshot_id(view))
    while current is not None and _operation(current) == _REPLACE:
        current = snapshots.get(current.get("parent-snapshot-id"))
    return current is not None and current.get("parent-snapshot-id") == state.base


def _operation(snapshot: Json) -> str:
    return str((snapshot.get("summary") or {}).get("operation", ""))


_SAME = -1  # no rows were added; Iceberg's snapshot ids are positive
_FROM_THE_START = -2


def _snapshot_before_appends(before: Source, now: Source, metadata: Json) -> int:
    """The snapshot behind which rows were added, if nothing else happened to the table's rows."""
    if before.uuid != now.uuid:
        raise _Full(f"{now.name} was dropped and made again")
    if before.schema_id != now.schema_id:
        raise _Full(f"the columns of {now.name} have changed")
    snapshots = {entry["snapshot-id"]: entry for entry in metadata.get("snapshots") or ()}
    current = now.snapshot
    added = False
    while current != before.snapshot:
        snapshot = snapshots.get(current)
        if snapshot is None:
            raise _Full(f"the history of {now.name} since the last refresh is gone")
        if _operation(snapshot) not in (_APPEND, _REPLACE):
            raise _Full(f"rows of {now.name} were changed or removed")
        added = added or _operation(snapshot) == _APPEND
        current = snapshot.get("parent-snapshot-id")
    if not added:
        return _SAME
    return _FROM_THE_START if before.snapshot is None else before.snapshot


def _readings(
    inner: BoundStatement, inputs: Inputs, changed: Mapping[RelationName, int]
) -> Iterable[Reading]:
    names = {
        reference.reference.span: reference.target.name
        for reference in inner.references
        if isinstance(reference.target, BoundTable)
    }
    now = {source.name: source.snapshot for source in inputs.sources}
    for branch in branches_of(inner.statement):
        reading = _reading_of_branch(branch, names, now, changed)
        if reading is not None:
            yield reading


def _reading_of_branch(
    branch: Branch,
    names: Mapping[Span, RelationName],
    now: Mapping[RelationName, int | None],
    changed: Mapping[RelationName, int],
) -> Reading | None:
    """What drives a SELECT: its changed table, read from the last refresh on. A SELECT without one
    has nothing new, so its first table is read from now on, which is no row."""
    if any(span not in names for span in (*branch.relations, *branch.optional)):
        raise NotLinear("it reads something other than tables by name")
    for span in branch.optional:
        if names[span] in changed:
            raise _Full(f"{names[span]}, the right side of a left join, has new rows")
    driving = [span for span in branch.relations if names[span] in changed]
    if len(driving) > 1:
        raise _Full("more than one table of a join has new rows")
    span = driving[0] if driving else branch.relations[0]
    end = now[names[span]]
    start = changed[names[span]] if driving else end
    if end is None or start is None or start == _FROM_THE_START:
        return None  # all rows of the table are new, or it has none
    return Reading(span, start, end)
