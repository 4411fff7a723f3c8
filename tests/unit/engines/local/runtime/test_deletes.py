"""Delete files in the shapes that Iceberg's specification allows."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyiceberg.manifest import DataFileContent
from pyiceberg.table import Table

from sqe.engines.local.plan import NotLocal
from tests.unit.engines.local.runtime.delete_files import position_deletes, with_deletes
from tests.unit.engines.local.runtime.world import World, scan_of

NUMBER = pa.schema({"n": pa.int64()})


@pytest.fixture
def table(world: World) -> Table:
    """Two files: 0 to 9 (sequence 1) and 10 to 19 (sequence 2)."""
    table = world.create("t", pa.table({"n": list(range(10))}))
    table.append(pa.table({"n": list(range(10, 20))}))
    return table


def paths(table: Table) -> list[str]:
    files = table.inspect.files().sort_by("file_path").to_pylist()
    lower = {file["file_path"]: file["readable_metrics"]["n"]["lower_bound"] for file in files}
    return sorted(lower, key=lambda path: lower[path])


def left(world: World, table: Table, *deletes: tuple[object, int]) -> list[int]:
    loaded = with_deletes(table, deletes)  # type: ignore[arg-type]
    return [row[0] for row in sorted(world.rows(scan_of(loaded), NUMBER))]


def test_several_files_may_delete_the_same_rows(world: World, table: Table) -> None:
    first, second = paths(table)
    both = position_deletes(table, [(first, 1), (first, 2), (second, 0)])
    again = position_deletes(table, [(first, 2), (first, 3), (second, 0), (second, 9)])
    gone = {1, 2, 3, 10, 19}
    assert left(world, table, (both, 3), (again, 4)) == sorted(set(range(20)) - gone)


def test_a_file_that_names_its_only_data_file(world: World, table: Table) -> None:
    first, _ = paths(table)
    bounds = {2147483546: first.encode()}
    one = position_deletes(table, [(first, 5)], lower_bounds=bounds, upper_bounds=bounds)
    assert left(world, table, (one, 3)) == sorted(set(range(20)) - {5})


def test_rows_that_came_after_a_delete_stay(world: World, table: Table) -> None:
    first, second = paths(table)
    early = position_deletes(table, [(first, 0), (second, 0)])
    assert left(world, table, (early, 1)) == sorted(set(range(20)) - {0})
    assert left(world, table, (early, 2)) == sorted(set(range(20)) - {0, 10})


def test_every_row_of_a_file_may_be_deleted(world: World, table: Table) -> None:
    first, _ = paths(table)
    all_of_it = position_deletes(table, [(first, row) for row in range(10)])
    assert left(world, table, (all_of_it, 3)) == list(range(10, 20))


def test_deletes_of_files_that_are_gone_are_of_no_matter(world: World, table: Table) -> None:
    other = position_deletes(table, [("file:///gone.parquet", 1), ("", 2)])
    assert left(world, table, (other, 3)) == list(range(20))


def test_what_is_not_understood_is_left_to_spark(world: World, table: Table) -> None:
    first, _ = paths(table)
    equal = position_deletes(
        table, [(first, 1)], content=DataFileContent.EQUALITY_DELETES, equality_ids=[1]
    )
    with pytest.raises(NotLocal, match="equality deletes"):
        left(world, table, (equal, 3))
    hidden = position_deletes(table, [(first, 1)], key_metadata=b"key")
    with pytest.raises(NotLocal, match="encrypted"):
        left(world, table, (hidden, 3))
