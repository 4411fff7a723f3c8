"""Files that all have the table's own schema are read by name; the rows are the same either way."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.types import LongType

from tests.unit.engines.local.runtime.world import World, loaded_of, new_run, scan_of

ROWS = pa.table({"n": pa.array([1, 2, 3], pa.int64()), "s": ["a", "b", None]})


def estimated_rows(world: World, table: object, *names: str) -> list[str]:
    scan = scan_of(loaded_of(table), *names)  # type: ignore[arg-type]
    statement = world.statement("SELECT n FROM scan_1", pa.schema({"n": pa.int64()}), [scan])
    return re.findall(r"~([\d,]+) row", world.prepare(statement).explain(new_run()).plan)


def test_duckdb_knows_how_many_rows_there_are(world: World) -> None:
    table = world.create("t", pa.table({"n": list(range(12_345))}))
    assert estimated_rows(world, table) == ["12,345"]


def test_duckdb_knows_it_of_files_that_are_read_by_id(world: World) -> None:
    table = world.create("t", ROWS)
    with table.update_schema() as change:
        change.rename_column("s", "text")
    table.append(ROWS.rename_columns(["n", "text"]))
    assert estimated_rows(world, table) == ["6"]


def test_one_schema_gives_statistics(world: World) -> None:
    """A filter that all rows pass is not even looked at."""
    table = world.create("t", ROWS)
    scan = scan_of(loaded_of(table))
    schema = pa.schema({"n": pa.int64()})
    statement = world.statement("SELECT n FROM scan_1 WHERE n > 0", schema, [scan])
    assert "Filters" not in world.prepare(statement).explain(new_run()).plan
    assert world.query("SELECT n FROM scan_1 WHERE n > 0", schema, scan).num_rows == 3


def test_a_renamed_column_is_found_under_its_old_name(world: World) -> None:
    table = world.create("t", ROWS)
    with table.update_schema() as change:
        change.rename_column("s", "text")
    scan = scan_of(loaded_of(table))
    schema = pa.schema({"n": pa.int64(), "text": pa.string()})
    assert world.rows(scan, schema) == [(1, "a"), (2, "b"), (3, None)]
    table.append(ROWS.rename_columns(["n", "text"]))
    assert len(world.rows(scan_of(loaded_of(table)), schema)) == 6


def test_names_that_changed_places(world: World) -> None:
    table = world.create("t", pa.table({"a": [1], "b": [2]}))
    with table.update_schema() as change:
        change.rename_column("a", "c")
    with table.update_schema() as change:
        change.rename_column("b", "a")
    with table.update_schema() as change:
        change.rename_column("c", "b")
    scan = scan_of(loaded_of(table), "a", "b")
    found = world.query(
        "SELECT a, b FROM scan_1", pa.schema({"a": pa.int64(), "b": pa.int64()}), scan
    )
    assert found.to_pylist() == [{"a": 2, "b": 1}]


def test_a_widened_column_has_the_wide_type(world: World) -> None:
    table = world.create("t", pa.table({"n": pa.array([1, 2], pa.int32())}))
    with table.update_schema() as change:
        change.update_column("n", LongType())
    assert world.rows(scan_of(loaded_of(table)), pa.schema({"n": pa.int64()})) == [(1,), (2,)]


@pytest.mark.parametrize("name", ["filename", "File_Row_Number", "file_index"])
def test_a_column_with_a_name_of_duckdbs_own(world: World, name: str) -> None:
    table = world.create("t", pa.table({name: ["mine"]}))
    assert world.rows(scan_of(loaded_of(table)), pa.schema({name: pa.string()})) == [("mine",)]


def test_names_that_differ_by_case_only(world: World) -> None:
    table = world.create("t", pa.table({"a": [1], "A": [2]}))
    scan = scan_of(loaded_of(table), "A")
    assert world.rows(scan, pa.schema({"A": pa.int64()})) == [(2,)]


def test_nan_is_not_lost_to_statistics(world: World) -> None:
    table = world.create("t", pa.table({"d": [1.0, float("nan")]}))
    assert pq.read_metadata(world.planned(scan_of(loaded_of(table))).files[0]).num_rows == 2
    scan = scan_of(loaded_of(table))
    schema = pa.schema({"d": pa.float64()})
    assert world.query("SELECT d FROM scan_1 WHERE d > 5", schema, scan).num_rows == 1
    assert world.query("SELECT max(d) AS d FROM scan_1", schema, scan)["d"][0].as_py() != 1.0
