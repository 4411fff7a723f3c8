"""What PyIceberg wrote is what the local engine reads."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestamptzType,
    UUIDType,
)

from sqe.engines.local.plan import Comparison, NotLocal
from sqe.model.identity import Identity
from tests.unit.engines.local.runtime.world import (
    World,
    loaded_of,
    pyiceberg_rows,
    scan_of,
)

UTC = dt.UTC
ALL_TYPES = pa.table(
    {
        "flag": pa.array([True, None]),
        "small": pa.array([1, -2], pa.int32()),
        "big": pa.array([2**62, None]),
        "single": pa.array([1.5, float("inf")], pa.float32()),
        "double": pa.array([-0.0, 1e300]),
        "price": pa.array([Decimal("12.34"), None], pa.decimal128(9, 2)),
        "huge": pa.array([Decimal("1" * 30 + ".12"), None], pa.decimal128(38, 2)),
        "name": pa.array(["Ünï", ""]),
        "raw": pa.array([b"\x00\xff", None]),
        "day": pa.array([dt.date(1969, 12, 31), None]),
        "at": pa.array([dt.datetime(1900, 1, 1, 0, 0, 0, 1), None], pa.timestamp("us")),
        "when": pa.array(
            [dt.datetime(2024, 3, 31, 1, tzinfo=UTC), None], pa.timestamp("us", "UTC")
        ),
        "tags": pa.array([["a", None], []], pa.list_(pa.string())),
        "point": pa.array(
            [{"x": 1, "y": "u"}, None], pa.struct({"x": pa.int64(), "y": pa.string()})
        ),
        "attrs": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
    }
)


def test_every_type_comes_out_as_it_went_in(world: World) -> None:
    table = world.create("types", ALL_TYPES)
    assert world.rows(scan_of(loaded_of(table)), ALL_TYPES.schema) == pyiceberg_rows(table)


def test_a_table_of_version_1_is_read(world: World) -> None:
    table = world.create("old", ALL_TYPES, **{"format-version": "1"})
    assert world.rows(scan_of(loaded_of(table)), ALL_TYPES.schema) == pyiceberg_rows(table)


def test_a_table_without_a_snapshot_is_empty(world: World) -> None:
    table = world.catalog.create_table("db.nothing", ALL_TYPES.schema)
    assert world.rows(scan_of(loaded_of(table)), ALL_TYPES.schema) == []


def test_no_columns_are_needed_to_count_rows(world: World) -> None:
    table = world.create("t", pa.table({"a": [1, 2, 3]}))
    scan = scan_of(loaded_of(table), "no such column")
    result = world.query("SELECT count(*) FROM scan_1", pa.schema({"n": pa.int64()}), scan)
    assert result.to_pydict() == {"n": [3]}


def test_columns_are_found_by_id_through_all_changes(world: World) -> None:
    table = world.create("t", pa.table({"a": pa.array([1], pa.int32()), "b": ["x"], "c": [1.5]}))
    with table.update_schema() as update:
        update.rename_column("a", "z")
        update.update_column("a", LongType())
        update.delete_column("b")
    with table.update_schema() as update:
        update.add_column("b", StringType())
        update.move_first("b")
    new = pa.schema({"b": pa.string(), "z": pa.int64(), "c": pa.float64()})
    table.append(pa.table({"b": ["new"], "z": [2**40], "c": [2.5]}, schema=new))
    rows = world.rows(scan_of(loaded_of(table)), new)
    assert rows == pyiceberg_rows(table) == sorted([(None, 1, 1.5), ("new", 2**40, 2.5)], key=repr)


def test_numbers_are_widened(world: World) -> None:
    schema = pa.schema({"f": pa.float32(), "d": pa.decimal128(5, 2)})
    table = world.create("t", pa.table({"f": [1.5], "d": [Decimal("1.25")]}, schema=schema))
    with table.update_schema() as update:
        update.update_column("f", DoubleType())
        update.update_column("d", DecimalType(20, 2))
    wide = pa.schema({"f": pa.float64(), "d": pa.decimal128(20, 2)})
    assert world.rows(scan_of(loaded_of(table)), wide) == [(1.5, Decimal("1.25"))]


def test_changed_fields_inside_a_column_are_left_to_spark(world: World) -> None:
    point = pa.struct({"x": pa.int64()})
    table = world.create("t", pa.table({"p": pa.array([{"x": 1}], point)}))
    with table.update_schema() as update:
        update.rename_column(("p", "x"), "y")
    schema = pa.schema({"p": pa.struct({"y": pa.int64()})})
    with pytest.raises(NotLocal, match="inside column p have changed"):
        world.rows(scan_of(loaded_of(table)), schema)


def test_an_older_snapshot_is_read_with_its_own_columns(world: World) -> None:
    table = world.create("t", pa.table({"a": [1], "b": ["x"]}))
    first = table.current_snapshot()
    assert first is not None
    before = scan_of(loaded_of(table), snapshot_id=first.snapshot_id)
    with table.update_schema() as update:
        update.rename_column("a", "z")
    table.append(pa.table({"z": [2], "b": ["y"]}))
    schema = pa.schema({"a": pa.int64(), "b": pa.string()})
    now = scan_of(loaded_of(table))
    then = type(now)("scan_1", now.table, before.columns, first.snapshot_id)
    assert world.rows(then, schema) == [(1, "x")]


def test_a_name_that_meant_another_column_then_is_left_to_spark(world: World) -> None:
    table = world.create("t", pa.table({"a": [1], "b": ["x"]}))
    first = table.current_snapshot()
    assert first is not None
    with table.update_schema() as update:
        update.delete_column("b")
    with table.update_schema() as update:
        update.add_column("b", StringType())
    with pytest.raises(NotLocal, match="added again"):
        world.planned(scan_of(loaded_of(table), snapshot_id=first.snapshot_id))


@pytest.fixture
def days(world: World) -> Table:
    schema = Schema(
        NestedField(1, "id", IntegerType()),
        NestedField(2, "region", StringType()),
        NestedField(3, "at", TimestamptzType()),
        NestedField(4, "day", DateType()),
    )
    spec = PartitionSpec(
        PartitionField(2, 1000, IdentityTransform(), "region"),
        PartitionField(4, 1001, IdentityTransform(), "day"),
    )
    table = world.catalog.create_table("db.days", schema, partition_spec=spec)
    for day in (1, 2, 3):
        when = dt.datetime(2024, 1, day, 12, tzinfo=UTC)
        columns = {
            "id": pa.array([day, day + 10], pa.int32()),
            "region": ["eu", "us=*?"],
            "at": pa.array([when, when], pa.timestamp("us", "UTC")),
            "day": pa.array([when.date(), when.date()]),
        }
        table.append(pa.table(columns))
    return table


@pytest.mark.parametrize(
    ("comparisons", "files"),
    [
        ((), 6),
        ((Comparison("region", "=", "eu"),), 3),
        ((Comparison("region", "in", ("eu", "de")),), 3),
        ((Comparison("at", ">=", dt.datetime(2024, 1, 3, tzinfo=UTC)),), 2),
        ((Comparison("at", "<", dt.datetime(2024, 1, 2, tzinfo=UTC)), Comparison("id", ">", 5)), 1),
        ((Comparison("day", "=", dt.date(2024, 1, 2)),), 2),
        ((Comparison("day", "!=", dt.date(2024, 1, 2)), Comparison("region", "notnull")), 4),
        ((Comparison("id", "=", 3),), 1),
        ((Comparison("id", "isnull"),), 0),
        ((Comparison("region", "startswith", "u"),), 3),
        ((Comparison("id", "=", "not a number"),), 6),
        ((Comparison("no such column", "=", 1),), 6),
        ((Comparison("id", "=", 2**40),), 0),
    ],
)
def test_files_that_cannot_matter_are_not_read(
    world: World, days: Table, comparisons: tuple[Comparison, ...], files: int
) -> None:
    planned = world.planned(scan_of(loaded_of(days), pruning=comparisons))
    assert len(planned.files) == files
    if not files:
        assert planned.bytes == 0


def test_partition_evolution_keeps_all_rows(world: World) -> None:
    table = world.create("t", pa.table({"id": [1, 2], "name": ["a", "b"]}))
    with table.update_spec() as update:
        update.add_identity("id")
    table.append(pa.table({"id": [3, 4], "name": ["c", "d"]}))
    with table.update_spec() as update:
        update.remove_field("id")
        update.add_identity("name")
    table.append(pa.table({"id": [5], "name": ["e"]}))
    schema = pa.schema({"id": pa.int64(), "name": pa.string()})
    loaded = loaded_of(table)
    assert world.rows(scan_of(loaded), schema) == pyiceberg_rows(table)
    pruned = scan_of(loaded, pruning=[Comparison("id", "=", 4)])
    assert (4, "d") in world.rows(pruned, schema)
    assert len(world.planned(pruned).files) < 4


def test_what_is_not_read_right_is_left_to_spark(world: World) -> None:
    schema = Schema(NestedField(1, "id", UUIDType()), NestedField(2, "day", DateType()))
    table = world.catalog.create_table("db.odd", schema)
    with pytest.raises(NotLocal, match="uuid"):
        world.planned(scan_of(loaded_of(table)))
    assert world.planned(scan_of(loaded_of(table), "day")).files == ()


def test_files_without_ids_are_left_to_spark(world: World, tmp_path: Path) -> None:
    data = pa.table({"a": [1, 2]})
    table = world.catalog.create_table("db.imported", data.schema)
    path = f"{tmp_path}/foreign.parquet"
    pq.write_table(data, path)
    table.add_files([f"file://{path}"])
    with pytest.raises(NotLocal, match="no field ids"):
        world.rows(scan_of(loaded_of(table)), data.schema)


def test_a_plan_is_kept_per_user_and_metadata_file(world: World) -> None:
    table = world.create("t", pa.table({"a": [1]}))
    before = scan_of(loaded_of(table))
    first = world.planner.plan_scan(before, Identity("ann"))
    assert world.planner.plan_scan(before, Identity("ann")).files is first.files
    assert world.planner.plan_scan(before, Identity("bob")).files is not first.files
    table.append(pa.table({"a": [2]}))
    assert len(world.planned(scan_of(loaded_of(table))).files) == 2
    assert len(world.planned(before).files) == 1


def test_floats_keep_their_signs_and_nans(world: World) -> None:
    data = pa.table({"x": pa.array([float("nan"), -0.0, None], pa.float32())})
    table = world.create("t", data)
    assert isinstance(table.schema().find_type("x"), FloatType)
    assert world.rows(scan_of(loaded_of(table)), data.schema).__repr__() == repr(
        sorted([(float("nan"),), (-0.0,), (None,)], key=repr)
    )


def test_thousands_of_files(world: World) -> None:
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "part", LongType()))
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "part"))
    table = world.catalog.create_table("db.many", schema, partition_spec=spec)
    count = 2_000
    table.append(pa.table({"id": list(range(count)), "part": list(range(count))}))
    loaded = loaded_of(table)
    total = pa.schema({"n": pa.int64()})
    assert len(world.planned(scan_of(loaded)).files) == count
    for _ in range(2):
        found = world.query("SELECT sum(id)::BIGINT FROM scan_1", total, scan_of(loaded))
        assert found.to_pydict() == {"n": [count * (count - 1) // 2]}
    one = scan_of(loaded, pruning=[Comparison("part", "=", 77)])
    assert world.query("SELECT id FROM scan_1", total, one).to_pydict() == {"n": [77]}
