"""The rows of information_schema, and what is loaded to give them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sqe.catalog.information_schema import RELATIONS, rows
from sqe.catalog.listing import Listing, ListingFilter, NameFilter
from sqe.catalog.protocol import Ident, Loaded, Namespace
from sqe.errors import AccessError, ErrorCode, SqeError, UpstreamError
from tests.unit.coordinator.lake import Lake


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    lake = Lake(tmp_path)
    yield lake
    lake.close()


def only(schemas: list[str] | None = None, tables: list[str] | None = None) -> ListingFilter:
    return ListingFilter(
        NameFilter(frozenset(schemas) if schemas is not None else None),
        NameFilter(frozenset(tables) if tables is not None else None),
    )


def listed(lake: Lake, table: str, wanted: ListingFilter | None = None) -> list[tuple[Any, ...]]:
    found = rows(Listing(lake.lake, wanted or ListingFilter()), "lake", table)
    assert found.schema.names == [column.name for column in RELATIONS[table]]
    return [tuple(row.values()) for row in found.to_pylist()]


def test_schemata_prints_levels_dotted(lake: Lake) -> None:
    assert listed(lake, "schemata") == [("lake", "hr"), ("lake", "hr.old"), ("lake", "sales")]


def test_tables_are_tables_and_views_in_order(lake: Lake) -> None:
    assert listed(lake, "tables") == [
        ("lake", "hr", "dept", "BASE TABLE"),
        ("lake", "hr", "emp", "BASE TABLE"),
        ("lake", "hr", "names", "VIEW"),
        ("lake", "hr.old", "emp", "BASE TABLE"),
        ("lake", "sales", "orders", "BASE TABLE"),
    ]
    assert not [call for call in lake.lake.calls if call.startswith("load")]


def test_columns_have_sparks_types(lake: Lake) -> None:
    assert listed(lake, "columns", only(["hr"], ["emp"]))[:2] == [
        ("lake", "hr", "emp", "id", 1, None, "NO", "bigint", "the key"),
        ("lake", "hr", "emp", "name", 2, None, "YES", "string", None),
    ]


def test_views_have_their_text(lake: Lake) -> None:
    assert listed(lake, "views") == [("lake", "hr", "names", "SELECT name AS a FROM emp")]


def test_only_what_is_asked_for_is_listed_and_loaded(lake: Lake) -> None:
    found = listed(lake, "columns", only(["hr"], ["dept", "absent"]))
    assert [row[2:5] for row in found] == [("dept", "a", 1)]
    assert dict(lake.lake.calls) == {"list hr": 1, "load hr.dept": 1}


def test_prefixes_cut_the_listing_short(lake: Lake) -> None:
    wanted = ListingFilter(NameFilter(prefixes=("hr.o",)), NameFilter(prefixes=("e",)))
    assert [row[1:3] for row in listed(lake, "columns", wanted)] == [("hr.old", "emp")]
    assert dict(lake.lake.calls) == {"list hr.old": 1, "load hr.old.emp": 1}


def test_contradictions_load_nothing(lake: Lake) -> None:
    wanted = only(["hr"], None)
    both = ListingFilter(wanted.schemas.both(only(["sales"]).schemas))
    assert listed(lake, "tables", both) == []
    assert not lake.lake.calls


@pytest.mark.parametrize(
    "failure",
    [
        UpstreamError(ErrorCode.CORRUPT_DATA, "broken"),
        AccessError(ErrorCode.ACCESS_DENIED, "no"),
        ValueError("not JSON"),
    ],
)
def test_one_broken_table_does_not_fail_the_others(lake: Lake, failure: Exception) -> None:
    lake.lake.broken["hr.emp"] = failure
    assert {row[2] for row in listed(lake, "columns", only(["hr"]))} == {"dept", "names"}


def test_a_catalog_that_is_down_fails_the_listing(lake: Lake) -> None:
    lake.lake.broken["hr.emp"] = UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "down")
    with pytest.raises(SqeError) as caught:
        listed(lake, "columns")
    assert caught.value.code is ErrorCode.CATALOG_UNAVAILABLE


def test_a_listing_can_be_stopped(lake: Lake) -> None:
    class Stop(Exception):
        pass

    def check() -> None:
        if lake.lake.calls:
            raise Stop

    with pytest.raises(Stop):
        rows(Listing(lake.lake, ListingFilter(), check), "lake", "columns")
    assert lake.lake.calls.total() == 1


class ManySchemas:
    """Answers a list only while others are asked for, too."""

    def __init__(self, schemas: int, at_once: int) -> None:
        self.names = [(f"s{number:03}",) for number in range(schemas)]
        self.together = threading.Barrier(at_once, timeout=20)

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        if not parent:
            return list(self.names)
        self.together.wait()
        return []

    def list_tables(self, namespace: Namespace) -> list[str]:
        self.together.wait()
        return ["t"]

    def list_views(self, namespace: Namespace) -> list[str]:
        return []

    def load_table(self, ident: Ident) -> Loaded:
        self.together.wait()
        schema = {"fields": [{"id": 1, "name": "a", "type": "int", "required": False}]}
        metadata = {"schemas": [{**schema, "schema-id": 0}], "current-schema-id": 0}
        return Loaded(json.dumps(metadata).encode())


def test_a_catalog_is_asked_for_many_schemas_at_once() -> None:
    catalog: Any = ManySchemas(32, at_once=8)
    found = rows(Listing(catalog, ListingFilter()), "lake", "columns")
    assert found["table_schema"].to_pylist() == [name for (name,) in catalog.names]


def test_a_failure_of_one_of_many_fails_the_listing() -> None:
    class Failing(ManySchemas):
        def list_tables(self, namespace: Namespace) -> list[str]:
            raise UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "down")

    catalog: Any = Failing(32, at_once=1)
    with pytest.raises(UpstreamError, match="down"):
        rows(Listing(catalog, ListingFilter()), "lake", "tables")
