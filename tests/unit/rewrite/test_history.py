"""Which of today's columns an older state has, by their ids."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from sqe.binding.bound import BoundTable
from sqe.catalog.protocol import Ident, Loaded
from sqe.catalog.schemas import columns_of
from sqe.errors import AccessError, ErrorCode
from sqe.model.names import RelationName, SchemaName
from sqe.rewrite.history import columns_read

NAME = RelationName(SchemaName("lake", ("s",)), "t")


def _schema(number: int, **ids: int) -> dict[str, Any]:
    fields = [
        {"id": one, "name": name, "type": "int", "required": False} for name, one in ids.items()
    ]
    return {"type": "struct", "schema-id": number, "fields": fields}


def _table(*schemas: dict[str, Any], suffix: tuple[str, ...] = ()) -> BoundTable:
    """Its last schema is today's; there is a snapshot 10, 11, … for each, a tag of the first one
    and a branch."""
    metadata = {
        "format-version": 2,
        "current-schema-id": schemas[-1]["schema-id"],
        "schemas": list(schemas),
        "snapshots": [
            {"snapshot-id": 10 + place, "schema-id": schema["schema-id"]}
            for place, schema in enumerate(schemas)
        ],
        "refs": {
            "first": {"type": "tag", "snapshot-id": 10},
            "side": {"type": "branch", "snapshot-id": 10},
        },
    }
    loaded = Loaded(json.dumps(metadata).encode(), "file:///m.json")
    return BoundTable(NAME, Ident(("s",), "t"), loaded, columns_of(metadata), suffix)


def _read(table: BoundTable, travel: str = "") -> list[str]:
    return [column.name for column in columns_read(table, travel)]


OLD, NEW = _schema(0, a=1, b=2), _schema(1, a=1, b=2, c=3)
SWAPPED = _schema(2, a=2, b=1)
FIRST = [
    " VERSION AS OF 10",
    " version as of '10'",
    " FOR VERSION AS OF 'first'",
    " FOR SYSTEM_VERSION AS OF 10 ",
]


@pytest.mark.parametrize("travel", FIRST)
def test_columns_that_came_later_are_not_there(travel: str) -> None:
    assert _read(_table(OLD, NEW), travel) == ["a", "b"]
    assert _read(_table(OLD, NEW, suffix=("tag_first",))) == ["a", "b"]


def test_today_and_branches_have_todays_columns() -> None:
    assert _read(_table(OLD, NEW)) == ["a", "b", "c"]
    assert _read(_table(OLD, NEW), " VERSION AS OF 11") == ["a", "b", "c"]
    assert _read(_table(OLD, NEW), " VERSION AS OF 'side'") == ["a", "b", "c"]
    assert _read(_table(OLD, NEW, suffix=("branch_side",))) == ["a", "b", "c"]


def test_columns_that_are_gone_are_not_there() -> None:
    assert _read(_table(NEW, OLD), " VERSION AS OF 10") == ["a", "b"]


@pytest.mark.parametrize("travel", FIRST)
@pytest.mark.parametrize(
    "now",
    [
        SWAPPED,
        _schema(2, a=1, x=2),  # b has another name
        _schema(2, a=1, b=7),  # another b
        _schema(2, a=1, B=7),
    ],
)
def test_a_name_that_meant_another_column_is_refused(now: dict[str, Any], travel: str) -> None:
    with pytest.raises(AccessError) as raised:
        _read(_table(OLD, now), travel)
    assert raised.value.code is ErrorCode.ACCESS_DENIED


@pytest.mark.parametrize(
    "travel",
    [
        " TIMESTAMP AS OF '2024-01-01'",
        " TIMESTAMP AS OF now()",
        " VERSION AS OF 'gone'",
        " VERSION AS OF 99",
        " WITH ('start-snapshot-id' = '10')",
    ],
)
def test_where_it_is_not_said_which_state_is_meant_all_must_agree(travel: str) -> None:
    assert _read(_table(OLD), travel) == ["a", "b"]
    for schemas in ((OLD, NEW), (OLD, SWAPPED)):
        with pytest.raises(AccessError):
            _read(_table(*schemas), travel)


def test_what_is_read_by_a_name_and_a_version_must_agree_as_well() -> None:
    with pytest.raises(AccessError):
        _read(_table(OLD, NEW, suffix=("tag_first",)), " VERSION AS OF 11")


def test_another_table_beside_it_may_be_of_any_state() -> None:
    assert _read(_table(OLD, suffix=("files",))) == ["a", "b"]
    with pytest.raises(AccessError):
        _read(_table(OLD, NEW, suffix=("files",)))


@pytest.mark.parametrize(
    "known",
    [
        {},
        {"snapshots": None, "refs": None},
        {"snapshots": [{"snapshot-id": 10}], "refs": {"first": {"type": "tag", "snapshot-id": 10}}},
        {"snapshots": [{"snapshot-id": 10, "schema-id": None}]},
    ],
    ids=str,
)
@pytest.mark.parametrize("travel", FIRST)
def test_what_a_catalog_does_not_tell_may_be_any_state(known: dict[str, Any], travel: str) -> None:
    def table(*schemas: dict[str, Any]) -> BoundTable:
        made = _table(*schemas)
        metadata = {k: v for k, v in made.metadata.items() if k not in ("snapshots", "refs")}
        loaded = Loaded(json.dumps({**metadata, **known}).encode(), "file:///m.json")
        return replace(made, loaded=loaded)

    assert _read(table(OLD), travel) == ["a", "b"]
    with pytest.raises(AccessError):
        _read(table(OLD, NEW), travel)


def test_a_catalog_without_a_history_tells_nothing() -> None:
    made = _table(OLD)
    metadata = {"schema": OLD}  # as the first version of the format has it
    old = replace(made, loaded=Loaded(json.dumps(metadata).encode(), "file:///m.json"))
    with pytest.raises(AccessError):
        _read(old, " VERSION AS OF 10")
