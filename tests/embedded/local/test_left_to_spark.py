"""What the local engine does not read right is Spark's, with the reason."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import IntegerType, LongType, NestedField, TimestampNanoType, UUIDType

from tests.embedded.local.sides import Sides

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


@pytest.mark.parametrize("kind", ["avro", "orc"])
def test_other_file_formats(sides: Sides, kind: str) -> None:
    sides.do(
        f"CREATE TABLE as_{kind} (a INT) USING iceberg TBLPROPERTIES"
        f" ('write.format.default'='{kind}')",
        f"INSERT INTO as_{kind} VALUES (1)",
    )
    assert sides.left(f"SELECT * FROM as_{kind}", f"{kind.upper()} files") == ["(1,)"]
    sides.left(f"SELECT count(*) FROM as_{kind}", f"{kind.upper()} files")
    sides.do(
        f"ALTER TABLE as_{kind} SET TBLPROPERTIES ('write.format.default'='parquet')",
        f"INSERT INTO as_{kind} VALUES (2)",
    )
    sides.left(f"SELECT * FROM as_{kind}", f"{kind.upper()} files")


def test_variants(sides: Sides) -> None:
    sides.do(
        "CREATE TABLE variants (a INT, v VARIANT) USING iceberg"
        " TBLPROPERTIES ('format-version'='3')",
        """INSERT INTO variants SELECT 1, parse_json('{"a": 1}')""",
    )
    assert sides.left("SELECT a FROM variants", "types that only Spark reads") == ["(1,)"]
    sides.left("SELECT a, v FROM variants", "variant")


def test_identifiers_and_nanoseconds(sides: Sides) -> None:
    fields = (NestedField(1, "a", IntegerType()), NestedField(2, "u", UUIDType()))
    sides.rest.create_table("default.uuids", Schema(*fields))
    sides.do("INSERT INTO uuids (a) VALUES (1)")
    assert sides.same("SELECT a FROM uuids") == ["(1,)"]
    nano = Schema(NestedField(1, "a", IntegerType()), NestedField(2, "t", TimestampNanoType()))
    sides.rest.create_table("default.nanos", nano, properties={"format-version": "3"})
    assert "timestamp_ns" in sides.local.fails("SELECT a, t FROM nanos").message


@pytest.mark.parametrize("codec", ["gzip", "snappy", "uncompressed", "zstd"])
def test_these_codecs_are_read(sides: Sides, codec: str) -> None:
    sides.do(
        f"CREATE TABLE codec_{codec} USING iceberg TBLPROPERTIES"
        f" ('write.parquet.compression-codec'='{codec}')"
        " AS SELECT id, repeat('x', 50) AS s FROM range(1000)",
    )
    assert len(sides.same(f"SELECT * FROM codec_{codec}")) == 1000


def test_this_codec_is_not(sides: Sides) -> None:
    sides.do(
        "CREATE TABLE codec_lz4 USING iceberg TBLPROPERTIES"
        " ('write.parquet.compression-codec'='lz4') AS SELECT id FROM range(10)"
    )
    sides.left("SELECT * FROM codec_lz4", "compressed with lz4")


def test_files_that_were_not_written_for_the_table(sides: Sides, tmp_path: Path) -> None:
    """No field ids, and no column that says which partition it is."""
    fields = (NestedField(1, "a", LongType()), NestedField(2, "p", IntegerType()))
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "p"))
    table = sides.rest.create_table("default.imported", Schema(*fields), partition_spec=spec)
    whole = tmp_path / "whole.parquet"
    pq.write_table(pa.table({"a": [1, 2], "p": pa.array([7, 7], pa.int32())}), whole)
    table.add_files([str(whole)])
    assert sides.left("SELECT * FROM imported", "no field ids") == ["(1, 7)", "(2, 7)"]
    sides.left("SELECT count(*) FROM imported", "no field ids")
