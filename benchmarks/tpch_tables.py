"""The TPC-H tables as Iceberg, in a home of their own in the cache: made once per scale factor."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.bench import Bench
from benchmarks.iceberg_tables import Tables, made_home

SCHEMA = "tpch"
TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")


def tpch_home(bench: Bench) -> Path:
    """The home whose catalog ``lake`` has the schema ``tpch``."""
    folder = bench.cache / f"tpch-sf{bench.options.scale:g}"

    def make(source: Path) -> Tables:
        bench.note(f"making TPC-H at scale {bench.options.scale:g} in {folder}, once")
        _generate(source, bench.options.scale)
        for name in TABLES:
            yield name, _plain_strings(pq.read_table(source / f"{name}.parquet"))

    return made_home(folder, SCHEMA, make)


def _generate(folder: Path, scale: float) -> None:
    generator = Path(sys.executable).parent / "tpchgen-cli"
    command = [str(generator), "parquet", "-s", f"{scale:g}", "--output-dir", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _plain_strings(rows: pa.Table) -> pa.Table:
    """The generator writes string views, which PyIceberg does not know."""
    fields = [
        field.with_type(pa.string()) if field.type == pa.string_view() else field
        for field in rows.schema
    ]
    return rows.cast(pa.schema(fields))
