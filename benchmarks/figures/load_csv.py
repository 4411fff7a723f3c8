"""A CSV file of a million rows into a table, over what its two halves take by themselves."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.lakehouse import Lakehouse, lakehouse
from benchmarks.timing import timed
from sqe.model.query import QueryRequest

ROWS = 1_000_000
QUICK_ROWS = 20_000
_COLUMNS = (
    "id BIGINT, k INT, price DECIMAL(12,2), day DATE, made TIMESTAMP_NTZ, name STRING,"
    " share DOUBLE, note STRING"
)
_ROWS = """
SELECT i AS id, CAST(i * 7919 % 100003 AS INTEGER) AS k, CAST(i % 1000000 * 1.37 AS DECIMAL(12,2))
  AS price, DATE '2020-01-01' + CAST(i % 1500 AS INTEGER) AS day,
  TIMESTAMP '2020-01-01' + INTERVAL (i) SECOND AS made, 'name of customer ' || i AS name,
  round(sin(i), 6) AS share, CASE WHEN i % 10 > 0 THEN 'note, with "quotes" ' || i END AS note
FROM range({rows}) AS numbers(i)
"""
_LOADED, _WRITTEN = "bench_csv_loaded", "bench_csv_written"


def load_csv(bench: Bench) -> Measured:
    """The halves: DuckDB reads the file into memory, and Spark, asked directly, writes the same
    rows into such a table from Parquet."""
    import duckdb

    lake = bench.once(lakehouse)
    rows = QUICK_ROWS if bench.options.quick else ROWS
    seconds: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        csv, parquet = Path(folder).resolve() / "rows.csv", Path(folder).resolve() / "rows.parquet"
        connection.execute(f"COPY ({_ROWS.format(rows=rows)}) TO '{csv}' (HEADER)")
        connection.execute(f"COPY (FROM read_csv('{csv}')) TO '{parquet}'")
        direct = lake.direct.connection
        files = direct.read_files("parquet", "", {}, [f"file://{parquet}"])
        direct.create_view("bench_csv_rows", files)
        for table in (_LOADED, _WRITTEN):
            lake.sqe.run(f"CREATE OR REPLACE TABLE {table} ({_COLUMNS})")
        try:
            for number in range(1 + bench.repeats(3, 1)):
                took = {
                    "duckdb_read_s": timed(
                        lambda: connection.execute(
                            f"CREATE OR REPLACE TABLE read AS FROM read_csv('{csv}')"
                        )
                    )[0],
                    "spark_write_s": timed(
                        lambda: lake.direct.run(
                            f"INSERT OVERWRITE {_WRITTEN} SELECT * FROM bench_csv_rows"
                        )
                    )[0],
                    "sqe_load_s": timed(lambda: _load(lake, csv))[0],
                }
                for name, spent in took.items():
                    seconds[name] += [spent] if number else []
            _compare(lake)
            size = csv.stat().st_size
        finally:
            for table in (_LOADED, _WRITTEN):
                lake.sqe.run(f"DROP TABLE {table}")
    best = {name: min(spent) for name, spent in seconds.items()}
    halves = best["duckdb_read_s"] + best["spark_write_s"]
    return Measured(best["sqe_load_s"] / halves, {"rows": rows, "csv_bytes": size, **best})


def _load(lake: Lakehouse, csv: Path) -> None:
    text = f"COPY INTO {_LOADED} FROM '{csv}' FILEFORMAT = CSV COPY_OPTIONS ('overwrite' = 'true')"
    gateway = lake.sqe.gateway
    request = QueryRequest(lake.sqe.session.id, text, files=frozenset({str(csv)}))
    with gateway.fetch(gateway.submit(request)) as result:
        result.read_all()


def _compare(lake: Lakehouse) -> None:
    """Both tables must hold the same rows."""
    text = "SELECT count(*), sum(hash(*)), max(made), sum(price) FROM {}"
    loaded, written = (
        [batch.to_pylist() for batch in lake.sqe.run(text.format(table))]
        for table in (_LOADED, _WRITTEN)
    )
    if loaded != written:
        raise AssertionError(f"the load and the write gave different rows: {loaded} {written}")
