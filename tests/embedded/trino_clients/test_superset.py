"""Superset 6.1 with its engine spec for Trino, as its pages use it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.embedded.pipe.lake import Lake
from tests.embedded.trino_clients.conftest import SCHEMA, Address
from tests.trino_clients.superset import Superset

# The first run on a machine makes Superset's environment.
pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(1200)]

KINDS = {
    "b": ("boolean", "BOOLEAN", "BOOLEAN"),
    "i": ("int", "INTEGER", "NUMERIC"),
    "l": ("bigint", "BIGINT", "NUMERIC"),
    "d": ("double", "DOUBLE", "NUMERIC"),
    "m": ("decimal(10,2)", "DECIMAL(10, 2)", "NUMERIC"),
    "s": ("string", "VARCHAR", "STRING"),
    "day": ("date", "DATE", "TEMPORAL"),
    "ts": ("timestamp_ntz", "TIMESTAMP", "TEMPORAL"),
    "tz": ("timestamp", "TIMESTAMP", "TEMPORAL"),
    "a": ("array<int>", "ARRAY", "STRING"),
}
# 2024-05-16 was a Thursday. What a real Trino gives for the same expressions.
GRAINS = {
    "PT1S": "2024-05-16 13:47:58",
    "PT5S": "2024-05-16 13:47:55",
    "PT30S": "2024-05-16 13:47:30",
    "PT1M": "2024-05-16 13:47:00",
    "PT5M": "2024-05-16 13:45:00",
    "PT10M": "2024-05-16 13:40:00",
    "PT15M": "2024-05-16 13:45:00",
    "PT0.5H": "2024-05-16 13:30:00",
    "PT1H": "2024-05-16 13:00:00",
    "PT6H": "2024-05-16 12:00:00",
    "P1D": "2024-05-16 00:00:00",
    "P1W": "2024-05-13 00:00:00",
    "P1M": "2024-05-01 00:00:00",
    "P3M": "2024-04-01 00:00:00",
    "P1Y": "2024-01-01 00:00:00",
    "1969-12-28T00:00:00Z/P1W": "2024-05-12 00:00:00",
    "1969-12-29T00:00:00Z/P1W": "2024-05-13 00:00:00",
    "P1W/1970-01-03T00:00:00Z": "2024-05-18 00:00:00",
    "P1W/1970-01-04T00:00:00Z": "2024-05-19 00:00:00",
}


@pytest.fixture(scope="module")
def superset(
    trino: Address, shared_lake: Lake, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Superset]:
    kinds = ", ".join(f"{name} {kind[0]}" for name, kind in KINDS.items())
    made = {
        "superset_types": f"TABLE superset_types ({kinds})",
        "superset_parts": "TABLE superset_parts (n int, day date) PARTITIONED BY (day)",
        "superset_view": "VIEW superset_view AS SELECT n_name FROM nation",
    }
    own = shared_lake.another_session()
    own.run(f"USE {SCHEMA}")
    own.all(*(f"CREATE {text}" for text in made.values()))
    own.run("INSERT INTO superset_parts VALUES (1, DATE '2024-01-02'), (2, DATE '2024-03-04')")
    url = f"trino://ann@{trino.host}:{trino.port}/lake/{SCHEMA}"
    opened = Superset(url, tmp_path_factory.mktemp("superset"))
    yield opened
    opened.close()
    own.all(*(f"DROP {text.split()[0]} {name}" for name, text in made.items()))
    own.close()


def test_what_there_is_is_listed(superset: Superset) -> None:
    assert superset.ask("engine") == "TrinoEngineSpec"
    assert superset.ask("catalogs") == ["lake", "system"]
    assert {SCHEMA, "information_schema"} <= set(superset.ask("schemas", "lake"))
    tables = superset.ask("tables", "lake", SCHEMA)
    assert {"nation", "region", "superset_types"} <= set(tables)
    assert "superset_view" not in tables
    assert superset.ask("views", "lake", SCHEMA) == ["superset_view"]


def test_columns_have_the_types_that_charts_need(superset: Superset) -> None:
    found = superset.ask("columns", "lake", SCHEMA, "superset_types")
    assert found == [[name, kind, generic] for name, (_, kind, generic) in KINDS.items()]


def test_partitions_are_asked_for_as_superset_does(superset: Superset) -> None:
    """It shows none of an Iceberg table, with a real Trino neither; its query is answered."""
    assert superset.ask("metadata", "lake", SCHEMA, "superset_parts") == {}
    text = superset.ask("partitions", "lake", SCHEMA, "superset_parts", "partition.day")
    ((partition, count, *_),) = superset.ask("rows", text)
    assert ("2024-03-04" in partition, count) == (True, 1)


def test_a_view_is_shown_as_it_was_written(superset: Superset) -> None:
    assert "nation" in superset.ask("metadata", "lake", SCHEMA, "superset_view")["view"]


def test_a_table_is_previewed(superset: Superset) -> None:
    text = superset.ask("star", "lake", SCHEMA, "nation")
    assert len(superset.ask("rows", text)) == 3


def test_functions_are_completed(superset: Superset) -> None:
    assert {"approx_distinct", "date_trunc", "sum"} <= set(superset.ask("functions"))


def test_every_time_grain_is_truncated_as_trino_does(superset: Superset) -> None:
    grains = superset.ask("grains", "ts")
    assert grains.keys() == GRAINS.keys()
    shown = ", ".join(f"CAST({text} AS timestamp(0))" for text in grains.values())
    moment = "SELECT TIMESTAMP '2024-05-16 13:47:58.123' AS ts"
    (row,) = superset.ask("rows", f"SELECT {shown} FROM ({moment}) AS t")
    assert dict(zip(grains, row, strict=True)) == GRAINS


def test_a_cost_is_estimated(superset: Superset) -> None:
    """NaN is how Trino says that it does not know."""
    (cost,) = superset.ask("estimate", "SELECT * FROM nation")
    labels = {"Output count", "Output size", "CPU cost", "Max memory", "Network cost"}
    assert (cost.keys(), set(cost.values())) == (labels, {"NaN"})


def test_a_running_query_is_cancelled(superset: Superset) -> None:
    endless = f"SELECT count(*) FROM TABLE(sequence(start => 1, stop => {10**15}))"
    assert "ADMINISTRATIVELY_KILLED" in superset.ask("cancelled", endless)
