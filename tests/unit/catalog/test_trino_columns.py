"""Columns of stored tables and views in Trino's words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sqe.trino.dialect.metadata.types import trino_type
from sqe.trino.metadata.columns import trino_columns


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("int", "integer"),
        ("long", "bigint"),
        ("float", "real"),
        ("string", "varchar"),
        ("uuid", "uuid"),
        ("binary", "varbinary"),
        ("fixed[16]", "varbinary"),
        ("decimal(10, 2)", "decimal(10,2)"),
        ("time", "time(6)"),
        ("timestamp", "timestamp(6)"),
        ("timestamptz", "timestamp(6) with time zone"),
        ("timestamp_ns", "timestamp(9)"),
        ({"type": "list", "element": "date"}, "array(date)"),
        ({"type": "map", "key": "string", "value": "double"}, "map(varchar, double)"),
        (
            {"type": "struct", "fields": [{"name": "X y", "type": "boolean"}]},
            "row(X y boolean)",
        ),
    ],
)
def test_types_are_trinos(stored: Any, shown: str) -> None:
    assert trino_type(stored).display == shown


@pytest.mark.parametrize("stored", ["variant", "geometry", "unknown", {"type": "union"}])
def test_a_type_that_trino_does_not_have(stored: Any) -> None:
    with pytest.raises(ValueError, match="Trino has no type"):
        trino_type(stored)


def metadata(kept: str | None) -> dict[str, Any]:
    fields = [
        {"id": 1, "name": "Id", "type": "int", "required": True, "doc": ""},
        {"id": 2, "name": "b", "type": "string"},
    ]
    properties = {} if kept is None else {"trino.columns": kept}
    return {"schema": {"fields": fields}, "properties": properties}


def test_names_are_lower_case_and_comments_kept() -> None:
    first, second = trino_columns(metadata(None))
    assert (first.name, first.nullable, first.comment) == ("id", False, "")
    assert (second.name, second.nullable, second.comment) == ("b", True, None)


def test_a_view_keeps_the_types_it_was_made_with() -> None:
    kept = json.dumps(["integer", "varchar(3)"])
    assert [c.type.display for c in trino_columns(metadata(kept))] == ["integer", "varchar(3)"]


@pytest.mark.parametrize(
    "kept",
    ["", "{", "[1, 2]", '["integer"]', '["integer", "nosuch"]', '["integer", "bigint"]', "7"],
)
def test_what_does_not_fit_is_not_believed(kept: str) -> None:
    assert [c.type.display for c in trino_columns(metadata(kept))] == ["integer", "varchar"]
