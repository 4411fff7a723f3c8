"""What a refresh has to do, told from metadata alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from sqe.binding.bound import BoundReference, BoundStatement, BoundTable
from sqe.catalog.materialized import (
    DEFINITION,
    STATE,
    Definition,
    State,
    read_definition,
    read_state,
)
from sqe.catalog.protocol import Ident, Loaded
from sqe.coordinator.matviews.plan import Plan, inputs_of, plan_refresh
from sqe.coordinator.matviews.spark_plan import row_by_row
from sqe.errors import UpstreamError
from sqe.model.names import RelationName, SchemaName
from sqe.sql.parse import parse

SCHEMA = SchemaName("lake", ("s",))


def _metadata(operations: Sequence[str], first: int = 1, uuid: str = "u", schema: int = 0) -> Any:
    """Snapshots 1, 2, … with these operations, of which those before ``first`` have expired."""
    snapshots = [
        {
            "snapshot-id": number,
            "parent-snapshot-id": number - 1 or None,
            "summary": {"operation": operation},
        }
        for number, operation in enumerate(operations, 1)
        if number >= first
    ]
    return {
        "table-uuid": uuid,
        "current-schema-id": schema,
        "current-snapshot-id": len(operations) or None,
        "snapshots": snapshots,
    }


def _bound(query: str, **tables: Any) -> BoundStatement:
    statement = parse(query)
    references = []
    for reference in statement.references:
        name = RelationName(SCHEMA, reference.parts[-1])
        loaded = Loaded(json.dumps(tables[name.name]).encode())
        references.append(
            BoundReference(reference, BoundTable(name, Ident(("s",), name.name), loaded))
        )
    return BoundStatement(statement, tuple(references))


def _plan(query: str, view: Any = None, zone: str = "UTC", **tables: tuple[Any, Any]) -> Plan:
    before = _bound(query, **{name: pair[0] for name, pair in tables.items()})
    state = State(inputs_of(before).sources, 0, "full", None, "UTC")
    now = _bound(query, **{name: pair[1] for name, pair in tables.items()})
    return plan_refresh(view or _metadata(["append"]), state, now, inputs_of(now), zone)


ONE = _metadata(["append"])
TWO = _metadata(["append", "append"])


def test_appends_are_read_from_where_the_last_refresh_ended() -> None:
    plan = _plan("SELECT a FROM t", t=(ONE, TWO))
    assert plan.kind == "incremental"
    assert [(one.start, one.end) for one in plan.readings] == [(1, 2)]
    assert plan.readings[0].clause == " WITH (`start-snapshot-id` = '1', `end-snapshot-id` = '2')"


def test_nothing_new_is_nothing_to_do() -> None:
    assert _plan("SELECT count(*) FROM t", t=(ONE, ONE)).kind == "none"
    replaced = _metadata(["append", "replace"])
    assert _plan("SELECT count(*) FROM t", t=(ONE, replaced)).kind == "none"


def test_of_a_union_the_unchanged_part_gives_no_rows() -> None:
    plan = _plan("SELECT a FROM t UNION ALL SELECT a FROM u", t=(ONE, TWO), u=(TWO, TWO))
    assert [(one.start, one.end) for one in plan.readings] == [(1, 2), (2, 2)]
    assert plan.readings[1].clause == " TABLESAMPLE (0 ROWS)"


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (_metadata(["append", "delete"]), "changed or removed"),
        (_metadata(["append", "overwrite", "append"]), "changed or removed"),
        (_metadata(["append", "append", "append"], first=3), "is gone"),
        (_metadata([]), "is gone"),
        (_metadata(["append", "append"], uuid="other"), "made again"),
        (_metadata(["append", "append"], schema=1), "columns"),
    ],
)
def test_anything_but_appends_is_a_full_refresh(now: Any, reason: str) -> None:
    plan = _plan("SELECT a FROM t", t=(ONE, now))
    assert plan.kind == "full"
    assert reason in plan.reason


def test_two_changed_sides_of_a_join_are_a_full_refresh() -> None:
    query = "SELECT 1 FROM t JOIN u ON t.a = u.a"
    assert "more than one" in _plan(query, t=(ONE, TWO), u=(ONE, TWO)).reason
    assert _plan(query, t=(ONE, TWO), u=(ONE, ONE)).kind == "incremental"
    assert "more than one" in _plan("SELECT 1 FROM t JOIN t AS w ON t.a = w.a", t=(ONE, TWO)).reason


def test_a_view_that_something_else_changed_is_made_anew() -> None:
    written = _metadata(["append", "append"])
    assert "other than a refresh" in _plan("SELECT a FROM t", view=written, t=(ONE, ONE)).reason
    compacted = _metadata(["append", "replace"])
    assert _plan("SELECT a FROM t", view=compacted, t=(ONE, ONE)).kind == "none"
    assert _plan("SELECT a FROM t", zone="Asia/Tokyo", t=(ONE, ONE)).kind == "full"


def test_definition_and_state_come_back_as_written() -> None:
    definition = Definition("SELECT 'ä' AS a", SCHEMA, ("a",))
    inputs = inputs_of(_bound("SELECT a FROM t", t=TWO))
    views = ((RelationName(SCHEMA, "v"), "abc"),)
    state = State(inputs.sources, 123, "full", 7, "UTC", views)
    metadata = {"properties": {DEFINITION: definition.to_json(), STATE: state.to_json()}}
    assert (read_definition(metadata), read_state(metadata)) == (definition, state)
    with pytest.raises(UpstreamError):
        read_state({"properties": {STATE: "{}"}})


def test_only_plans_of_rows_for_rows_pass() -> None:
    head, tail = "== Analyzed Logical Plan ==\na: int\n", "\n== Optimized Logical Plan ==\n"
    simple = "Project [a#1]\n+- Filter (a#1 > 0)\n   +- SubqueryAlias t\n      +- RelationV2[a#1] t"
    assert row_by_row(head + simple + tail)
    assert not row_by_row(head + simple.replace("Filter", "Aggregate") + tail)
    assert not row_by_row(head + simple + "\nx" + tail)
    assert not row_by_row(head.rstrip("\n") + tail)
