"""How an older state is read: under today's names, by the columns' ids."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from sqe.binding.bound import BoundTable
from sqe.catalog.protocol import Ident, Loaded
from sqe.catalog.schemas import columns_of
from sqe.errors import AccessError, ErrorCode, UserError
from sqe.model.names import RelationName, SchemaName
from sqe.rewrite.history import State, Wanted, find_state

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
        "snapshot-log": [
            {"snapshot-id": 10 + place, "timestamp-ms": 1000 * (1 + place)}
            for place in range(len(schemas))
        ],
        "refs": {
            "first": {"type": "tag", "snapshot-id": 10},
            "side": {"type": "branch", "snapshot-id": 10},
        },
    }
    loaded = Loaded(json.dumps(metadata).encode(), "file:///m.json")
    return BoundTable(NAME, Ident(("s",), "t"), loaded, columns_of(metadata), suffix)


def _state(table: BoundTable, travel: str = "", asked: str = "", shown: str = "abcx") -> State:
    return find_state(table, travel, Wanted(shown, asked), "UTC")


def _columns(table: BoundTable, travel: str = "") -> list[str]:
    return [column.name for column in _state(table, travel).columns]


def _refused(table: BoundTable, travel: str, **wanted: str) -> ErrorCode:
    with pytest.raises((AccessError, UserError)) as raised:
        _state(table, travel, **wanted)
    return raised.value.code


OLD, NEW = _schema(0, a=1, b=2), _schema(1, a=1, b=2, c=3)
FIRST = [
    " VERSION AS OF 10",
    " version as of '10'",
    " FOR VERSION AS OF 'first'",
    " FOR SYSTEM_VERSION AS OF 10 ",
]


@pytest.mark.parametrize("travel", FIRST)
def test_columns_that_came_later_are_not_there(travel: str) -> None:
    assert _columns(_table(OLD, NEW), travel) == ["a", "b"]
    assert _columns(_table(OLD, NEW, suffix=("tag_first",))) == ["a", "b"]
    assert _columns(_table(OLD, NEW, suffix=("snapshot_id_10",))) == ["a", "b"]
    assert _state(_table(OLD, NEW), travel) == State(travel, "", _table(OLD).columns)


def test_today_and_branches_have_todays_columns() -> None:
    assert _columns(_table(OLD, NEW)) == ["a", "b", "c"]
    assert _columns(_table(OLD, NEW), " VERSION AS OF 11") == ["a", "b", "c"]
    assert _columns(_table(OLD, NEW), " VERSION AS OF 'side'") == ["a", "b", "c"]
    assert _columns(_table(OLD, NEW, suffix=("branch_side",))) == ["a", "b", "c"]


def test_columns_that_are_gone_are_not_there() -> None:
    assert _columns(_table(NEW, OLD), " VERSION AS OF 10") == ["a", "b"]


@pytest.mark.parametrize(
    ("now", "columns", "items"),
    [
        (_schema(2, a=2, b=1), ["a", "b"], "b AS a, a AS b"),
        (_schema(2, a=1, x=2), ["a", "x"], "a AS a, b AS x"),
        (_schema(2, a=1, b=7), ["a"], ""),
        (_schema(2, a=1, c=3, b=2), ["a", "b"], ""),
    ],
)
def test_columns_have_todays_names(now: dict[str, Any], columns: list[str], items: str) -> None:
    state = _state(_table(OLD, now), " VERSION AS OF 10")
    assert [column.name for column in state.columns] == columns
    assert state.items == items


def test_what_a_rule_asks_about_and_was_not_there_is_null() -> None:
    state = _state(_table(OLD, NEW), " VERSION AS OF 10", asked="c")
    assert state.items == "a AS a, b AS b, CAST(NULL AS int) AS c"
    assert [column.name for column in state.columns] == ["a", "b"]
    other = _state(_table(_schema(0, a=1, c=9), NEW), " VERSION AS OF 10", asked="c", shown="a")
    assert other.items == "a AS a, CAST(NULL AS int) AS c"  # the old c is another column


def test_what_is_neither_shown_nor_asked_about_does_not_matter() -> None:
    renamed = _table(_schema(0, a=1, b=2), _schema(1, a=1, x=2))
    assert _state(renamed, " VERSION AS OF 10", shown="a").items == ""
    assert _state(renamed, " VERSION AS OF 10", shown="a", asked="x").items == "a AS a, b AS x"


def test_a_column_that_has_become_wider_has_its_type_of_today() -> None:
    wider = _schema(1, a=1, b=2)
    wider["fields"][1]["type"] = "long"
    state = _state(_table(_schema(0, x=1, b=2), wider), " VERSION AS OF 10")
    assert state.items == "x AS a, CAST(b AS bigint) AS b"


def test_a_rule_about_a_struct_whose_fields_have_changed_places_refuses() -> None:
    def of(number: int, **ids: int) -> dict[str, Any]:
        schema = _schema(number, a=1, b=2)
        inside = _schema(0, **ids)["fields"]
        schema["fields"][1]["type"] = {"type": "struct", "fields": inside}
        return schema

    table = _table(of(0, p=3, q=4), of(1, p=4, q=3))
    assert _refused(table, " VERSION AS OF 10", asked="b") is ErrorCode.ACCESS_DENIED
    assert _state(table, " VERSION AS OF 10", asked="a").items == ""
    same = _table(of(0, p=3, q=4), of(1, p=3, q=4))
    assert _state(same, " VERSION AS OF 10", asked="b").items == ""


def test_a_default_of_what_a_rule_asks_about_refuses() -> None:
    new = _schema(1, a=1, b=2, c=3)
    new["fields"][2]["initial-default"] = 5
    assert _refused(_table(OLD, new), " VERSION AS OF 10", asked="c") is ErrorCode.ACCESS_DENIED


@pytest.mark.parametrize(
    ("moment", "snapshot"),
    [("1", 10), ("1.999", 10), ("2", 11), ("now()", 11), ("'1970-01-01 00:00:01'", 10)],
)
def test_a_moment_is_the_last_snapshot_until_then(moment: str, snapshot: int) -> None:
    for words in ("TIMESTAMP AS OF", "FOR SYSTEM_TIME AS OF", "for timestamp as of"):
        state = _state(_table(OLD, NEW), f" {words} {moment}")
        assert state.travel == f" VERSION AS OF {snapshot}"
        assert len(state.columns) == (2 if snapshot == 10 else 3)


def test_a_moment_in_the_name_is_the_engines_to_read() -> None:
    table = _table(OLD, NEW, suffix=("at_timestamp_1999",))
    assert (_columns(table), _state(table).travel) == (["a", "b"], "")


@pytest.mark.parametrize("schemas", [(OLD,), (OLD, NEW), (OLD, _schema(2, a=2, b=1))])
@pytest.mark.parametrize(
    ("travel", "code"),
    [
        (" TIMESTAMP AS OF '1969-01-01'", ErrorCode.SNAPSHOT_NOT_FOUND),
        (" VERSION AS OF 'gone'", ErrorCode.SNAPSHOT_NOT_FOUND),
        (" VERSION AS OF 99", ErrorCode.SNAPSHOT_NOT_FOUND),
        (" TIMESTAMP AS OF concat('19', '70')", ErrorCode.NOT_SUPPORTED),
        (" VERSION AS OF concat('fir', 'st')", ErrorCode.NOT_SUPPORTED),
        (" /* */ VERSION AS OF 10", ErrorCode.NOT_SUPPORTED),
    ],
)
def test_what_is_not_there_or_not_plain_is_the_same_for_every_table(
    schemas: tuple[dict[str, Any], ...], travel: str, code: ErrorCode
) -> None:
    assert _refused(_table(*schemas), travel) is code


def test_a_state_is_said_once() -> None:
    table = _table(OLD, NEW, suffix=("tag_first",))
    assert _refused(table, " VERSION AS OF 11") is ErrorCode.NOT_SUPPORTED
    assert _refused(_table(OLD, suffix=("files",)), "") is ErrorCode.NOT_SUPPORTED


@pytest.mark.parametrize("travel", FIRST)
def test_without_a_schemas_number_engines_read_with_todays(travel: str) -> None:
    made = _table(OLD, NEW)
    snapshots = [{"snapshot-id": 10, "schema-id": None}]
    loaded = Loaded(json.dumps({**made.metadata, "snapshots": snapshots}).encode(), "file:///m")
    assert _columns(replace(made, loaded=loaded), travel) == ["a", "b", "c"]


@pytest.mark.parametrize("known", [{}, {"snapshots": None, "refs": None}], ids=str)
@pytest.mark.parametrize("travel", FIRST)
def test_what_a_catalog_does_not_tell_is_not_there(known: dict[str, Any], travel: str) -> None:
    made = _table(OLD, NEW)
    metadata = {k: v for k, v in made.metadata.items() if k not in ("snapshots", "refs")}
    loaded = Loaded(json.dumps({**metadata, **known}).encode(), "file:///m.json")
    assert _refused(replace(made, loaded=loaded), travel) is ErrorCode.SNAPSHOT_NOT_FOUND
