"""What Spark is shown of a partitioned table, so that it judges each row by itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sqe.broker.handles import GrantedTable
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Loaded
from sqe.engines.spark.repairs.null_partitions import judge_by_row
from sqe.engines.spark.repairs.repairs import REPAIRS
from sqe.sql.statement import Access
from tests.unit.broker.emp import EMP, NAME

FIELD = {"source-id": 1, "field-id": 1000, "name": "day", "transform": "day"}


def shown(**metadata: Any) -> dict[str, Any]:
    found: dict[str, Any] = judge_by_row(Loaded(json.dumps(metadata).encode(), "at")).metadata
    return found


def test_a_partitioned_table_has_one_spec_more() -> None:
    specs = [{"spec-id": 0, "fields": [FIELD]}, {"spec-id": 4, "fields": [FIELD]}]
    found = shown(**{"partition-specs": specs, "default-spec-id": 4, "other": 1})
    assert found["partition-specs"] == [*specs, {"spec-id": 5, "fields": []}]
    assert (found["default-spec-id"], found["other"]) == (4, 1)


def test_so_has_one_that_is_older_than_lists_of_specs() -> None:
    found = shown(**{"partition-spec": [FIELD]})
    assert found["partition-specs"] == [
        {"spec-id": 0, "fields": [FIELD]},
        {"spec-id": 1, "fields": []},
    ]
    assert found["default-spec-id"] == 0


@pytest.mark.parametrize(
    "metadata",
    [
        {"partition-specs": [{"spec-id": 0, "fields": []}]},
        {"partition-specs": [{"spec-id": 0, "fields": [FIELD]}, {"spec-id": 1, "fields": []}]},
        {"partition-spec": []},
        {},
    ],
)
def test_any_other_table_is_shown_as_it_is(metadata: dict[str, Any]) -> None:
    loaded = Loaded(json.dumps(metadata).encode(), "at")
    assert judge_by_row(loaded) is loaded


def test_it_is_written_once_for_a_query_that_reads(catalog: EmbeddedCatalog) -> None:
    bound = Loaded(json.dumps({"partition-spec": [FIELD]}).encode(), "at")
    read, write = (
        GrantedTable(NAME, EMP, catalog, frozenset({access}), bound, repair=REPAIRS.show)
        for access in (Access.READ, Access.WRITE)
    )
    shown = read.read_only
    assert shown is not None
    assert len(shown.metadata["partition-specs"]) == 2
    assert read.read_only is shown
    assert write.read_only is None
