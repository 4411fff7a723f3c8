"""TPC-H and TPC-DS on tiny data: tables and query texts come from DuckDB's extensions."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import sqlglot
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import NamespaceAlreadyExistsError

from sqe.catalog.rest.routes import catalog_app
from sqe.http.serving import HttpThread
from tests.differential.grammar import QUERY, Case
from tests.differential.sides import CATALOG, USER, Lakehouse
from tests.differential.tree import node

SCALE = 0.01


@dataclass(frozen=True)
class Benchmark:
    name: str
    make: str  # DuckDB's call that makes the tables
    queries: int

    def connect(self) -> duckdb.DuckDBPyConnection:
        """The extension comes as a wheel; without it the caller skips (ImportError)."""
        module = importlib.import_module(f"duckdb_extension_{self.name}")
        folder = Path(str(module.__file__)).parent / "extensions"
        (file,) = folder.glob(f"*/{self.name}.duckdb_extension")
        connection = duckdb.connect()
        connection.execute(f"LOAD '{file}'")
        return connection


TPCH = Benchmark("tpch", "CALL dbgen(sf={})", 22)
TPCDS = Benchmark("tpcds", "CALL dsdgen(sf={})", 99)


def load(benchmark: Benchmark, lakehouse: Lakehouse, scale: float = SCALE) -> None:
    """Through the catalog's REST interface, by PyIceberg: Spark would take minutes for it."""
    connection = benchmark.connect()
    connection.execute(benchmark.make.format(scale))
    catalog = lakehouse.server.catalogs.open(CATALOG, USER)
    http = HttpThread(catalog_app(lambda _: catalog))
    http.start()
    try:
        lake = RestCatalog(CATALOG, uri=http.url)
        lake.create_namespace(benchmark.name)
        for (name,) in connection.execute("SHOW TABLES").fetchall():
            rows: pa.Table = connection.execute(f'SELECT * FROM "{name}"').to_arrow_table()
            lake.create_table(f"{benchmark.name}.{name}", schema=rows.schema).append(rows)
    except NamespaceAlreadyExistsError:
        return  # this home has them
    finally:
        http.stop()
        connection.close()


def cases(benchmark: Benchmark) -> list[Case]:
    """In Spark's words. Rows that tie in ORDER BY may come in any order, so it is not compared."""
    with benchmark.connect() as connection:
        rows = connection.execute(
            f"SELECT query_nr, query FROM {benchmark.name}_queries() ORDER BY 1"
        ).fetchall()
    made = []
    for number, text in rows:
        (spark,) = sqlglot.transpile(text.strip().rstrip(";"), read="duckdb", write="spark")
        made.append(Case(f"{benchmark.name} {number}", QUERY, node("query", spark)))
    return made
