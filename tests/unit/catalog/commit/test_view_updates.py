"""Every view update of the Iceberg REST specification."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.catalog.commit.view_updates import (
    VIEW_UPDATES,
    apply_view_updates,
    new_view,
    version_updates,
)
from sqe.catalog.protocol import Json
from sqe.errors import UserError
from tests.unit.catalog.tables import SCHEMA, field, schema_with


def version(sql: str, **more: Any) -> Json:
    return {
        "version-id": 1,
        "schema-id": 0,
        "timestamp-ms": 1_700_000_000_000,
        "summary": {"engine-name": "sqe"},
        "representations": [{"type": "sql", "sql": sql, "dialect": "spark"}],
        "default-namespace": ["ns"],
        **more,
    }


def view(**request: Any) -> Json:
    return new_view({"schema": SCHEMA, "view-version": version("select 1"), **request}, "/w/v")


def replaced(base: Json, *updates: Json) -> Json:
    metadata = apply_view_updates(base, updates)
    assert metadata is not None
    return metadata


def replacing(sql: str, **more: Any) -> list[Json]:
    return [
        {"action": "add-view-version", "view-version": version(sql, **more)},
        {"action": "set-current-view-version", "view-version-id": -1},
    ]


def refused(base: Json, *updates: Json) -> str:
    with pytest.raises(UserError) as caught:
        apply_view_updates(base, updates)
    return caught.value.message


def test_a_new_view_has_one_version_and_one_schema() -> None:
    metadata = view(properties={"comment": "c"})
    assert metadata["current-version-id"] == 1
    assert metadata["versions"][0]["schema-id"] == metadata["schemas"][0]["schema-id"] == 0
    assert metadata["version-log"] == [{"timestamp-ms": 1_700_000_000_000, "version-id": 1}]
    assert metadata["properties"] == {"comment": "c"}


def test_replacing_adds_a_version_and_an_entry_to_the_log() -> None:
    metadata = replaced(
        view(),
        {"action": "add-schema", "schema": schema_with(field(4, "x"))},
        *replacing("select 2", **{"schema-id": -1}),
    )
    assert metadata["current-version-id"] == 2
    assert metadata["versions"][1]["schema-id"] == 1
    assert [entry["version-id"] for entry in metadata["version-log"]] == [1, 2]


def test_an_equal_version_is_used_again() -> None:
    two = replaced(view(), *replacing("select 2"))
    again = {"action": "add-view-version", "view-version": version("select 1")}
    current = {"action": "set-current-view-version", "view-version-id": 1}
    back = replaced(two, again, current)
    assert back["current-version-id"] == 1
    assert len(back["versions"]) == 2
    assert back["version-log"][-1]["timestamp-ms"] > 1_700_000_000_000


def test_what_was_there_before_the_commit_is_not_the_last_added() -> None:
    """Iceberg's own builder, and so Polaris, says so."""
    schema = {"action": "add-schema", "schema": SCHEMA}
    assert refused(view(), schema, *replacing("select 2", **{"schema-id": -1})) == (
        "Cannot set last added schema: no schema has been added"
    )
    assert refused(view(), *replacing("select 1")) == (
        "Cannot set last version id: no current version id has been set"
    )


@pytest.mark.parametrize("sql", ["select 1", "select 2", "select 3"])
@pytest.mark.parametrize("schema", [SCHEMA, schema_with(field(4, "x")), schema_with(field(4, "y"))])
def test_a_view_is_replaced_whatever_of_it_was_there_before(sql: str, schema: Json) -> None:
    base = replaced(
        view(), *version_updates(view(), schema_with(field(4, "x")), version("select 2"))
    )
    after = apply_view_updates(base, version_updates(base, schema, version(sql))) or base
    [now] = [v for v in after["versions"] if v["version-id"] == after["current-version-id"]]
    assert now["representations"][0]["sql"] == sql
    [kept] = [s for s in after["schemas"] if s["schema-id"] == now["schema-id"]]
    assert kept["fields"] == schema["fields"]


def test_old_versions_expire() -> None:
    metadata = view(properties={"version.history.num-entries": "2"})
    for number in range(2, 6):
        metadata = replaced(metadata, *replacing(f"select {number}"))
    assert sorted(v["version-id"] for v in metadata["versions"]) == [4, 5]
    assert [entry["version-id"] for entry in metadata["version-log"]] == [4, 5]


def test_a_dialect_is_not_lost_by_accident() -> None:
    trino = [{"type": "sql", "sql": "select 2", "dialect": "trino"}]
    assert "loss of view dialects" in refused(view(), *replacing("x", representations=trino))
    allowed = view(properties={"replace.drop-dialect.allowed": "true"})
    assert replaced(allowed, *replacing("x", representations=trino))["current-version-id"] == 2


def test_other_updates() -> None:
    base = view()
    metadata = replaced(
        base,
        {"action": "assign-uuid", "uuid": base["view-uuid"]},
        {"action": "upgrade-format-version", "format-version": 1},
        {"action": "set-location", "location": "/w/elsewhere"},
        {"action": "set-properties", "updates": {"a": "1", "b": "2"}},
        {"action": "remove-properties", "removals": ["a"]},
    )
    assert metadata["location"] == "/w/elsewhere"
    assert metadata["properties"] == {"b": "2"}


def test_impossible_updates_are_refused() -> None:
    for action in VIEW_UPDATES:
        assert refused(view(), {"action": action})
    assert "Cannot reassign" in refused(view(), {"action": "assign-uuid", "uuid": "x"})
    assert "Unsupported" in refused(
        view(), {"action": "upgrade-format-version", "format-version": 2}
    )
    assert "to a view" in refused(view(), {"action": "add-snapshot"})
    assert "unknown schema" in refused(view(), *replacing("x", **{"schema-id": 9}))
    assert "unknown version" in refused(
        view(), {"action": "set-current-view-version", "view-version-id": 9}
    )
    twice = [{"type": "sql", "sql": "x", "dialect": d} for d in ("spark", "SPARK")]
    assert "multiple queries" in refused(view(), *replacing("x", representations=twice))
    assert "unsupported view representations" in refused(
        view(), *replacing("x", representations=[{"type": "substrait"}])
    )
